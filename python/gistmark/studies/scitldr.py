"""The SciTLDR benchmark: one table by system, of ROUGE in percent, nuggets for length and Correctness.

Cachola et al. 2020, "TLDR: Extreme Summarization of Scientific Documents", Findings of EMNLP, sections 4–6, and the data
card of its release. The card scores a summary against each gold TLDR (the author's first) and lets ROUGE-1, ROUGE-2 and
ROUGE-L each take its own maximum. The released script lets ROUGE-1 choose the reference for all three, and its ROUGE-L
is the summary-level one over sentences that end where a full stop follows a space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from gistmark import metrics
from gistmark.catalogue import signature
from gistmark.score import score
from gistmark.studies.archive import digest, kept, open_archive
from gistmark.studies.correctness import correctness
from gistmark.studies.nuggets import NUGGETS, LengthUnit, Tie, nugget_ranks, nugget_scores
from gistmark.studies.scitldr_script import SCRIPT, script_scores
from gistmark.studies.scitldr_source import Setting, with_source
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric

PERCENT = 100.0
CARD = (
    metrics.rouge(scale=PERCENT, prefix="scitldr_"),
    metrics.rouge(scale=PERCENT, multi="mean", prefix="mean_"),
)
AUTHOR = (metrics.rouge(scale=PERCENT, multi="first", prefix="author_"),)
EVERY: tuple[Metric, ...] = (*CARD, *AUTHOR, SCRIPT)


@dataclass(frozen=True, slots=True)
class SciTLDR:
    """What a SciTLDR study found.

    table       a row a system: setting; n rows; `scitldr_rouge1`, `_rouge2`, `_rougeL` (the card's rule), `author_…` (the
                author's TLDR only), `mean_…` (mean over TLDRs), `script_…` (as the released script), all mean F1 in
                percent; n_null and author_n_null, rows that have none; with annotations mrr, mrr_papers,
                mrr_dropped (papers without all variants), mrr_empty (annotated summaries that are empty: they score 0,
                and are first only where all of a paper's score 0); correctness_mean, correctness_n
    scores      the pairs with all fields of the four ROUGEs
    signatures  of these, by prefix and name
    """

    table: pl.DataFrame
    scores: pl.DataFrame
    signatures: Mapping[str, str]


def scitldr(
    pairs: pl.DataFrame,
    *,
    setting: Setting = "abstract",
    force: bool = False,
    annotations: pl.DataFrame | None = None,
    variants: Sequence[str] | None = None,
    tie: Tie = "min",
    length_unit: LengthUnit = "words",
    output: str | Path | None = None,
    threads: int | None = None,
) -> SciTLDR:
    """The SciTLDR study of pairs with columns summary, references (the author's TLDR first) and optionally system.

    setting      what the systems read: "abstract"; "aic", abstract, introduction and conclusion; "full", refused
                 without `force`, because the data card calls it a mistake
    annotations  a row a judged summary: doc_id, system, summary and six nugget flags (see `nuggets`), and/or system and
                 correctness (see `correctness`); systems that are not among the pairs get a row of their own
    variants, tie, length_unit    of the nuggets' reciprocal ranks
    output       directory for study.json, scores.parquet and table.parquet; scores that are there are not made again
    """
    _check(pairs, setting, force)
    named = _named(with_source(pairs, setting))
    judged = [] if annotations is None else _judged(annotations, variants, tie, length_unit)
    make = partial(_scores, named, threads)
    if output is None:
        scores = make()
        return SciTLDR(_table(scores, judged, setting), scores, signature(EVERY))
    record = {
        "setting": setting,
        "pairs_sha256": digest(named),
        "annotations_sha256": None if annotations is None else digest(annotations),
        "nuggets": {"variants": variants, "tie": tie, "length_unit": length_unit},
    }
    directory = open_archive(output, "scitldr", EVERY, record)
    scores = kept(directory / "scores.parquet", make)
    table = kept(directory / "table.parquet", partial(_table, scores, judged, setting))
    return SciTLDR(table, scores, signature(EVERY))


def _check(pairs: pl.DataFrame, setting: str, force: bool) -> None:
    if setting == "full" and not force:
        raise OptionError(
            "setting 'full' is a mistake by the data card of SciTLDR; to have it all the same, force=True, or --force"
        )
    for column in ("summary", "references"):
        if column not in pairs.columns:
            raise InputError("the SciTLDR study reads it, and it is not there", column=column)
    if pairs.is_empty():
        raise InputError("the SciTLDR study has no row to read")


def _named(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with a system as string, "all" where there is none, and references as lists."""
    system = pl.col("system").cast(pl.String) if "system" in pairs.columns else pl.lit("all")
    named = pairs.with_columns(system=system)
    if named.schema["references"] != pl.String:
        return named
    return named.with_columns(references=pl.concat_list("references"))


def _scores(pairs: pl.DataFrame, threads: int | None) -> pl.DataFrame:
    """The pairs with the fields of all four ROUGEs."""
    author = pairs.select("summary", pl.col("references").list.first())
    alone = score(author, AUTHOR, threads=threads).drop(author.columns)
    return pl.concat([score(pairs, CARD, threads=threads), alone, script_scores(pairs, threads)], how="horizontal")


def _table(scores: pl.DataFrame, judged: Sequence[pl.DataFrame], setting: Setting) -> pl.DataFrame:
    """Mean F1 by system, and beside it what annotators found."""
    means = [
        pl.col(f"{rule}_rouge{'Lsum' if (rule, kind) == ('script', 'L') else kind}_f1")
        .mean()
        .alias(f"{rule}_rouge{kind}")
        for rule in ("scitldr", "author", "mean", "script")
        for kind in ("1", "2", "L")
    ]
    nulls = [
        pl.col(f"{rule}_rouge1_f1").null_count().cast(pl.Int64).alias(name)
        for rule, name in (("scitldr", "n_null"), ("author", "author_n_null"))
    ]
    rows = pl.len().cast(pl.Int64).alias("n")
    table = scores.group_by("system", maintain_order=True).agg(rows, *means, *nulls)
    for part in judged:
        table = table.join(part, on="system", how="full", coalesce=True, maintain_order="left_right")
    return table.select("system", pl.lit(setting).alias("setting"), pl.exclude("system"))


def _judged(
    annotations: pl.DataFrame, variants: Sequence[str] | None, tie: Tie, length_unit: LengthUnit
) -> list[pl.DataFrame]:
    """MRR and Correctness by system, those of the two that the annotations have columns for."""
    if "system" not in annotations.columns:
        raise InputError("annotations name the system they judge, and it is not there", column="system")
    if annotations.is_empty():
        raise InputError("the annotations have no row")
    named = annotations.with_columns(pl.col("system").cast(pl.String))
    parts = []
    if any(name in named.columns for name in NUGGETS):
        scored = nugget_scores(named, length_unit)
        ranks, dropped = nugget_ranks(scored, variants, tie)
        empty = scored.group_by("system").agg(
            mrr_empty=(pl.col("nugget_status") == "empty_summary").sum().cast(pl.Int64)
        )
        papers = pl.len().cast(pl.Int64)
        means = ranks.group_by("system", maintain_order=True).agg(
            mrr=pl.col("reciprocal_rank").mean(), mrr_papers=papers
        )
        counted = means.with_columns(mrr_dropped=pl.lit(dropped, pl.Int64))
        parts.append(counted.join(empty, on="system", how="left", maintain_order="left"))
    if "correctness" in named.columns:
        parts.append(correctness(named))
    if not parts:
        raise InputError(f"annotations hold neither a column 'correctness' nor nuggets: {', '.join(NUGGETS)}")
    return parts
