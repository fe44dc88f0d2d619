"""Metrics that hold something are opened once before a job and closed once after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import gistmark as gm
from gistmark.cli import job, options
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.job import opened
from gistmark_engine.metric import Batch, Citation, Field, Metric, Values

PAIRS = {"summary": ["a", "b", "c", "d", "e"], "references": ["a"] * 5}
Run = Callable[..., tuple[int, str, str]]


class Diary:
    """A `run` that writes down what happens to it; it fails on the text "poison"."""

    def __init__(self) -> None:
        self.entries: list[str] = []
        self.threads: list[int] = []

    def open(self) -> None:
        self.entries.append("open")

    def close(self) -> None:
        self.entries.append("close")

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        if "poison" in batch.texts["summary"].to_pylist():
            raise InputError("cannot")
        self.entries.append(f"{batch.rows} rows")
        self.threads.append(batch.threads)
        return {"length": np.ones(batch.rows)}


def metric(run: Any) -> Metric:
    return Metric("diary", ("summary",), {"length": Field()}, run, Citation("none"))


def test_a_call_opens_and_closes_and_says_how_many_threads() -> None:
    diary = Diary()
    scored = gm.score(PAIRS, [metric(diary), gm.metrics.rouge()], threads=3)
    assert scored["length"] == [1.0] * 5
    assert (diary.entries, diary.threads) == (["open", "5 rows", "close"], [3])


def test_an_error_closes_what_was_opened() -> None:
    diary = Diary()
    with pytest.raises(InputError, match="cannot"):
        gm.score({"summary": ["poison"]}, [metric(diary)])
    assert diary.entries == ["open", "close"]

    class Broken(Diary):
        def open(self) -> None:
            super().open()
            raise OptionError("no such model")

    first, broken, last = Diary(), Broken(), Diary()
    with pytest.raises(OptionError, match="no such model"), opened([metric(first), metric(broken), metric(last)]):
        raise AssertionError("never reached")
    assert (first.entries, broken.entries, last.entries) == (["open", "close"], ["open", "close"], [])


def test_two_metrics_on_one_run_open_it_once() -> None:
    diary = Diary()
    gm.score(PAIRS, [metric(diary), metric(diary).prefixed("x_")])
    assert diary.entries == ["open", "5 rows", "5 rows", "close"]


@pytest.mark.parametrize("poison", [False, True])
def test_a_file_is_one_job_however_many_batches(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poison: bool
) -> None:
    diary = Diary()
    monkeypatch.setattr(job, "ROWS", 2)
    monkeypatch.setattr(options, "chosen", lambda *_: [metric(diary)])
    texts = [*PAIRS["summary"][:-1], "poison"] if poison else PAIRS["summary"]
    pl.DataFrame({"summary": texts}).write_parquet(tmp_path / "t.parquet")
    code, _, err = cli("score", tmp_path / "t.parquet", "--output", tmp_path / "o.parquet")
    assert (code, "cannot" in err) == ((2, True) if poison else (0, False))
    last = [] if poison else ["1 rows"]
    assert diary.entries == ["open", "2 rows", "2 rows", *last, "close"]


def test_a_query_leaves_open_what_its_batches_opened() -> None:
    diary = Diary()
    frame = pl.DataFrame(PAIRS).lazy().with_columns(gm.scores([metric(diary)], summary="summary"))
    assert frame.collect().height == 5
    assert diary.entries
    assert not {"open", "close"} & set(diary.entries)


def test_a_judge_without_a_model_is_refused_before_the_first_row(cli: Run, tmp_path: Path) -> None:
    pl.DataFrame({"summary": ["a"], "source": ["a"]}).write_parquet(tmp_path / "t.parquet")
    code, _, err = cli("score", tmp_path / "t.parquet", "--metrics", "judge", "--output", tmp_path / "o.parquet")
    assert code == 2
    assert "no model was named" in err
    assert "--set judge.backend=" in err
