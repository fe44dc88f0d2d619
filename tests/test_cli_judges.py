"""Judges on the command line: a budget, a run that asks nothing, and the mark on a metric that failed too often."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import gistmark as gm
from gistmark.cli import job, options
from gistmark.cli.table import render

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.parquet"
    pl.DataFrame({"summary": ["one", "two", "", None, "three"], "source": ["s"] * 5}).write_parquet(path)
    return path


def with_backend(monkeypatch: pytest.MonkeyPatch, backend: gm.judges.Fake, cache: Path) -> None:
    monkeypatch.setattr(
        options,
        "chosen",
        lambda *_: [gm.metrics.judge(backend, cache=cache), gm.metrics.factscore(backend, cache=cache)],
    )


def test_a_dry_run_counts_over_all_batches_and_asks_nothing(
    cli: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = gm.judges.Fake()
    with_backend(monkeypatch, backend, tmp_path / "cache.sqlite")
    monkeypatch.setattr(job, "ROWS", 2)
    code, out, _ = cli("score", pairs, "--dry-run", "--output", tmp_path / "o.parquet")
    assert code == 0
    assert "judge: 3 calls to make, 0 answered from the cache" in out
    assert "factscore: 6 calls to make" in out
    assert out.count("  system:\n") == out.count("  user:\n") == 2
    assert backend.calls == 0
    assert not (tmp_path / "o.parquet").exists()
    assert cli("score", pairs, "--quiet")[0] == 0
    assert "judge: 0 calls to make, 3 answered from the cache" in cli("score", pairs, "--dry-run")[1]


def test_a_budget_holds_for_all_judges_together(
    cli: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = gm.judges.Fake()
    with_backend(monkeypatch, backend, tmp_path / "cache.sqlite")
    code, _, err = cli("score", pairs, "--budget", "calls=4", "--output", tmp_path / "o.parquet")
    assert (code, backend.calls) == (2, 4)
    assert "the budget of 4 calls ends before the next call" in err
    assert not (tmp_path / "o.parquet").exists()
    with_backend(monkeypatch, backend, tmp_path / "cache.sqlite")
    assert cli("score", pairs, "--budget", "calls=5,tokens=100000", "--quiet")[0] == 0
    assert backend.calls == 9


@pytest.mark.parametrize("limit", ["5", "calls=", "calls=-1", "calls=1,pens=2"])
def test_a_budget_is_spelled_out(cli: Run, pairs: Path, limit: str) -> None:
    code, _, err = cli("score", pairs, "--metrics", "judge", "--budget", limit)
    assert (code, "calls=N, tokens=N or both" in err) == (2, True)


@pytest.mark.parametrize("option", [("--dry-run",), ("--budget", "calls=1")])
def test_options_of_judges_want_a_judge(cli: Run, pairs: Path, option: tuple[str, ...]) -> None:
    code, _, err = cli("score", pairs, "--metrics", "datastats", *option)
    assert (code, err) == (2, f"gistmark: {option[0]} is for judge metrics, and none is scored\n")


def test_a_server_can_be_named_by_option(cli: Run, pairs: Path, tmp_path: Path) -> None:
    named = ["--set", "judge.backend=http://localhost:9/v1", "--set", "judge.model=small"]
    kept = ["--set", f"judge.cache={tmp_path / 'c.sqlite'}"]
    code, out, _ = cli("score", pairs, "--metrics", "judge", *named, *kept, "--dry-run")
    assert (code, "judge: 3 calls" in out) == (0, True)


def test_more_than_five_in_a_hundred_failures_mark_a_metric() -> None:
    def table(broken: int) -> str:
        replies = iter([json.dumps({"overall": 4})] * (20 - broken) + ["?"] * broken)
        judge = gm.metrics.judge(
            gm.judges.Fake(lambda *_: next(replies)), dimensions=["overall"], retries=0, cache=False
        )
        frame = pl.DataFrame({"summary": [f"text {row}" for row in range(20)], "source": ["s"] * 20})
        return render(gm.summarise(gm.score(frame, [judge]), [judge]))

    assert "! failed or truncated" not in table(1)
    assert [line.split()[-1] for line in table(2).splitlines() if "! failed or truncated" in line] == ["10.0%"]
