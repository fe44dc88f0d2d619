"""The summary table: what every field condenses to, system by system, with intervals and the systems that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from gistmark.report.columns import Column, by_metric, finite
from gistmark.report.pairing import CONFIDENCE, replicates, worse
from gistmark.statistics import mean_interval


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, its interval (of a mean: bootstrap; of a median: the quartiles), whether no system has a better one, and
    whether the system is significantly worse than that one."""

    value: float | None
    low: float | None = None
    high: float | None = None
    is_best: bool = False
    is_worse: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A metric's table: a line a group, a cell a column."""

    metric: str
    columns: Sequence[Column]
    lines: Mapping[str, Sequence[Cell]]


def groups_of(frame: pl.DataFrame, by: str | None) -> dict[str, pl.DataFrame]:
    """The rows of every group in the order of their first appearance, all rows as one without `by`."""
    if by is None or frame.is_empty():
        return {"all rows": frame}
    groups: dict[str, pl.DataFrame] = {}
    for part in frame.partition_by(by, maintain_order=True):
        value = part[by][0]
        name = "(null)" if value is None else str(value)
        while name in groups:
            name += "′"
        groups[name] = part
    return groups


def overview(frame: pl.DataFrame, columns: Sequence[Column], by: str | None, pair: str | None) -> list[Table]:
    """A table a metric, of the fields that a table may condense.

    pair  the column by which the rows of two systems belong together, for the marks; None: no marks
    """
    groups = groups_of(frame, by)
    tables = []
    for metric, of_metric in by_metric(columns).items():
        shown = [column for column in of_metric if column.statistic]
        ranked = {column.name: _ranked(groups, column, pair) for column in shown}
        if shown:
            tables.append(Table(metric, shown, {g: [ranked[c.name][g] for c in shown] for g in groups}))
    return tables


def _ranked(groups: Mapping[str, pl.DataFrame], column: Column, pair: str | None) -> dict[str, Cell]:
    """The cells of a column, the best marked and those that are worse than it."""
    cells = _cells(groups, column)
    values = {group: cell.value for group, cell in cells.items() if cell.value is not None}
    if column.spec.better is None or len(values) < 2:
        return cells
    best = (max if column.spec.better == "higher" else min)(values, key=lambda group: values[group])
    behind = worse(groups, column, best, pair) if pair and column.statistic == "mean" else set()
    return {
        group: replace(cell, is_best=cell.value == values[best], is_worse=group in behind)
        for group, cell in cells.items()
    }


def _cells(groups: Mapping[str, pl.DataFrame], column: Column) -> dict[str, Cell]:
    """The numbers of a column by group."""
    values = {group: finite(rows, column) for group, rows in groups.items()}
    if column.statistic == "corpus":
        return {group: Cell(_corpus(rows, column)) for group, rows in groups.items()}
    if column.statistic == "median":
        return {
            group: Cell(_quantile(one, 0.5), _quantile(one, 0.25), _quantile(one, 0.75))
            for group, one in values.items()
        }
    lists = pl.DataFrame({"values": list(values.values())}, schema={"values": pl.List(pl.Float64)})
    draws = replicates(sum(rows.height for rows in groups.values()))
    found = lists.select(mean_interval("values", replicates=draws, confidence=CONFIDENCE)).unnest("mean")
    return {
        group: Cell(*numbers)
        for group, numbers in zip(values, found.select("mean", "mean_low", "mean_high").rows(), strict=True)
    }


def _corpus(rows: pl.DataFrame, column: Column) -> float | None:
    """The score of a whole group, from the sums of what its rows hold."""
    metric = column.metric
    if metric is None or metric.corpus is None:
        return None
    names = {name: metric.prefix + name for name in metric.corpus.statistics}
    complete = rows.drop_nulls(names.values())
    if complete.is_empty():
        return None
    return metric.corpus.finish({name: float(complete[place].sum()) for name, place in names.items()})[metric.name]


def _quantile(values: pl.Series, at: float) -> float | None:
    return values.quantile(at, "linear")
