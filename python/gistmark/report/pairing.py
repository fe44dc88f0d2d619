"""Which rows of two systems belong together, and by that which system is worse than another."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from gistmark.report.columns import Column
from gistmark.statistics import mean_interval

KEYS = ("doc_id", "id", "source")
CONFIDENCE = 0.95
DRAWS = 20_000_000
"""Rows drawn for an interval at most: above 20,000 rows there are fewer than 1,000 replicates."""


def pairing(frame: pl.DataFrame, by: str | None) -> str | None:
    """The first of `KEYS` that names a row within its group; None: no row can be told to be another's counterpart."""
    if by is None:
        return None
    there = [key for key in KEYS if key in frame.columns and key != by]
    return next((key for key in there if not frame.select(by, key).is_duplicated().any()), None)


def replicates(rows: int) -> int:
    """How many bootstrap replicates a table of so many rows gets: 1,000, but at least 100 where it is long."""
    return max(100, min(1000, DRAWS // max(rows, 1)))


def worse(groups: Mapping[str, pl.DataFrame], column: Column, best: str, key: str) -> set[str]:
    """The groups worse than `best`: the bootstrap interval of the mean difference over shared documents excludes 0."""
    others = [name for name in groups if name != best]
    gaps = [_gaps(groups[name], groups[best], column, key) for name in others]
    lists = pl.DataFrame({"gaps": gaps}, schema={"gaps": pl.List(pl.Float64)})
    draws = replicates(sum(rows.height for rows in groups.values()))
    bounds = lists.select(mean_interval("gaps", replicates=draws, confidence=CONFIDENCE)).unnest("mean")
    bad = pl.col("mean_high") < 0 if column.spec.better == "higher" else pl.col("mean_low") > 0
    return {name for name, is_worse in zip(others, bounds.select(bad).to_series(), strict=True) if is_worse}


def _gaps(rows: pl.DataFrame, best: pl.DataFrame, column: Column, key: str) -> pl.Series:
    """By how much each row's number exceeds that of its counterpart among the best."""
    both = rows.select(key, ours=column.name).join(best.select(key, theirs=column.name), on=key)
    gaps = both.select(pl.col("ours") - pl.col("theirs")).to_series()
    return gaps.filter(gaps.is_finite())
