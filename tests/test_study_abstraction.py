"""The abstraction study: published numbers, plain recomputation, files, figures and refusals."""

from __future__ import annotations

import json
import sys

import numpy as np
import polars as pl
import pytest
import scipy.stats

from gistmark.cli import main
from gistmark.studies.abstraction import RISKS, abstraction
from gistmark.studies.abstraction_paper import against_paper
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, OptionError

MODELS = {
    "google/pegasus-xsum": "Pegasus",
    "facebook/bart-large-cnn": "BART",
    "sshleifer/distilbart-cnn-12-6": "DistilBart",
}


@pytest.fixture(scope="module")
def xsum(shared):
    """The 50 documents of the paper's XSUM tables with every system that has them."""
    pairs = pl.read_parquet(shared / "data" / "xsum_abstractionstudy.parquet").rename({"candidate": "summary"})
    fifty = pairs.filter(system="huggingface_gen").head(50)["source"]
    return pairs.filter(pl.col("source").is_in(fifty.implode()))


@pytest.fixture(scope="module")
def study(xsum):
    return abstraction(xsum, preset="ra_sa_ar_paper")


def test_the_published_references_are_reproduced(study):
    """All of Table 4's XSUM row; Tables 5–8 rest on summaries that the cached ones are not."""
    table = against_paper(study, "XSUM", MODELS, "xsum_abstractionstudy")
    assert table.filter(table="table4")["agrees"].to_list() == [True] * 5
    assert table.filter(table="table4")["published"].to_list() == [3.55, 22.86, 8.77, 0.61, 0.39]
    assert table.filter(model="MT5")["found"].null_count() == table.filter(model="MT5").height > 0
    assert set(table["table"]) == {"table4", "table5", "table6", "table7", "table8"}
    other = table.filter(pl.col("table") != "table4").drop_nulls("found")
    assert 0 < other["agrees"].sum() < other.height
    assert table.filter(table="table8", field="risk").drop_nulls()["agrees"].all()


def test_against_paper_compares_to_the_printed_digits(study):
    exact = {"ra1": 3.5549, "ra2": 22.855, "raL": 8.7749, "c_r1": 0.6049, "novel": 0.395}
    close = study.references.with_columns(**{name: pl.lit(value) for name, value in exact.items()})
    moved = type(study)(**{name: getattr(study, name) for name in study.__slots__} | {"references": close})
    table = against_paper(moved, "XSUM", {}, "xsum_abstractionstudy").filter(table="table4")
    assert dict(table.select("field", "agrees").rows()) == {
        "ra1": True, "ra2": round(22.855, 2) == 22.86, "raL": True, "c_r": False, "novel": round(0.395, 2) == 0.39,
    }  # fmt: skip
    assert against_paper(study, "CNN/DM", MODELS, "absent")["found"].null_count() > 0
    with pytest.raises(OptionError, match="XSUM, CNN/DM, not of 'PubMed'"):
        against_paper(study, "PubMed", MODELS, "x")


def test_tables_are_numpys_and_scipys(study):
    scores, key = study.scores, {"system": "google/pegasus-xsum"}
    rows = scores.filter(**key)
    ratio = study.ratios.filter(**key).row(0, named=True)
    for kind in "12L":
        values = rows[f"ar{kind}"].drop_nulls().to_numpy()
        expected = np.quantile(values, [0.25, 0.5, 0.75])
        assert [ratio[f"ar{kind}{end}"] for end in ("_q1", "", "_q3")] == pytest.approx(expected, rel=1e-14)
        assert study.summaries.filter(**key)[f"sa{kind}"].item() == pytest.approx(
            rows[f"sa{kind}"].to_numpy().mean(), rel=1e-13
        )
    found = study.correlations.filter(rouge="rouge1_f1", ar="ar1", **key)
    for label, used in (("all", rows), ("unsaturated", rows.filter(~pl.col("ar1_saturated")))):
        line = found.filter(rows=label).row(0, named=True)
        x, y = used["rouge1_f1"].to_numpy(), used["ar1"].to_numpy()
        assert line["pearson"] == pytest.approx(scipy.stats.pearsonr(x, y).statistic, rel=1e-11)
        assert line["spearman"] == pytest.approx(scipy.stats.spearmanr(x, y).statistic, rel=1e-12)
        assert line["n"] == used.height
    assert found.filter(rows="all")["n"].item() > found.filter(rows="unsaturated")["n"].item()


def test_every_summary_has_one_class_or_none(study):
    sizes = study.scores.group_by("system", maintain_order=True).len()["len"]
    assert study.risks.select(pl.sum_horizontal(*RISKS, "unclassed")).to_series().to_list() == sizes.to_list()


