"""Judges on the command line: a budget, a run that asks nothing, and the mark on a metric that failed too often."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from test_judge_openai import Server, completion, server

import gistmark as gm
from gistmark.cli import job, options
from gistmark.cli.table import render

__all__ = ["server"]

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


def test_a_persona_is_an_object_or_its_text_in_json_lines(cli: Run, server: Server, tmp_path: Path) -> None:
    server.handler = lambda *_: completion('{"satisfaction": 3}')
    persona = {"role": "nurse", "information_needs": ["doses"]}
    options = {"backend": server.url, "model": "m", "cache": tmp_path / "c.sqlite"}
    named = [part for name, value in options.items() for part in ("--set", f"annotator.{name}={value}")]
    for written in (persona, json.dumps(persona)):
        pairs, out = tmp_path / "pairs.jsonl", tmp_path / "scored.jsonl"
        rows = [{"summary": "s", "query": "q", "persona": said} for said in (written, None)]
        pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
        code, _, err = cli("score", pairs, "--metrics", "annotator", *named, "--output", out)
        assert (code, err) == (0, "")
        assert pl.read_ndjson(out)["judge_annotator"].to_list() == [3.0, None]
    assert len(server.bodies) == 1
    pairs.write_text('{"summary": "s", "query": "q", "persona": 5}\n')
    code, _, err = cli("score", pairs, "--metrics", "annotator", *named)
    assert (code, "column 'persona'" in err) == (2, True)


def test_more_than_five_in_a_hundred_failures_mark_a_metric() -> None:
    def scored(broken: int) -> pl.DataFrame:
        replies = iter([json.dumps({"overall": 4})] * (20 - broken) + ["?"] * broken)
        judge = gm.metrics.judge(
            gm.judges.Fake(lambda *_: next(replies)), dimensions=["overall"], retries=0, cache=False
        )
        frame = pl.DataFrame({"summary": [f"text {row}" for row in range(20)], "source": ["s"] * 20})
        return gm.summarise(gm.score(frame, [judge]), [judge])

    few, many = scored(1), scored(2)
    assert "! failed or truncated" not in render(few)
    assert [line.split()[-1] for line in render(many).splitlines() if "! failed" in line] == ["10.0%"]
    assert [table.select("failure_rate", "marked").unique().rows() for table in (few, many)] == [
        [(0.05, False)],
        [(0.1, True)],
    ]


def test_a_group_without_an_answer_has_no_failure_rate() -> None:
    judge = gm.metrics.judge(gm.judges.Fake(lambda *_: "?"), retries=0, cache=False)
    frame = pl.DataFrame({"summary": ["one", None], "source": ["s", "s"], "system": ["a", "b"]})
    table = gm.summarise(gm.score(frame, [judge]), [judge], by="system")
    assert table.select("system", "failure_rate", "marked").unique(maintain_order=True).rows() == [
        ("a", 1.0, True),
        ("b", None, None),
    ]
    assert [line.split()[-2:] for line in render(table, ("system",)).splitlines() if "! failed" in line] == [
        ["100.0%", "-"]
    ]


def test_a_template_and_schema_of_ones_own_from_file_to_table(cli: Run, server: Server, tmp_path: Path) -> None:
    """The example of docs/judges.md as a user has it: a file of pairs, a template file, a server, nothing in code."""
    pairs, template, out = (tmp_path / name for name in ("pairs.jsonl", "own.toml", "scored.parquet"))
    texts = ["plain", "bold", "prose", ""]
    pairs.write_text("".join(json.dumps({"summary": text, "query": "why?"}) + "\n" for text in texts))
    page = (Path(__file__).parents[1] / "docs" / "judges.md").read_text(encoding="utf-8")
    template.write_text(page.partition("```toml\n")[2].partition("```")[0])
    said = {
        "plain": '{"clarity": 85, "tone": "warm", "remark": "fine"}',
        "bold": '{"clarity": "**101**", "tone": "cold"}',
        "prose": "Clarity: 40, tone: mixed",
    }

    def handler(body: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        asked = body["messages"][-1]["content"]
        assert "how easily it is understood" in asked
        return completion(next(reply for text, reply in said.items() if f"\n{text}\n" in asked))

    server.handler = handler
    options = {
        "backend": server.url,
        "model": "own",
        "template": template,
        "retries": 1,
        "cache": tmp_path / "c.sqlite",
    }
    named = [part for name, value in options.items() for part in ("--set", f"judge.{name}={value}")]
    code, table, err = cli("score", pairs, "--metrics", "judge", *named, "--output", out)
    assert (code, err) == (0, "")
    frame = pl.read_parquet(out)
    assert frame["judge_clarity"].to_list() == [85, None, 40, None]
    assert frame["judge_tone"].to_list() == ["warm", "cold", "mixed", None]
    assert frame["judge_status"].to_list() == ["ok", "failed", "repaired", "empty_summary"]
    assert "judge (own): 1 ok, 1 repaired, 0 truncated, 1 failed; 4 calls made, 0 answered from the cache" in table
    assert any(line.split() == ["!", "failed", "or", "truncated", "25.0%"] for line in table.splitlines())
    shape = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert shape["properties"]["clarity"] == {"type": "integer", "minimum": 0, "maximum": 100}
    (job,) = gm.judges.Cache(tmp_path / "c.sqlite").jobs()
    assert job == ("judge", "own", {"ok": 1, "repaired": 1, "failed": 1, "calls": 4})
