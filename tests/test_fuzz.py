"""Rubbish in: every metric gives a result of its declared kind, every loader a table or an error of ours; never a crash."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from running import params

import gistmark as gm
from gistmark import files
from gistmark_engine.metric import Metric

HERE = Path(__file__).parent
CORPUS = HERE / "data" / "hostile_texts.jsonl"
TEXTS = [json.loads(line)["text"] for line in CORPUS.read_text(encoding="utf-8").splitlines()]
PERSONA = '{"role": "nurse"}'
FILES = pl.DataFrame({"summary": ["a", None, "é漢字"], "references": [["x", None], None, []], "source": ["s"] * 3})
ENDINGS = [".parquet", ".arrow", ".jsonl", ".csv", ".jsonl.gz"]

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
rubbish = settings(quick, max_examples=250)


def rows(texts: list[str], shift: int) -> pl.DataFrame:
    """Each text beside another, and beside references with and without it."""
    turned = texts[shift:] + texts[:shift]
    references = [[a, None, b][: row % 4] for row, (a, b) in enumerate(zip(turned, texts, strict=True))]
    roles = {"summary": texts, "references": references, "source": turned}
    schema = {"references": pl.List(pl.String)}
    return pl.DataFrame(roles, schema_overrides=schema).with_columns(query=pl.lit("q"), persona=pl.lit(PERSONA))


@pytest.mark.parametrize("metric", params(only=lambda metric: metric.needs not in ("syntax", "models")))
@pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
def test_hostile_texts_are_scored_alike_in_any_company(metric: Metric) -> None:
    for shift in (1, 11):
        frame = rows(TEXTS, shift).select(metric.inputs)
        whole = gm.score(frame, [metric])
        for name, spec in metric.columns.items():
            if spec.dtype in ("float64", "int64"):
                assert whole[name].drop_nulls().cast(pl.Float64).is_finite().all()
        alone = pl.concat([gm.score(row, [metric], threads=2) for row in frame.iter_slices(5)])
        assert_frame_equal(alone, whole, check_exact=True)


@quick
@given(st.lists(st.sampled_from(TEXTS) | st.text(max_size=9), min_size=1, max_size=6), st.integers(0, 4000))
@pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
def test_hostile_texts_run_together_and_cut_anywhere(parts: list[str], length: int) -> None:
    text = "".join(parts)[:length]
    frame = rows([text, text + " ", text[::-1], "a " + text], 1)
    metrics = [gm.metrics.rouge(("1", "2", "L", "Lsum"), stem=True), gm.metrics.datastats()]
    scored = gm.score(frame, metrics)
    again = gm.score(pl.concat([frame, frame]), metrics, threads=3)
    assert_frame_equal(again, pl.concat([scored, scored]), check_exact=True)


@pytest.mark.skipif(sys.platform != "linux", reason="pages are guarded by mprotect")
def test_kernels_touch_nothing_beyond_texts_and_arrays(tmp_path: Path) -> None:
    """Without a C compiler: beyond texts only."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    if compiler := shutil.which("cc"):
        library = tmp_path / "guarded_malloc.so"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "guarded_malloc.c"], check=True)
        environment["LD_PRELOAD"] = str(library)
    command = [sys.executable, str(HERE / "guarded.py"), str(CORPUS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-500:]}"
    found = json.loads(done.stdout)
    assert (found["texts"], found["differ"]) == (len(TEXTS), [])
    assert bool(found["pages"]) == bool(compiler)


@st.composite
def damage(draw: st.DrawFn) -> tuple[str, list[tuple[int, bytes]], int]:
    """An ending, what is written over which places of a good file, and where it is then cut."""
    overwrite = st.tuples(st.integers(0, 4000), st.binary(min_size=1, max_size=6))
    return draw(st.sampled_from(ENDINGS)), draw(st.lists(overwrite, max_size=4)), draw(st.integers(1, 8000))


@rubbish
@given(damage())
@example((".parquet", [(-8, b"\xff\xff\xff\x7f")], 10_000))
@example((".parquet", [(-4, b"PARE")], 10_000))
@example((".csv", [(0, b"\r")], 1))
@example((".csv", [(0, b"\r")], 2))
@example((".arrow", [(-10, b"\x00\x00\x00\x70")], 10_000))
def test_damaged_files_are_read_or_refused(tmp_path: Path, damaged: tuple[str, list[tuple[int, bytes]], int]) -> None:
    ending, places, length = damaged
    path = tmp_path / f"t{ending}"
    files.write(FILES, path)
    content = bytearray(path.read_bytes())
    for place, written in places:
        at = place % len(content)
        content[at : at + len(written)] = written
    path.write_bytes(bytes(content[:length]))
    with suppress(gm.InputError):
        files.load(path).write_ndjson(tmp_path / "readable.jsonl")


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deeply_nested_json_is_refused(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "t.jsonl"
    for value in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        path.write_text('{"references": "a", "summary": ' + value + "}\n")
        with pytest.raises(gm.InputError, match=r"line 1|'summary'"):
            gm.score(path, ["rouge"])