def test_a_higher_exponent_widens_the_ratio(study):
    """(1 − c_S)^e / (1 − c_R)^e: a median under 1 falls with e, one over 1 rises; e = 3 is Table 6."""
    for (system,), rows in study.exponents.group_by("system"):
        values = rows.sort("exponent")["ar1"].to_list()
        assert values == sorted(values, reverse=values[0] < 1)
        assert values[2] == study.ratios.filter(system=system)["ar1"].item()


def test_documents_count_once_whatever_the_systems(study, xsum):
    assert study.references["n"].to_list() == [50]
    assert study.summaries["n"].sum() == xsum.height


def test_columns_are_needed_and_groups_are_not():
    pairs = pl.DataFrame(
        {"summary": ["a b c", "c d"], "references": ["a b x", "y z"], "source": ["a b c d", "c d e f"]}
    )
    found = abstraction(pairs)
    assert found.summaries.select("corpus", "system", "n").rows() == [("all", "all", 2)]
    for column in pairs.columns:
        with pytest.raises(InputError, match=f"column '{column}'"):
            abstraction(pairs.drop(column))
    with pytest.raises(InputError, match="no row to read"):
        abstraction(pairs.clear())


def test_the_command_writes_tables_and_goes_on(tmp_path, capsys):
    pairs = pl.read_parquet(scitldr_sample()).head(60)
    pairs.write_parquet(tmp_path / "pairs.parquet")
    arguments = ["study", "abstraction", str(tmp_path / "pairs.parquet"), "--output", str(tmp_path / "out")]
    assert main([*arguments, "--no-figures"]) == 0
    table = capsys.readouterr().out
    assert table == (tmp_path / "out" / "table.md").read_text()
    found = abstraction(pairs)
    for name in ("scores", "references", "summaries", "ratios", "risks", "combined", "correlations", "exponents"):
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(getattr(found, name)), name
    first = found.ratios.row(0, named=True)
    assert f"| {first['corpus']} | {first['system']} | {first['n']} | {first['ar1']:.4g} |" in table
    assert json.loads((tmp_path / "out" / "study.json").read_text())["metrics"] == found.signatures
    assert main([*arguments, "--no-figures"]) == 0
    assert capsys.readouterr().out == table
    assert main([*arguments, "--no-figures", "--stem"]) == 2
    assert "another study (metrics differ)" in capsys.readouterr().err


def test_five_figures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pl.read_parquet(scitldr_sample()).head(30).write_parquet(tmp_path / "pairs.parquet")
    assert main(["study", "abstraction", str(tmp_path / "pairs.parquet"), "--output", str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {
        "ra_by_article.png", "sa_by_article.png", "ar_by_system.png", "risks.png", "rouge_against_ar.png",
    }  # fmt: skip


def test_the_published_tables_stand_beside_on_request(tmp_path, capsys, xsum, study):
    """The kept documents under another corpus beside; the table is what `against_paper` returns."""
    pl.concat([xsum, xsum.head(2).with_columns(corpus=pl.lit("other"))]).write_parquet(tmp_path / "pairs.parquet")
    command = ["study", "abstraction", str(tmp_path / "pairs.parquet"), "--preset", "ra_sa_ar_paper", "--no-figures"]
    named = [text for system, model in MODELS.items() for text in ("--paper-model", f"{system}={model}")]
    asked = [*command, "--output", str(tmp_path / "out"), "--against-paper", "XSUM"]
    assert main([*asked, *named, "--paper-corpus", "xsum_abstractionstudy"]) == 0
    assert "| table4 |  | ra1 | 3.55 | 3.547 | True |" in capsys.readouterr().out.splitlines()
    expected = against_paper(study, "XSUM", MODELS, "xsum_abstractionstudy")
    found = pl.read_parquet(tmp_path / "out" / "against_paper.parquet")
    assert found.drop("found").equals(expected.drop("found"))
    refusals = {
        "several corpora, name the paper's: other, xsum_abstractionstudy": [*asked],
        "no corpus 'others' (did you mean 'other'?)": [*asked, "--paper-corpus", "others"],
        "no system 'bart'": [*asked, "--paper-corpus", "other", "--paper-model", "bart=BART"],
        "the paper has Pegasus, MT5, BART, DistilBart, not 'T5'": [
            *asked, "--paper-corpus", "other", "--paper-model", "google/pegasus-xsum=T5",
        ],
        "tables of XSUM, CNN/DM, not of 'PubMed'": [*asked[:-1], "PubMed"],
        "need --against-paper": [*command, "--output", str(tmp_path / "out"), "--paper-corpus", "x"],
    }  # fmt: skip
    for message, arguments in refusals.items():
        assert main(arguments) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(("study", "missing"), [("abstraction", "matplotlib"), ("preference", "statsmodels")])
def test_an_extra_that_is_missing_is_missed_before_the_work(tmp_path, capsys, monkeypatch, study, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["study", study, str(tmp_path / "absent.parquet"), "--output", str(tmp_path / "out")]) == 2
    assert "pip install 'gistmark[studies]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
