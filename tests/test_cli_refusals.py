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

import gistmark as gm
from gistmark import files
from gistmark.cli import job, main
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError

SAMPLE = str(scitldr_sample())
GOOD = '{"summary": "a cat", "references": ["a cat sat", "cats"], "source": "a cat sat here"}\n'

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., subprocess.Popen[bytes]]


FILES = {
    "bad.jsonl": GOOD + "{\n" + GOOD,
    "number.jsonl": GOOD.replace('"a cat"', "7"),
    "list.jsonl": GOOD + GOOD.replace('["a cat sat", "cats"]', "5"),
    "mixed.csv": 'summary,references\na,"[""b"", 3]"\n',
    "late.csv": 'summary,references\na,b\na,"[""b""]"\n',
    "twice.csv": "summary,references,summary\na,b,c\n",
    "twice.jsonl": GOOD + GOOD.replace("{", '{"summary": "b", '),
    "within.jsonl": GOOD.replace("{", '{"more": [{"x": 1, "x": 2}], '),
    "id.jsonl": GOOD.replace("{", '{"id": 1, ') + GOOD.replace("{", '{"id": "x", '),
    "test.txt": '{"article_id": 1}\n',
    "other.jsonl": '{"id": 1}\n',
    "none.toml": "rouge = 1\n",
    "broken.toml": "[rouge\n",
}
HERE = Path("HERE")
"""Stands for the test's own directory."""

