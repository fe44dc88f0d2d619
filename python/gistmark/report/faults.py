"""What has no score, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from gistmark.report.columns import Column, by_metric
from gistmark.report.groups import groups_of

NULL = "null text"


@dataclass(frozen=True, slots=True)
class Fault:
    """A metric's rows in one group that have a reason other than "ok", or no number in a field: which, why, how many."""

    metric: str
    group: str
    field: str
    reason: str
    rows: int
    of: int


def faults(frame: pl.DataFrame, columns: Sequence[Column], by: str | None) -> list[Fault]:
    """Every reason by metric and group, and the nulls that no reason accounts for by field."""
    found = []
    for group, rows in groups_of(frame, by).items():
        for metric, of_metric in by_metric(columns).items():
            status = next((column.name for column in of_metric if column.name.endswith("_status")), None)
            reasons = _reasons(rows, status)
            found += [Fault(metric, group, "", reason, n, rows.height) for reason, n in reasons.items()]
            missing = _unexplained(rows, of_metric, status)
            found += [Fault(metric, group, name, "null", n, rows.height) for name, n in missing.items()]
    return found


def _reasons(rows: pl.DataFrame, status: str | None) -> dict[str, int]:
    """Rows by reason, the commonest first."""
    if status is None:
        return {}
    reasons = rows[status].cast(pl.String).fill_null(NULL)
    return dict(reasons.filter(reasons != "ok").value_counts(sort=True).rows())


def _unexplained(rows: pl.DataFrame, columns: Sequence[Column], status: str | None) -> dict[str, int]:
    """Nulls by field among the rows whose status says that all is well, or of a metric that has none."""
    fine = rows if status is None else rows.filter(pl.col(status).cast(pl.String) == "ok")
    counts = {column.name: fine[column.name].null_count() for column in columns if column.statistic}
    return {name: n for name, n in counts.items() if n}
