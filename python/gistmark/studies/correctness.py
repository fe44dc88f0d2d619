"""Is what a summary says right? Mean of the ratings that authors gave to summaries of their own papers."""

from __future__ import annotations

import polars as pl

from gistmark.studies.marks import marks
from gistmark_engine.errors import InputError

RATINGS = {1: "false or misleading", 2: "partially accurate", 3: "mostly correct"}


def correctness(ratings: pl.DataFrame) -> pl.DataFrame:
    """Mean rating by system: system, correctness_mean (float64 in [1, 3], null without ratings), correctness_n.

    ratings  system and correctness: 1 false or misleading, 2 partially accurate, 3 mostly correct, or null (ignored)

    Cachola et al. 2020, human evaluation. Another value raises InputError with its row.
    """
    for column in ("system", "correctness"):
        if column not in ratings.columns:
            raise InputError("Correctness needs it, and it is not there", column=column)
    rating = pl.col("correctness")
    groups = ratings.with_columns(marks(ratings["correctness"], RATINGS)).group_by("system", maintain_order=True)
    return groups.agg(correctness_mean=rating.mean(), correctness_n=rating.count().cast(pl.Int64))