REFUSED: dict[str, tuple[list[object], str]] = {
    "absent file": (["score", HERE / "absent.parquet"], "absent.parquet: no such file"),
    "unknown ending": (["score", HERE / "none.toml"], "unknown file ending '.toml'"),
    "malformed line": (["score", HERE / "bad.jsonl"], "bad.jsonl, line 2: not JSON"),
    "summary of numbers": (
        ["score", HERE / "number.jsonl"],
        "line 1: column 'summary' holds type number (found 7)",
    ),
    "references of the wrong shape": (
        ["score", HERE / "list.jsonl"],
        "line 2: column 'references' holds type number",
    ),
    "references that are a list of other things": (
        ["score", HERE / "mixed.csv"],
        "'references', row 0: not a JSON list of strings",
    ),
    "role without a column": (
        ["score", SAMPLE, "--metrics", "persona", "--dry-run"],
        "no such column for the persona role.*with --persona",
    ),
    "option set twice": (
        ["score", SAMPLE, "--set", "rouge.stem=no", "--set", "rouge.stem=yes"],
        "rouge.stem is set twice",
    ),
    "config that is not there": (
        ["score", SAMPLE, "--config", HERE / "no.toml"],
        "no.toml: cannot be read (No such file",
    ),
    "options of another engine": (["score", SAMPLE, "--gpus", "1"], "--actors and --gpus are of --engine ray"),
    "metrics that are none": (
        ["score", SAMPLE, "--metrics", ""],
        "--metrics is empty; say what it is, or leave it out",
    ),
    "metrics of commas": (["score", SAMPLE, "--metrics", " ,"], "' ,' names nothing"),
    "a group that is none": (["score", SAMPLE, "--by", ""], "--by is empty"),
    "a file that is none": (["score", ""], "a file's name is empty"),
    "a key twice": (["score", HERE / "twice.jsonl"], "twice.jsonl, line 2: key 'summary' occurs twice in one object"),
    "a key twice within": (["score", HERE / "within.jsonl"], "line 1: key 'x' occurs twice in one object"),
    "metric named twice": (["score", SAMPLE, "--metrics", "rouge,rouge"], "'rouge' is named twice"),
    "missing column": (["score", SAMPLE, "--summary", "sumary"], "'sumary'.*did you mean 'summary'"),
    "files of a pattern that the shell expands": (
        ["score", SAMPLE, SAMPLE],
        "one file too many.*one pattern in quotes",
    ),
    "missing group": (["score", SAMPLE, "--by", "sytem"], "'sytem'.*did you mean 'system'"),
    "group that the table needs": (["score", SAMPLE, "--by", "references"], "'references': List(String)"),
    "unknown metric": (
        ["score", SAMPLE, "--metrics", "rogue"],
        "'rogue' (did you mean 'rouge'?); there are .*rouge",
    ),
    "unknown option": (["score", SAMPLE, "--set", "rouge.stm=true"], "no option 'stm' (did you mean 'stem'?)"),
    "wrong value": (
        ["score", SAMPLE, "--metrics", "chrf", "--set", "chrf.lowercase=x"],
        "chrf.lowercase takes true, yes, false, no, not 'x'",
    ),
    "value refused by the metric": (["score", SAMPLE, "--set", "rouge.types=1,Q"], "'Q'"),
    "no value": (["score", SAMPLE, "--set", "rouge.stem"], "--set takes metric.option=value"),
    "option of another metric": (
        ["score", SAMPLE, "--metrics", "datastats", "--set", "rouge.stem=no"],
        "metric 'rouge' is not scored",
    ),
    "config that is no table": (["score", SAMPLE, "--config", HERE / "none.toml"], "'rouge' is no table"),
    "config that is no TOML": (["score", SAMPLE, "--config", HERE / "broken.toml"], "broken.toml"),
    "config and set": (["score", SAMPLE, "--config", "m", "--set", "a.b=c"], "leave out --metrics and --set"),
    "missing directory": (["score", SAMPLE, "--output", HERE / "no" / "o.csv"], "no does not exist"),
    "output directory": (["score", SAMPLE, "--output", HERE], "is a directory"),
    "output that the system refuses": (["score", SAMPLE, "--output", "/proc/o.parquet"], "cannot be written"),
    "output ending": (["score", SAMPLE, "--output", HERE / "o.doc"], "unknown file ending '.doc'"),
    "a reference that is a list among texts": (
        ["score", HERE / "late.csv"],
        "'references', row 1: a JSON list among texts",
    ),
    "two columns of one name": (
        ["score", HERE / "twice.csv"],
        "'summary': .*twice.csv, line 1: 2 columns are called so",
    ),
    "a column of several types": (
        ["score", HERE / "id.jsonl"],
        "line 2: column 'id' holds type text (found 'x') where earlier lines hold type number",
    ),
    "unknown data set": (
        ["score", "x", "--dataset", "arxif"],
        "'arxif' (did you mean 'arxiv'?); there are arxiv, pubmed",
    ),
    "unknown option of a data set": (
        ["score", "x", "--dataset", "arxiv", "--dataset-option", "splt=test"],
        "OPTION=VALUE for arxiv, of split, not 'splt=test'",
    ),
    "wrong option of a data set": (
        ["score", "x", "--dataset", "summeval", "--dataset-option", "annotators=all"],
        "summeval.annotators takes expert, turker, not 'all'",
    ),
    "options of no data set": (["score", "x", "--dataset-option", "split=test"], "needs --dataset"),
    "data set on standard input": (["score", "-", "--dataset", "arxiv"], "not from standard input"),
    "data set that is not there": (["score", HERE / "x.txt", "--dataset", "arxiv"], "x.txt: no such file or folder"),
    "data set in another form": (
        ["score", HERE / "other.jsonl", "--dataset", "summeval", "--metrics", "rouge"],
        "other.jsonl, line 1: there is no 'references'; there are id",
    ),
    "data set without summaries": (
        ["score", HERE / "test.txt", "--dataset", "arxiv", "--metrics", "rouge"],
        "no such column for the summary role",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_one_line(cli: Run, tmp_path: Path, case: str) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    arguments, message = REFUSED[case]
    arguments = [tmp_path.joinpath(*one.parts[1:]) if isinstance(one, Path) else one for one in arguments]
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


OTHERS: dict[str, tuple[list[str], str]] = {
    "confidence in percent": (
        ["compare", "{scored}", "--confidence", "95"],
        "confidence must lie between 0 and 1, such as 0.95",
    ),
    "seed below 0": (["compare", "{scored}", "--seed", "-1"], "seed must be at least 0"),
    "metric that was not scored": (
        ["compare", "{scored}", "--metrics", "bleu"],
        "metric 'bleu', column 'bleu': there is no such column; score the table with this metric first",
    ),
    "sessions that are not there": (
        ["study", "preference", "no.jsonl", "--output", "{out}"],
        "no.jsonl: cannot be read or written (No such file",
    ),
    "glossary that is no JSON": (
        ["study", "robustness", SAMPLE, "--output", "{out}", "--glossary", "{text}"],
        "not JSON: Expecting value",
    ),
    "rewrites that are no JSON": (
        ["study", "robustness", SAMPLE, "--output", "{out}", "--rewrites", "{text}"],
        "line 1: not JSON: Expecting value, character 1",
    ),
    "rewrites with a key twice": (
        ["study", "robustness", SAMPLE, "--output", "{out}", "--rewrites", "{twice}"],
        "line 1: key 'a' occurs twice in one object",
    ),
    "sessions with a key twice": (["study", "preference", "{twice}", "--output", "{out}"], "key 'a' occurs twice"),
    "replicates below 0": (
        ["study", "human", SAMPLE, "--human", "system", "--output", "{out}", "--replicates", "-4"],
        "replicates must be at least 0, not -4",
    ),
    "a table without rows": (["study", "robustness", "{none}", "--output", "{out}"], "none.csv: there is no row"),
    "metric to list": (["metrics", "rogue"], "'rogue' (did you mean 'rouge'?)"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_commands_refuse_in_one_line(cli: Run, tmp_path: Path, case: str) -> None:
    (tmp_path / "text").write_text("words\n")
    (tmp_path / "twice").write_text('{"a": 1, "a": 2}\n')
    (tmp_path / "none.csv").write_text("summary,references\n")
    row = {"system": "a", "doc_id": "1", "summary": "a cat", "references": "a cat"}
    files.write(gm.score(pl.DataFrame([row]), ["rouge"]), tmp_path / "scored.parquet")
    places = {name: tmp_path / name for name in ("text", "twice", "out")}
    places |= {"scored": tmp_path / "scored.parquet", "none": tmp_path / "none.csv"}
    arguments, message = OTHERS[case]
    code, out, err = cli(*(argument.format(**places) for argument in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


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


def test_skipped_lines_are_counted_by_reason(cli: Run, tmp_path: Path) -> None:
    seven = GOOD.replace('"a cat"', "7")
    (tmp_path / "t.jsonl").write_text(GOOD + "{\n" + GOOD + seven + "[3]\n" + seven.replace("7", "88"))
    code, out, err = cli("score", tmp_path / "t.jsonl", "--on-error", "skip", "--metrics", "rouge")
    path = tmp_path / "t.jsonl"
    assert code == 0
    assert err == (
        "gistmark: skipped 4 lines: 1 × not JSON: Expecting property name enclosed in double quotes "
        f"(first: {path}, line 2); 2 × column 'summary' holds type number, not text (first: {path}, line 4); "
        f"1 × not a JSON object (first: {path}, line 5)\n"
    )
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
