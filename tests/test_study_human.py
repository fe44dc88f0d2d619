"""`gistmark study human` on pairs with human scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

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
        (["--human", ""], "there is no human score"),
        (["--human", "humane"], "there is no such column"),
        (["--human", "summary"], "no JSON objects of numbers"),
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
