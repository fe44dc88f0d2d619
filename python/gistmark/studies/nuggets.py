"""Which summary says the most for its length? Mean reciprocal rank of length-normalised nugget counts.

Cachola et al. 2020, "TLDR: Extreme Summarization of Scientific Documents", human evaluation: annotators tick which of six kinds
of information a summary holds. Neither the length unit nor the rule for ties is published: both are options here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from gistmark.studies.marks import marks
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import STATUSES

Tie = Literal["min", "average", "max", "dense"]
LengthUnit = Literal["words", "chars", "tokens"]

NUGGETS = (
    "area_field_topic",
    "problem_motivation",
    "mode_of_contrib",
    "details_descrip",
    "results_findings",
    "value_signif",
)
FLAGS = {0: "absent", 1: "present"}
TIES: tuple[Tie, ...] = ("min", "average", "max", "dense")
LENGTHS: dict[LengthUnit, pl.Expr] = {
    "words": pl.col("summary").str.count_matches(r"\S+"),
    "chars": pl.col("summary").str.len_chars(),
    "tokens": pl.col("summary").str.to_lowercase().str.count_matches("[a-z0-9]+"),
}
KEYS = ("doc_id", "system")


def nugget_scores(annotations: pl.DataFrame, length_unit: LengthUnit = "words") -> pl.DataFrame:
    """Nuggets per unit of length, a row an annotation, as `nugget_score` (float64, at least 0) and `nugget_status`.

    annotations  doc_id, system (the variant), summary, and the six columns of `NUGGETS`: true or false, 1 or 0
    length_unit  "words" between white space; "chars"; "tokens": ROUGE's, runs of ASCII letters and digits

    A null in any of these gives null ("undefined"), a summary of length 0 gives 0 ("empty_summary"). A flag that is
    neither raises InputError with its column, row and value.
    """
    if length_unit not in LENGTHS:
        raise OptionError(f"length_unit must be one of {', '.join(LENGTHS)}, not {length_unit!r}")
    for column in (*KEYS, "summary", *NUGGETS):
        if column not in annotations.columns:
            raise InputError("the nugget annotations need it, and it is not there", column=column)
    flags = pl.DataFrame([marks(annotations[column], FLAGS) for column in NUGGETS])
    count = flags.select(pl.sum_horizontal(pl.all(), ignore_nulls=False)).to_series()
    length = LENGTHS[length_unit].cast(pl.Float64)
    score: pl.Expr = pl.when(length > 0).then(count / length).otherwise(0.0 * count + 0.0 * length)
    filled = pl.when(length == 0).then(pl.lit("empty_summary")).otherwise(pl.lit("ok"))
    status = pl.when(score.is_null()).then(pl.lit("undefined")).otherwise(filled)
    return annotations.with_columns(nugget_score=score, nugget_status=status.cast(pl.Enum(STATUSES)))


def nugget_ranks(
    scores: pl.DataFrame, variants: Sequence[str] | None = None, tie: Tie = "min"
) -> tuple[pl.DataFrame, int]:
    """Reciprocal ranks, a row a paper and variant, and how many papers were dropped.

    scores    from `nugget_scores`; several rows of one paper and variant are averaged first
    variants  those compared; None: all that occur. A paper that lacks one, or has it only undefined, is dropped.
    tie       the rank of equals: "min" (1, 1, 3), "max" (2, 2, 3), "average" (1.5, 1.5, 3), "dense" (1, 1, 2)

    Columns: doc_id, system, nugget_score, reciprocal_rank in [1 / variants, 1].
    """
    if tie not in TIES:
        raise OptionError(f"tie must be one of {', '.join(TIES)}, not {tie!r}")
    there = scores["system"].drop_nulls().unique(maintain_order=True).to_list()
    wanted = there if variants is None else list(dict.fromkeys(variants))
    if unknown := [name for name in wanted if name not in there]:
        raise OptionError(f"no annotations of variant {unknown[0]!r}; there are {', '.join(map(str, there))}")
    compared = scores.filter(pl.col("system").is_in(wanted), pl.col("doc_id").is_not_null())
    means = compared.group_by(KEYS, maintain_order=True).agg(pl.col("nugget_score").mean())
    whole = means.filter(pl.col("nugget_score").count().over("doc_id") == len(wanted))
    rank = pl.col("nugget_score").rank(tie, descending=True).over("doc_id")
    dropped = means["doc_id"].n_unique() - whole["doc_id"].n_unique()
    return whole.with_columns(reciprocal_rank=1 / rank.cast(pl.Float64)), dropped
