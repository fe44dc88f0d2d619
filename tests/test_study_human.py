"""`gistmark study human` on pairs with human scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from gistmark import files
from gistmark.cli import main

WORDS = [f"w{k}" for k in range(40)]


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """Six documents, five systems: the later a system, the more words of the reference it keeps."""
    draw = np.random.default_rng(1)
    rows = []
    for document in range(6):
        reference = draw.choice(WORDS, 20, replace=False)
        for system in range(5):
            kept = [word if draw.random() < 0.3 + 0.15 * system else "other" for word in reference]
            human = {"quality": 1.0 + system + float(draw.normal(0, 0.2)), "noise": float(draw.normal())}
            row = {"doc_id": f"d{document}", "system": f"s{system}", "summary": " ".join(kept)}
            rows.append(row | {"references": [" ".join(reference)], "human": json.dumps(human), "grade": system})
    pl.DataFrame(rows).write_parquet(tmp_path / "pairs.parquet")
    return str(tmp_path / "pairs.parquet")


def test_correlations_and_comparisons(pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    arguments = ["study", "human", pairs, "--output", str(out), "--human", "human,grade", "--replicates", "60"]
    assert main([*arguments, "--compare", "rouge1_f1,rouge2_f1"]) == 0
    page = capsys.readouterr().out
    assert page == (out / "table.md").read_text(encoding="utf-8")
    found = pl.read_parquet(out / "correlations.parquet")
    assert found["human"].unique(maintain_order=True).to_list() == ["quality", "noise", "grade"]
    row = found.filter(metric="rouge1_f1", human="quality", level="summary", coefficient="spearman").row(0, named=True)
    assert row["value"] > 0.8
    assert row["low"] <= row["value"] <= row["high"]
    compared = pl.read_parquet(out / "comparisons.parquet")
    assert compared.height == 6
    assert compared["p"].is_between(1 / 61, 1).all()
    assert sorted(path.name for path in out.glob("*.png")) == ["summary.png", "system.png"]
    assert main([*arguments, "--no-figures", "--output", str(tmp_path / "bare"), "--quiet"]) == 0
    assert not list((tmp_path / "bare").glob("*.png"))


def test_williams_between_systems(pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["study", "human", pairs, "--output", str(tmp_path / "out"), "--human", "human", "--replicates", "0"]
    assert main([*arguments, "--compare", "rouge1_f1,rouge2_f1", "--test", "williams"]) == 0
    compared = pl.read_parquet(tmp_path / "out" / "comparisons.parquet")
    assert compared.select("human", "level", "coefficient").rows() == [
        ("quality", "system", "pearson"),
        ("noise", "system", "pearson"),
    ]
    assert compared["p"].is_between(0, 1).all()
    capsys.readouterr()


@pytest.mark.parametrize("column", ["nothing", "empty"])
def test_without_human_scores_there_is_no_study(
    column: str, pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pl.read_parquet(pairs).with_columns(nothing=pl.lit(None, pl.Float64), empty=pl.lit(None, pl.String))
    frame.write_parquet(pairs)
    arguments = ["study", "human", pairs, "--output", str(tmp_path / "out"), "--human", column]
    assert main(arguments) == 2
    assert "there is no human score" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--human", ""], "--human is empty"),
        (["--human", ","], "',' names nothing"),
        (["--human", "humane"], "did you mean 'human'"),
        (["--human", "noise"], "the column 'human' holds objects that have it: --human human takes quality, noise"),
        (["--human", "summary"], "row 0: is no number"),
        (["--human", "grade", "--system", "model"], "there is no such column"),
        (["--human", "grade", "--compare", "rouge1_f1"], "--compare takes two fields"),
        (["--human", "human", "--document", "grade"], "occur twice"),
    ],
)
def test_refusals_are_one_line(
    pairs: str, extra: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["study", "human", pairs, "--output", str(tmp_path / "out"), "--replicates", "5", *extra]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_scores_are_the_same_from_every_format(pairs: str, ending: str, tmp_path: Path) -> None:
    frame = pl.read_parquet(pairs)
    if ending == "jsonl":
        frame = frame.with_columns(
            pl.col("human").str.json_decode(pl.Struct({"quality": pl.Float64, "noise": pl.Float64}))
        )
    files.write(frame, tmp_path / f"p.{ending}")
    out = tmp_path / ending
    options = ["--human", "human,grade", "--replicates", "0", "--no-figures", "--quiet"]
    assert main(["study", "human", str(tmp_path / f"p.{ending}"), "--output", str(out), *options]) == 0
    assert main(["study", "human", pairs, "--output", str(tmp_path / "same"), *options]) == 0
    found = [pl.read_parquet(folder / "correlations.parquet") for folder in (out, tmp_path / "same")]
    assert found[0].equals(found[1])


def test_summaries_without_a_score_are_counted(pairs: str, tmp_path: Path) -> None:
    frame = pl.read_parquet(pairs).with_row_index("row")
    gaps = frame.with_columns(
        grade=pl.when(pl.col("row") > 6).then("grade"), summary=pl.when(pl.col("row") < 29).then("summary")
    )
    gaps.drop("row").write_parquet(pairs)
    arguments = ["study", "human", pairs, "--output", str(tmp_path / "out"), "--human", "human,grade", "--quiet"]
    assert main([*arguments, "--replicates", "0", "--no-figures"]) == 0
    found = pl.read_parquet(tmp_path / "out" / "correlations.parquet").filter(metric="rouge1_f1", coefficient="pearson")
    counted = dict(found.select("human", "n_null").rows())
    assert counted == {"quality": 1, "noise": 1, "grade": 8}
    assert set(found.columns) >= {"n", "n_undefined"}


CELLS = {
    "no object": (['{"a": 1}', "[1]"], "column 'judged', row 1: no JSON object, and others are (found '[1]')"),
    "no JSON": (['{"a": 1}', "{"], "column 'judged', row 1: no JSON object: Expecting"),
    "no number": (['{"a": 1}', '{"a": "x"}'], "column 'judged', row 1: 'a' is no number (found 'x')"),
    "a key twice": (['{"a": 1, "a": 2}', None], "row 0: no JSON object: key 'a' occurs twice in one object"),
    "a name taken": (['{"grade": 1}', None], "there are two scores or columns called 'grade'"),
}


@pytest.mark.parametrize("case", CELLS)
def test_a_cell_without_a_score_is_named(
    case: str, pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells, message = CELLS[case]
    frame = pl.read_parquet(pairs).with_columns(judged=pl.Series([*cells, *[None] * 28]))
    frame.write_parquet(pairs)
    assert main(["study", "human", pairs, "--output", str(tmp_path / "out"), "--human", "judged"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("column", ["doc_id", "system"])
def test_a_row_that_no_one_can_place_is_refused(
    column: str, pairs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pl.read_parquet(pairs)
    frame.with_columns(pl.when(pl.int_range(30) != 4).then(column).alias(column)).write_parquet(pairs)
    assert main(["study", "human", pairs, "--output", str(tmp_path / "out"), "--human", "grade"]) == 2
    assert f"column '{column}', row 4: a null names no document or system" in capsys.readouterr().err
