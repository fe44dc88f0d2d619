"""`gistmark study preference` from sessions on disk to tables and figures."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from gistmark.cli import main
from gistmark.studies.alphas import Judged
from gistmark.studies.decisions import Threshold
from gistmark.studies.preference import preference
from gistmark.studies.preference_figures import save_figures
from gistmark.studies.sessions import summaries_frame, write
from gistmark.studies.simulator import simulate
from gistmark_engine.bootstrap import Bootstrap

pytest.importorskip("statsmodels", reason="statsmodels is not installed (extra studies)")
TABLES = ("alphas", "families", "sensitivity", "win_rates", "odds", "beside_paper")


@pytest.fixture
def sessions(tmp_path: Path) -> str:
    write(simulate(6, 4, seed=3), tmp_path / "sessions.jsonl")
    return str(tmp_path / "sessions.jsonl")


def test_a_study_from_the_command_line(sessions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["study", "preference", sessions, "--output", str(tmp_path / "out"), "--replicates", "50"]
    assert main([*arguments, "--no-figures"]) == 0
    table = capsys.readouterr().out
    assert table == (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
    assert "| coverage | automatic | default |" in table
    assert "personalised, model-a" in table
    assert "Metrics against each other" not in table
    frames = {name: pl.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in TABLES}
    assert {"coverage", "summary_length", "sa1"} <= set(frames["alphas"]["metric"])
    assert frames["alphas"].filter(metric="summary_length", threshold="zero", reading="merged")["alpha"].item() > 0
    assert frames["odds"].filter(form="paired").height == 5
    other = [*arguments[:-1], "0", "--base", "model-b", "--no-figures"]
    assert main(other) == 2
    assert "holds another study (settings differ)" in capsys.readouterr().err
    assert main([str(tmp_path / "other") if part == str(tmp_path / "out") else part for part in other]) == 0
    assert "personalised, model-b" in capsys.readouterr().out.split("## Odds ratios")[1].splitlines()[4]


def test_metrics_are_compared_where_wanted(sessions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "study",
        "preference",
        sessions,
        "--output",
        str(tmp_path / "out"),
        "--replicates",
        "20",
        "--no-figures",
    ]
    assert main([*arguments, "--compare", "coverage,density", "--ridge", "1"]) == 0
    assert "| coverage | density | merged |" in capsys.readouterr().out
    assert pl.read_parquet(tmp_path / "out" / "comparisons.parquet").height == 2


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--compare", "coverage"], "--compare takes two fields"),
        (["--compare", "coverage,covrage"], "compare names 'covrage'"),
        (["--ridge", "-1"], "ridge is a precision above 0"),
        (["--metrics", "rouge"], "metric 'rouge' needs references"),
        (["--metrics", "rouje"], "unknown metric 'rouje'"),
        (["--base", "gpt"], "compares two models, 'gpt' one of them"),
    ],
)
def test_refusals_are_one_line(
    sessions: str, extra: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "preference", sessions, "--output", str(tmp_path / "out"), *extra]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_figures_are_pictures_and_repeat(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra studies)")
    made = simulate(6, 4, seed=3)
    scored = summaries_frame(made).with_columns(words=pl.col("summary").str.split(" ").list.len().cast(pl.Int64))
    columns = [Judged("words", "automatic", Threshold(3.0))]
    study = preference(made, scored, columns, "model-a", bootstrap=Bootstrap(50))
    paths = save_figures(study, tmp_path / "one")
    assert [path.name for path in paths] == ["alphas.png", "win_rates.png", "sensitivity.png"]
    for path, again in zip(paths, save_figures(study, tmp_path / "two"), strict=True):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert path.read_bytes() == again.read_bytes()
        assert path.stat().st_size > 5000
