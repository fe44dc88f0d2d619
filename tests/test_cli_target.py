"""Where the output of commands goes: a file, standard output, never over an input or into what is read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import gistmark as gm
from gistmark import files
from gistmark_datasets import scitldr_sample

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """A scored table and, beside it, the same by a link of either kind."""
    files.write(gm.score(pl.read_parquet(scitldr_sample()).head(30), ["rouge"]), tmp_path / "in" / "s.parquet")
    (tmp_path / "soft.parquet").symlink_to(tmp_path / "in" / "s.parquet")
    os.link(tmp_path / "in" / "s.parquet", tmp_path / "hard.parquet")
    return tmp_path / "in" / "s.parquet"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()


COMMANDS: dict[str, list[str]] = {
    "score": ["score", "{}", "--metrics", "datastats"],
    "compare": ["compare", "{}"],
    "report": ["report", "{}"],
    "bench": ["bench", "{}", "--against", "rouge_score"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("named", ["in/s.parquet", "in/*.parquet", "soft.parquet"])
@pytest.mark.parametrize("output", ["in/s.parquet", "soft.parquet", "hard.parquet", "in/../in/s.parquet"])
def test_no_input_is_overwritten(cli: Run, scored: Path, tmp_path: Path, command: str, named: str, output: str) -> None:
    before = scored.read_bytes()
    arguments = [one.format(tmp_path / named) for one in COMMANDS[command]]
    code, out, err = cli(*arguments, "--output", tmp_path / output)
    assert (code, out) == (2, "")
    assert f"--output {tmp_path / output} would overwrite the input {tmp_path}" in err
    assert scored.read_bytes() == before


def test_a_file_of_a_study_is_not_overwritten_by_a_report(cli: Run, scored: Path, tmp_path: Path) -> None:
    cli("study", "human", scored, "--human", "rouge1_f1", "--metrics", "datastats", "--output", tmp_path / "study",
        "--replicates", 0, "--no-figures")  # fmt: skip
    code, _, err = cli("report", tmp_path / "study", "--output", tmp_path / "study" / "correlations.parquet")
    assert code == 2
    assert "would overwrite the input" in err
    for _ in range(2):
        assert cli("report", tmp_path / "study", "--output", tmp_path / "study" / "report.html", "--quiet")[0] == 0


def test_a_folder_of_a_data_set_is_not_written_over(cli: Run, tmp_path: Path) -> None:
    line = {"article_id": "1", "article_text": ["a cat"], "abstract_text": ["<S> a cat </S>"]}
    path = tmp_path / "in" / "test.jsonl"
    path.write_text(json.dumps(line) + "\n")
    code, _, err = cli("score", tmp_path / "in", "--dataset", "arxiv", "--output", path)
    assert code == 2
    assert "would overwrite the input" in err


@pytest.mark.parametrize("output", ["in/new.parquet", "in/parts/", "in/"])
def test_nothing_is_written_into_what_is_read(cli: Run, scored: Path, tmp_path: Path, output: str) -> None:
    code, _, err = cli("score", scored.parent, "--metrics", "datastats", "--output", f"{tmp_path}/{output}")
    assert code == 2
    assert "would be read with it the next time" in err or "holds the input" in err
    assert list((tmp_path / "in").iterdir()) == [scored]
    assert (
        cli("score", scored.parent, "--metrics", "datastats", "--output", tmp_path / "in" / "o.csv", "--quiet")[0] == 0
    )


@pytest.mark.parametrize("command", ["compare", "report", "bench"])
@pytest.mark.parametrize("output", ["new/", "in/", "in"])
def test_a_folder_is_no_file(cli: Run, scored: Path, tmp_path: Path, command: str, output: str) -> None:
    arguments = [one.format(scored) for one in COMMANDS[command]]
    code, _, err = cli(*arguments, "--output", f"{tmp_path}/{output}")
    assert code == 2
    assert "is called as a folder" in err or "is a directory" in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("command", ["score", "compare", "bench"])
def test_data_go_to_standard_output_and_the_table_aside(cli: Run, scored: Path, command: str) -> None:
    _, out, err = cli(*(one.format(scored) for one in COMMANDS[command]), "--output", "-")
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == {"score": 30, "compare": 27, "bench": 0}[command]
    assert "|" in err


def test_a_page_goes_to_standard_output(
    cli: Run, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, page, err = cli("report", scored, "--output", "-")
    assert (code, page.startswith("<!doctype html>"), page.rstrip().endswith("</html>")) == (0, True, True)
    assert err.startswith("-: ")
    assert not Path("-").exists()


def test_a_study_does_not(cli: Run, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for study in (["scitldr"], ["human", "--human", "rouge1_f1", "--metrics", "datastats"], ["robustness"]):
        code, out, err = cli("study", study[0], scored, *study[1:], "--output", "-")
        assert (code, out) == (2, "")
        assert "a study is a directory of files" in err
    assert not Path("-").exists()
