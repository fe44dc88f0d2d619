"""A robustness study set beside the correlations that the paper prints."""

from __future__ import annotations

import json
from importlib import resources

import polars as pl

OVERLAP = ("rouge1_f1", "rouge2_f1", "rougeL_f1", "bleu", "chrf", "meteor")
LENGTH_SENSITIVE = (*OVERLAP, "coverage", "density", "compression", "bertscore_f1")


def beside_paper(statistics: pl.DataFrame) -> pl.DataFrame:
    """One row a corpus, perturbation and field of which the paper gives Spearman's mean correlation with the level.

    statistics  of a `Study`
    Returns corpus, perturbation, field, paper_low and paper_high (one number twice, or the range it gives for several
    metrics and all corpora), spearman (here), inside (to two decimals). "Information Satisfaction", section 5: overlap
    metrics and compression under incremental addition, length-sensitive ones under lengthening. Documents and rewrites
    differ from the paper's: no equality is expected.
    """
    text = resources.files("gistmark.studies").joinpath("paper_tables.json").read_text(encoding="utf-8")
    paper = json.loads(text)["information_satisfaction"]["rq1"]
    low, high = paper["incremental_rho"]["overlap_and_compression"]
    lengthened = paper["lengthen_rho_overlap"]
    rows = [("incremental", name, low, high) for name in (*OVERLAP, "compression")]
    rows += [("lengthen", name, lengthened, lengthened) for name in LENGTH_SENSITIVE]
    printed = pl.DataFrame(rows, ["perturbation", "field", "paper_low", "paper_high"], orient="row")
    found = statistics.join(printed, on=["perturbation", "field"], maintain_order="left")
    inside = pl.col("spearman").round(2).is_between("paper_low", "paper_high")
    return found.select("corpus", *printed.columns, "spearman", inside.alias("inside"))
