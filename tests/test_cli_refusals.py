"""The command line refuses: in one line, with an exit code, leaving nothing half written."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from gistmark import files
from gistmark.cli import job, main
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError

SAMPLE = str(scitldr_sample())
GOOD = '{"summary": "a cat", "references": ["a cat sat", "cats"], "source": "a cat sat here"}\n'

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., subprocess.Popen[bytes]]


def bad(path: Path) -> dict[str, tuple[list[object], str]]:
    """Commands that are refused, with what is said."""
    (path / "bad.jsonl").write_text(GOOD + "{\n" + GOOD)
    (path / "number.jsonl").write_text(GOOD.replace('"a cat"', "7"))
    (path / "list.jsonl").write_text(GOOD + GOOD.replace('["a cat sat", "cats"]', "5"))
    (path / "mixed.csv").write_text('summary,references\na,"[""b"", 3]"\n')
    (path / "none.toml").write_text("rouge = 1\n")
    (path / "broken.toml").write_text("[rouge\n")
    return {
        "absent file": (["score", path / "absent.parquet"], "absent.parquet: no such file"),
        "unknown ending": (["score", path / "none.toml"], "unknown file ending '.toml'"),
        "malformed line": (["score", path / "bad.jsonl"], "bad.jsonl, line 2: not JSON"),
        "summary of numbers": (
            ["score", path / "number.jsonl"],
            "line 1: column 'summary' holds type number (found 7)",
        ),
        "references of the wrong shape": (
            ["score", path / "list.jsonl"],
            "line 2: column 'references' holds type number",
        ),
        "references that are a list of other things": (
            ["score", path / "mixed.csv"],
            "'references', row 0: not a JSON list of strings",
        ),
        "role without a column": (
            ["score", SAMPLE, "--metrics", "persona", "--dry-run"],
            "no such column for the persona role.*with --persona",
        ),
        "metric named twice": (["score", SAMPLE, "--metrics", "rouge,rouge"], "'rouge' is named twice"),
        "missing column": (["score", SAMPLE, "--summary", "sumary"], "'sumary'.*did you mean 'summary'"),
        "missing group": (["score", SAMPLE, "--by", "sytem"], "'sytem'.*did you mean 'system'"),
        "group that the table needs": (["score", SAMPLE, "--by", "references"], "'references': List(String)"),
        "unknown metric": (
            ["score", SAMPLE, "--metrics", "rogue"],
            "'rogue' (did you mean 'rouge'?); there are .*rouge",
        ),
        "unknown option": (["score", SAMPLE, "--set", "rouge.stm=true"], "no option 'stm' (did you mean 'stem'?)"),
        "wrong value": (["score", SAMPLE, "--set", "rouge.stem=x"], "rouge.stem takes true, yes, false, no, not 'x'"),
        "value refused by the metric": (["score", SAMPLE, "--set", "rouge.types=1,Q"], "'Q'"),
        "no value": (["score", SAMPLE, "--set", "rouge.stem"], "--set takes metric.option=value"),
        "option of another metric": (
            ["score", SAMPLE, "--metrics", "datastats", "--set", "rouge.stem=no"],
            "metric 'rouge' is not scored",
        ),
        "config that is no table": (["score", SAMPLE, "--config", path / "none.toml"], "'rouge' is no table"),
        "config that is no TOML": (["score", SAMPLE, "--config", path / "broken.toml"], "broken.toml"),
        "config and set": (["score", SAMPLE, "--config", "m", "--set", "a.b=c"], "leave out --metrics and --set"),
        "missing directory": (["score", SAMPLE, "--output", path / "no" / "o.csv"], "no does not exist"),
        "output directory": (["score", SAMPLE, "--output", path], "is a directory"),
        "output that the system refuses": (["score", SAMPLE, "--output", "/proc/o.parquet"], "cannot be written"),
        "output ending": (["score", SAMPLE, "--output", path / "o.doc"], "unknown file ending '.doc'"),
    }


@pytest.mark.parametrize("case", bad(Path("/tmp")))
def test_bad_input_is_refused_in_one_line(cli: Run, tmp_path: Path, case: str) -> None:
    arguments, message = bad(tmp_path)[case]
    before = set(tmp_path.iterdir())
    output = [] if "--output" in arguments else ["--output", tmp_path / "o.parquet"]
    code, out, err = cli(*arguments, *output)
    assert (code, out) == (2, "")
    assert err.startswith("gistmark: ")
    assert err.count("\n") == 1
    position = 0
    for part in message.split(".*"):
        position = err.find(part, position)
        assert position >= 0, err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "arguments", [[], ["score"], ["score", "x", "--threads", "0"], ["scroe"], ["score", "x", "--no"]]
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: gistmark" in capsys.readouterr().err


def test_a_column_that_is_there_is_not_overwritten(cli: Run, tmp_path: Path) -> None:
    cli("score", SAMPLE, "--output", tmp_path / "once.parquet", "--quiet")
    code, _, err = cli("score", tmp_path / "once.parquet", "--output", tmp_path / "twice.parquet")
    assert code == 2
    assert "rouge1_p" in err
    assert "prefix" in err
    assert not (tmp_path / "twice.parquet").exists()


def test_skipped_lines_are_counted(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(GOOD + "{\n" + GOOD + "x\n")
    code, out, err = cli("score", tmp_path / "t.jsonl", "--on-error", "skip", "--metrics", "rouge")
    assert code == 0
    assert err.startswith("gistmark: skipped 2 lines; the first: ")
    assert "line 2: not JSON" in err
    assert ["n", "2"] in [line.split() for line in out.splitlines()]


def test_a_bad_row_is_named_by_its_place_in_the_file(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = job.score

    def refuse(batch: pl.DataFrame | pl.LazyFrame, *rest: Any, **more: Any) -> pl.DataFrame:
        if isinstance(batch, pl.DataFrame) and "poison" in batch["summary"]:
            raise InputError(
                "cannot", metric="rouge", column="summary", row=batch["summary"].index_of("poison"), value="p"
            )
        return real(batch, *rest, **more)

    monkeypatch.setattr(job, "ROWS", 3)
    monkeypatch.setattr(job, "score", refuse)
    files.write(pl.DataFrame({"summary": ["a"] * 7 + ["poison"], "references": ["a"] * 8}), tmp_path / "t.parquet")
    code, _, err = cli("score", tmp_path / "t.parquet", "--output", tmp_path / "o.parquet")
    assert (code, err) == (2, "gistmark: metric 'rouge', column 'summary', row 7: cannot (found 'p')\n")
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def test_an_unexpected_error_leaves_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(files.Source, "batches", fail)
    with pytest.raises(RuntimeError, match="a defect"):
        main(["score", SAMPLE, "--output", str(tmp_path / "o.parquet")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing_half_written(
    cli_process: Start, tmp_path: Path, kind: signal.Signals, code: int
) -> None:
    big = tmp_path / "big.parquet"
    files.write(pl.concat([pl.read_parquet(SAMPLE)] * 100), big)
    process = cli_process("score", big, "--output", tmp_path / "o.parquet", stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not any(path.stat().st_size > 100_000 for path in tmp_path.glob(".o.parquet.*.part")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(kind)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["big.parquet"]
