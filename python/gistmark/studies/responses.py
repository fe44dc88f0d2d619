"""How scores respond to the level of a perturbation: by document, by corpus, and over all corpora."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from gistmark.statistics import mean_interval, monotonicity, spearman
from gistmark.studies.documents import KEY
from gistmark.studies.perturbations import EXPECTED
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.metric import Metric
from gistmark_engine.ranks import DIRECTIONS, Mode

NanPolicy = Literal["omit", "propagate"]

CHAIN_OF = (*KEY, "perturbation", "generator")
FIELD = ("metric", "field", "polarity")


def long_scores(scored: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    """Scored chains as one row a level and field: the chain's key, level, metric, field, polarity, score (float64).

    Numeric fields that a table may condense. Scores where lower is better are negated, polarity "negated"; those
    without a direction stay as they are, "no_polarity"; else "as_is".
    """
    tables = []
    for metric in metrics:
        for name, field in metric.columns.items():
            if not field.is_score:
                continue
            polarity = {"higher": "as_is", "lower": "negated", None: "no_polarity"}[field.better]
            score = pl.col(name).cast(pl.Float64) * (-1.0 if polarity == "negated" else 1.0)
            labels = dict(zip(FIELD, (metric.prefix + metric.name, name, polarity), strict=True))
            tables.append(
                scored.select(*CHAIN_OF, "level", *(pl.lit(v).alias(k) for k, v in labels.items()), score=score)
            )
    return pl.concat(tables)


def by_document(scores: pl.DataFrame, stable_mode: Mode = "transition") -> pl.DataFrame:
    """One row a chain and field: expected direction, Spearman's correlation of score with level, and monotonicity.

    A null score drops its level from the correlation, and its two steps from the monotonicity. `stable_mode` says
    whether a stable score is compared with the level before ("transition") or with level 0 ("cumulative").
    """
    chains = (
        scores.sort("level", maintain_order=True)
        .group_by(*CHAIN_OF, *FIELD, maintain_order=True)
        .agg("level", "score")
        .with_columns(expected=pl.col("perturbation").replace_strict(EXPECTED, return_dtype=pl.Enum(DIRECTIONS)))
        .with_row_index("row")
        .with_columns(spearman("level", "score"))
        .unnest("spearman")
    )
    parts = []
    for direction in DIRECTIONS:
        mode: Mode = stable_mode if direction == "stable" else "transition"
        rows = chains.filter(pl.col("expected") == direction)
        parts.append(rows.with_columns(monotonicity("score", direction, mode=mode)).unnest("monotonicity"))
    return pl.concat(parts).sort("row").drop("row")


def by_corpus(documents: pl.DataFrame, bootstrap: Bootstrap, nan_policy: NanPolicy = "omit") -> pl.DataFrame:
    """Means over documents, corpus by corpus (scope "corpus") and over all (scope "pooled", corpus "all"; only where
    there are several): one row a perturbation, generator and field.

    spearman, spearman_low, spearman_high   mean over the documents where it is defined ("omit"; "propagate": null as
                                            soon as one is undefined) and its bootstrap interval over documents
    documents, n_defined, undefined_fraction   how many, in how many ρ is defined, and the share where it is not
    monotonicity, …_low, …_high, monotonicity_weak, tie_fraction   means over documents with a step to count
    """
    scopes = [documents.with_columns(scope=pl.lit("corpus"))]
    if documents["corpus"].n_unique() > 1:
        scopes.append(documents.with_columns(scope=pl.lit("pooled"), corpus=pl.lit("all")))
    keys = ["scope", "corpus", "perturbation", "generator", "expected", *FIELD]
    groups = pl.concat(scopes).group_by(keys, maintain_order=True)
    table = groups.agg(
        _interval("spearman", bootstrap),
        _interval("monotonicity", bootstrap),
        pl.col("monotonicity_weak", "tie_fraction").mean(),
        documents=pl.len(),
        n_defined=pl.col("spearman").count(),
    )
    flat = table.unnest("spearman", "monotonicity").with_columns(
        undefined_fraction=1 - pl.col("n_defined") / pl.col("documents")
    )
    if nan_policy == "omit":
        return flat
    whole = pl.col("n_defined") == pl.col("documents")
    return flat.with_columns(pl.when(whole).then(pl.col(f"spearman{end}")) for end in ("", "_low", "_high"))


def by_level(scores: pl.DataFrame) -> pl.DataFrame:
    """The mean score of each level, corpus by corpus: what a curve of score by level is drawn from.

    Short chains have no high levels: `n` says how many documents a mean rests on.
    """
    keys = ["corpus", "perturbation", "generator", *FIELD, "level"]
    return scores.group_by(keys).agg(pl.col("score").mean(), n=pl.col("score").count()).sort(keys)


def _interval(column: str, bootstrap: Bootstrap) -> pl.Expr:
    """A column's mean over the documents of a group and its interval, as a struct with the column's name."""
    mean = mean_interval(
        pl.col(column).implode(),
        replicates=bootstrap.replicates,
        confidence=bootstrap.confidence,
        seed=bootstrap.seed,
    )
    ends = {"mean": column, "mean_low": f"{column}_low", "mean_high": f"{column}_high"}
    return pl.struct(mean.struct.field(old).alias(new) for old, new in ends.items()).alias(column)
