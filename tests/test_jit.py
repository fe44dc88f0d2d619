"""Compiled kernels: where nothing can be kept on disk, and what is compiled again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import NumbaWarning

from gistmark_engine import jit

CODE = """
import pyarrow as pa
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_batch
print(score_batch(pa.record_batch({"summary": ["a b"], "references": ["a c"]}), [rouge(("1",))])["rouge1_f1"].to_pylist())
"""


def test_scoring_works_and_warns_once_where_no_cache_can_be_written() -> None:
    """A cache directory beneath a file cannot be made by anyone, root included."""
    paths = os.pathsep.join(filter(None, sys.path))
    environment = os.environ | {"NUMBA_CACHE_DIR": os.devnull, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "[0.5]\n"), done.stderr
    assert done.stderr.count("Warning") == 1
    assert "every process will compile them again. Set NUMBA_CACHE_DIR" in done.stderr.replace("\n", " ")


def test_a_kernel_that_holds_an_address_works_and_is_not_kept() -> None:
    """As kernels may under NUMBA_OPT=0."""
    large = np.arange(1_000_000)

    def element(place):  # type: ignore[no-untyped-def]
        return large[place]

    element.__module__ = "gistmark_engine.kernels.means"
    with pytest.warns(NumbaWarning, match="Cannot cache"):
        assert jit.kernel(element)(3) == 3


@pytest.mark.parametrize("damage", [b"", b"\x80\x04half", b"no pickle at all"])
@pytest.mark.parametrize("files", ["*.nbc", "*.nbi", "*.nb?"])
def test_a_damaged_file_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, damage: bytes
) -> None:
    monkeypatch.setattr(jit, "cache_directory", lambda: tmp_path)

    def double(number):  # type: ignore[no-untyped-def]
        return 2 * number

    double.__module__ = "gistmark_engine.kernels.means"
    assert jit.kernel(double)(3) == 6
    for path in tmp_path.glob(files):
        path.write_bytes(damage)
    assert jit.kernel(double)(4) == 8
    whole = jit.kernel(double)
    assert (whole(5), sum(whole.stats.cache_hits.values())) == (10, 1)


def test_a_kernel_is_compiled_again_when_a_source_it_imports_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through any number of imports, of modules, of names and of packages; a source it does not import changes nothing."""
    monkeypatch.setattr(jit, "ENGINE", tmp_path)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "tokenizers").mkdir()
    for name, text in (
        (
            "kernels/one.py",
            "from gistmark_engine.kernels.two import (\n    a,\n)\nfrom gistmark_engine.tokenizers import b",
        ),
        ("kernels/two.py", "from gistmark_engine import three, other as o\nfrom gistmark_engine.kernels.one import c"),
        ("three.py", "THREE = 3"),
        ("tokenizers/__init__.py", ""),
        ("four.py", "FOUR = 4"),
    ):
        (tmp_path / name).write_text(text)
    seen = set()
    for changed, new in (
        ("four.py", False),
        ("three.py", True),
        ("kernels/two.py", True),
        ("tokenizers/__init__.py", True),
    ):
        jit._source_hash.cache_clear()
        seen.add(jit._source_hash("kernels.one"))
        before = len(seen)
        (tmp_path / changed).write_text((tmp_path / changed).read_text() + "\n# changed")
        jit._source_hash.cache_clear()
        seen.add(jit._source_hash("kernels.one"))
        assert len(seen) == before + new, changed
    jit._source_hash.cache_clear()
