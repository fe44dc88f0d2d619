"""Rows that a metric gives no answer, or only part of one, and when there are too many of them to pass over."""

import polars as pl

ALARM = 0.05
"""Share of failures above which a metric is marked."""

LOST = ("failed", "truncated")
"""The statuses that are failures."""


def failure_rate(statuses: pl.Series) -> float | None:
    """The share of failures among the statuses that are not null; None of none."""
    known = statuses.drop_nulls()
    return float(known.cast(pl.String).is_in(LOST).sum()) / len(known) if len(known) else None
