"""`gistmark study robustness`: its files, its table, its figures and what it refuses."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from gistmark.cli import main
from gistmark.studies.robustness import Settings, robustness
from gistmark.studies.robustness_table import markdown
from gistmark_datasets import scitldr_sample
from gistmark_engine.bootstrap import Bootstrap

SAMPLE = str(scitldr_sample())
COMMON = ["--metrics", "rouge", "--set", "rouge.types=1", "--sample", "6", "--levels", "3", "--replicates", "50"]


@pytest.fixture
def run(capsys):
    """Run the study; exit code, standard output, standard error."""

    def run_it(*arguments):
        code = main(["study", "robustness", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run_it


def test_the_command_writes_what_the_function_returns(run, tmp_path):
    code, table, _ = run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)
    assert code == 0
    settings = Settings(levels=3, sample=6, bootstrap=Bootstrap(50))
    import gistmark as gm

    study = robustness(pl.read_parquet(SAMPLE), [gm.metrics.rouge(types=("1",))], settings=settings)
    assert table == markdown(study) == (tmp_path / "table.md").read_text()
    for name in ("chains", "dropped", "scores", "responses", "statistics", "sensitivity", "overall", "curves"):
        assert pl.read_parquet(tmp_path / f"{name}.parquet").equals(getattr(study, name)), name
    assert run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)[1] == table


def test_the_table_says_what_the_numbers_are(run, tmp_path):
    _, table, _ = run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)
    row = pl.read_parquet(tmp_path / "statistics.parquet").filter(field="rouge1_f1", perturbation="distractor")
    rho, share = row["spearman"].item(), row["monotonicity"].item()
    line = next(line for line in table.splitlines() if "| rouge1_f1 |" in line)
    assert re.search(rf"ρ {rho:.2f} \[.*\], M {share:.2f}: pass \|", line)
    assert "distractor (decrease)" in table
    assert "lengthen: by proxy, 6 documents." in table
    assert "incremental" not in table.split("##")[1].split("\n\n")[1] or "one_sentence" in table
    assert "rouge|multi:max" in table
    assert "ρ ≥ 0.5" in table


def test_figures_are_drawn_and_the_same_again(run, tmp_path):
    pytest.importorskip("matplotlib")
    pictures = []
    for name in ("one", "two"):
        assert run(SAMPLE, *COMMON, "--output", tmp_path / name)[0] == 0
        pictures.append({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.png")})
    assert pictures[0] == pictures[1]
    assert set(pictures[0]) == {"heatmap.png", "curves_rouge.png"}
    assert all(picture.startswith(b"\x89PNG") for picture in pictures[0].values())


def test_columns_are_renamed_and_a_glossary_is_read(run, tmp_path):
    pairs = pl.read_parquet(SAMPLE).rename({"summary": "candidate"}).with_columns(summary=pl.lit("not this"))
    pairs.write_parquet(tmp_path / "pairs.parquet")
    (tmp_path / "words.json").write_text(json.dumps({"learning": "teaching", "neural": "brain-like"}))
    done = run(
        tmp_path / "pairs.parquet", *COMMON, "--summary", "candidate", "--base", "system", "--split", "newline",
        "--perturbations", "audience", "--glossary", tmp_path / "words.json", "--no-figures", "--output", tmp_path / "out",
    )  # fmt: skip
    assert done[0] == 0, done[2]
    chains = pl.read_parquet(tmp_path / "out" / "chains.parquet")
    assert chains.height > 0
    assert "not this" not in chains["summary"].to_list()
    assert chains.filter(pl.col("level") > 0)["summary"].str.contains("eaching|rain-like").all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--perturbations", "shuffle"], "unknown perturbation 'shuffle'"),
        (["--perturbations", "audience"], "needs a glossary"),
        (["--rho-cut", "2"], "between 0 and 1"),
        (["--levels", "0"], "at least 1"),
        (["--metrics", "ruge"], "did you mean|rouge"),
        (["--summary", "candidat"], "no such column for the summary role"),
        (["--glossary", "absent.json"], "absent.json"),
        (["--rewrites", "absent.jsonl"], "absent.jsonl"),
    ],
)
def test_a_users_error_is_one_line(run, tmp_path, arguments, message):
    code, out, error = run(SAMPLE, "--sample", 3, *arguments, "--no-figures", "--output", tmp_path / "out")
    assert (code in (1, 2), out) == (True, "")
    assert re.search(message, error)
    assert error.count("\n") == 1
