"""`gistmark report`: files in, one page out, and refusals in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from elements import Elements

import gistmark as gm
from gistmark import files
from gistmark_datasets import scitldr_sample

METRICS = ["rouge", "datastats", "abstraction"]
SIGNED = list(gm.signature(METRICS).values())


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    return gm.score(pl.read_parquet(scitldr_sample()).head(300), METRICS)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv", "jsonl"])
def test_the_command_reads_what_score_writes(
    cli: Callable[..., tuple[int, str, str]], scored: pl.DataFrame, tmp_path: Path, ending: str
) -> None:
    files.write(scored.head(30), tmp_path / f"s.{ending}", signatures=SIGNED)
    code, _, err = cli("report", tmp_path / f"s.{ending}", "--output", tmp_path / "r.html", "--title", "A & B")
    assert (code, err) == (0, "")
    text = (tmp_path / "r.html").read_text()
    assert "<title>A &amp; B</title>" in text
    assert (SIGNED[0] in text) == (ending in ("parquet", "arrow"))
    data = json.loads(Elements(text).data)
    assert data["scores"]["rouge1_f1"] == [float(f"{value:.6g}") for value in scored["rouge1_f1"].head(30)]
    assert len(data["references"][0]) == len(scored["references"][0])


def test_files_without_systems_are_told_apart_by_name(
    cli: Callable[..., tuple[int, str, str]], scored: pl.DataFrame, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        files.write(scored.head(9).drop("system"), tmp_path / f"{name}.parquet")
    (tmp_path / ".r.html.1234abcd.part").write_bytes(b"what a killed process left")
    cli("report", tmp_path / "one.parquet", tmp_path / "two.parquet", "--output", tmp_path / "r.html")
    assert set(json.loads(Elements((tmp_path / "r.html").read_text()).data)["group"]) == {"one", "two"}
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{scored}", "--output", "nowhere/r.html"], "nowhere does not exist"),
        (["{scored}", "--output", ""], "--output is empty"),
        (["{scored}", "--output", "{folder}/"], "is called as a folder"),
        (["{scored}", "--output", "{scored}"], "would overwrite the input"),
        (["absent.parquet", "--output", "{page}"], "no such file"),
        (["{folder}", "--output", "{page}"], "holds no study"),
        (["{scored}", "--output", "{page}", "--by", "sytem"], "did you mean 'system'"),
        (["{scored}", "--output", "{page}", "--rows", "-1"], "--rows takes a number of rows"),
        (["{scored}", "--output", "{page}", "--summary", "decoded"], "no such column for the summary role"),
    ],
)
def test_wrong_usage_is_one_line(
    cli: Callable[..., tuple[int, str, str]], scored: pl.DataFrame, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    files.write(scored.head(3), tmp_path / "s.parquet")
    places: dict[str, Any] = {
        "scored": tmp_path / "s.parquet",
        "folder": tmp_path / "empty",
        "page": tmp_path / "r.html",
    }
    code, out, err = cli("report", *(argument.format(**places) for argument in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "r.html").exists()


ENDINGS = ("csv", "jsonl", "arrow")


def test_files_of_several_formats_are_one_table(
    cli: Callable[..., tuple[int, str, str]], scored: pl.DataFrame, tmp_path: Path
) -> None:
    """Numbers that CSV has as text, and single references beside lists."""
    one = scored.with_columns(year=pl.lit(2020), references=pl.col("references").list.first())
    for ending, (_, part) in zip(ENDINGS, one.group_by("system", maintain_order=True), strict=True):
        listed = part if ending == "csv" else part.with_columns(references=pl.concat_list("references"))
        files.write(listed, tmp_path / f"{ending}.{ending}")
    paths = [tmp_path / f"{ending}.{ending}" for ending in ENDINGS]
    assert cli("report", *paths, "--output", tmp_path / "r.html", "--quiet") == (0, "", "")
    files.write(one.with_columns(references=pl.concat_list("references")), tmp_path / "whole.parquet")
    cli("report", tmp_path / "whole.parquet", "--output", tmp_path / "w.html", "--quiet")
    mixed, whole = (json.loads(Elements((tmp_path / name).read_text()).data) for name in ("r.html", "w.html"))
    assert set(mixed["group"]) == set(whole["group"])
    for name in whole["scores"]:
        assert sorted(map(str, mixed["scores"][name])) == sorted(map(str, whole["scores"][name]))
    texts = [{data["texts"][at] for each in data["references"] for at in each} for data in (mixed, whole)]
    assert texts[0] == texts[1]


CLASHES = {
    "no number": (
        {"rouge1_f1": pl.lit("good")},
        "column 'rouge1_f1', row 0: is no number in {odd} (found 'good')",
    ),
    "no text": ({"doc_id": pl.lit([1])}, "column 'doc_id': List(Int64) in {odd} but String in {fine}"),
}


@pytest.mark.parametrize("case", CLASHES)
def test_what_does_not_go_together_is_named_by_file_and_column(
    cli: Callable[..., tuple[int, str, str]], scored: pl.DataFrame, tmp_path: Path, case: str
) -> None:
    changes, message = CLASHES[case]
    fine, odd = tmp_path / "fine.parquet", tmp_path / "odd.parquet"
    files.write(scored.head(9), fine)
    files.write(scored.head(9).with_columns(**changes), odd)
    code, out, err = cli("report", fine, odd, "--output", tmp_path / "r.html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message.format(odd=odd, fine=fine) in err


def test_a_file_named_twice_is_refused(cli: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    pl.DataFrame({"summary": ["a"], "rouge1_f1": [1.0]}).write_parquet(tmp_path / "s.parquet")
    code, _, error = cli("report", tmp_path / "s.parquet", tmp_path / "s.parquet", "--output", tmp_path / "r.html")
    assert (code, "is named twice" in error) == (2, True)
