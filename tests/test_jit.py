"""Compiled kernels where nothing can be kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys

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
