"""What has no score, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from gistmark.report.columns import Column, by_metric
from gistmark.report.groups import groups_of

NULL = "null text"


@dataclass(frozen=True, slots=True)
class Fault:
    """A metric's rows that have a reason other than "ok", or no number in a field: which, why, how many by group."""

    metric: str
    field: str
    reason: str
    groups: Mapping[str, int]
    of: int

    @property
    def rows(self) -> int:
        """Rows of all groups."""
        return sum(self.groups.values())


def faults(frame: pl.DataFrame, columns: Sequence[Column], by: str | None) -> list[Fault]:
    """Every reason by metric, and the nulls that no reason accounts for by field; the metrics in their order."""
    found: dict[str, dict[tuple[str, str], dict[str, int]]] = {metric: {} for metric in by_metric(columns)}
    for group, rows in groups_of(frame, by).items():
        for metric, of_metric in by_metric(columns).items():
            status = next((column.name for column in of_metric if column.name.endswith("_status")), None)
            reasons = _reasons(rows, status)
            missing = _unexplained(rows, of_metric, status)
            lines = {("", reason): n for reason, n in reasons.items()} | {
                (name, "null"): n for name, n in missing.items()
            }
            for line, n in lines.items():
                found[metric].setdefault(line, {})[group] = n
    return [
        Fault(metric, *line, counts, frame.height) for metric, lines in found.items() for line, counts in lines.items()
    ]


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
