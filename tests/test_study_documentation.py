"""The numbers of the studies' pages, computed again."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from gistmark.catalogue import resolve
from gistmark.studies.abstraction import abstraction
from gistmark.studies.abstraction_paper import against_paper
from gistmark.studies.responses import by_corpus, by_document, long_scores
from gistmark.studies.robustness import Settings, robustness
from gistmark_datasets import scitldr_sample
from gistmark_engine.bootstrap import Bootstrap

DOCS = Path(__file__).parents[1] / "docs"
LINES = (DOCS / "robustness.md").read_text(encoding="utf-8").splitlines()
METRICS = ["rouge", "datastats"]
FIELDS = ("rouge1_f1", "rouge2_f1", "rougeL_f1", "coverage", "density", "compression", "summary_length", "novel_1gram")


def settings(**options):
    pytest.importorskip("punkt")
    return Settings(split="punkt", bootstrap=Bootstrap(0), **options)


@pytest.fixture(scope="module")
def pairs():
    return pl.read_parquet(scitldr_sample())


def rows_of(study):
    """The study's lines as the page has them."""
    for field in FIELDS:
        cells = []
        for name in ("distractor", "incremental", "lengthen", "shorten"):
            row = study.statistics.filter(field=field, perturbation=name).row(0, named=True)
            verdict = row["verdict"].replace("_", " ")
            cells.append(f"{row['spearman']:.2f} / {row['monotonicity']:.2f} {verdict}")
        yield f"| {' | '.join([field, *cells])} |"


def test_the_table_of_our_own_metrics(pairs):
    study = robustness(pairs, METRICS, settings=settings())
    assert set(rows_of(study)) <= set(LINES)
    sizes = dict(study.statistics.select("perturbation", "documents").unique().rows())
    assert sizes == {"distractor": 618, "incremental": 30, "lengthen": 618, "shorten": 70}


def test_the_table_of_lay_summaries(shared):
    articles = pl.read_parquet(shared / "data" / "lay_elife.parquet").rename({"candidate": "summary"})
    study = robustness(articles, METRICS, settings=settings())
    assert set(rows_of(study)) <= set(LINES)
    sizes = dict(study.statistics.select("perturbation", "documents").unique().rows())
    assert sizes == {"distractor": 10, "incremental": 10, "lengthen": 10, "shorten": 8}


@pytest.mark.parametrize("text", ["reference", "abstract"])
@pytest.mark.parametrize(("first", "label"), [(0, "level 0 empty"), (1, "level 0 left out")])
def test_the_readings_of_incremental_addition(pairs, text, first, label):
    documents = pairs.unique("doc_id", keep="first", maintain_order=True)
    grown = documents.with_columns(summary=pl.col("source"))
    base = {"reference": "reference", "abstract": "system"}[text]
    study = robustness(grown, METRICS, ["incremental"], settings=settings(base=base))
    scores = long_scores(study.scores.filter(pl.col("level") >= first), resolve(METRICS))
    means = by_corpus(by_document(scores), Bootstrap(0)).filter(corpus=documents["corpus"][0])
    fields = ("rouge1_f1", "rouge2_f1", "rougeL_f1", "compression")
    cells = [f"{means.filter(field=field)['spearman'].item():.2f}" for field in fields]
    assert f"| {' | '.join([f'{text}, {label}', *cells])} |" in LINES


def test_the_cells_that_agree_with_the_published_tables(shared):
    pairs = pl.read_parquet(shared / "data" / "xsum_abstractionstudy.parquet").rename({"candidate": "summary"})
    fifty = pairs.filter(system="huggingface_gen").head(50)["source"]
    used = pairs.filter(pl.col("source").is_in(fifty.implode()))
    models = {"google/pegasus-xsum": "Pegasus", "facebook/bart-large-cnn": "BART"}
    models["sshleifer/distilbart-cnn-12-6"] = "DistilBart"
    study = abstraction(used, preset="ra_sa_ar_paper")
    table = against_paper(study, "XSUM", models, "xsum_abstractionstudy").drop_nulls("found")
    lines = (DOCS / "abstraction.md").read_text(encoding="utf-8")
    for name, agree, cells in table.group_by("table").agg(pl.col("agrees").sum(), pl.len()).rows():
        assert f"| {name} | {agree} of {cells} |" in lines
    sizes = dict(study.summaries.select("system", "n").rows())
    assert [sizes[system] for system in models] == [44, 49, 49]
    medians = dict(study.ratios.select("system", pl.col("ar1").round(2)).rows())
    assert [medians[system] for system in models] == [0.63, 0.0, 0.0]
