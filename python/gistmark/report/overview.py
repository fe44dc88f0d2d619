"""The summary table: what every field condenses to, system by system, with intervals and the systems that differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from gistmark.comparison import compare
from gistmark.corrections import ADJUSTED
from gistmark.report.columns import Column, by_metric
from gistmark.report.groups import groups_of
from gistmark.summary import summarise

CONFIDENCE = 0.95
DRAWS = 20_000_000
"""Rows drawn for an interval at most: above 20,000 rows there are fewer than 1,000 replicates."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, its bootstrap interval, whether no group has a better one, and whether the group is significantly worse
    than that one."""

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


def replicates(rows: int) -> int:
    """How many bootstrap replicates a table of so many rows gets: 1,000, but at least 100 where it is long."""
    return max(100, min(1000, DRAWS // max(rows, 1)))


def overview(frame: pl.DataFrame, columns: Sequence[Column], by: str | None, pair: str | None) -> list[Table]:
    """A table a metric, of the fields that a table may condense.

    by    a column of texts without nulls, or None: all rows are one group
    pair  the column by which the rows of two groups belong together, for the marks; None: no marks
    """
    tables = []
    for metric, of_metric in by_metric(columns).items():
        shown = [column for column in of_metric if column.statistic]
        marked = [_marked(_cells(frame, column, by), frame, column, by, pair) for column in shown]
        if shown:
            groups = groups_of(frame, by)
            tables.append(Table(metric, shown, {group: [cells[group] for cells in marked] for group in groups}))
    return tables


def _cells(frame: pl.DataFrame, column: Column, by: str | None) -> dict[str, Cell]:
    """The numbers of a column by group."""
    draws = replicates(frame.height)
    end = summarise(frame, [column.alone], by, intervals="bootstrap", replicates=draws, confidence=CONFIDENCE)
    lines = end.filter(field=column.name, statistic=column.statistic).select("value", "low", "high").rows()
    groups = groups_of(frame, by)
    return {group: Cell(*line) for group, line in zip(groups, lines or [(None,)] * len(groups), strict=True)}


def _marked(
    cells: dict[str, Cell], frame: pl.DataFrame, column: Column, by: str | None, pair: str | None
) -> dict[str, Cell]:
    """The cells with the best marked, and those that are worse than it."""
    values = {group: cell.value for group, cell in cells.items() if cell.value is not None}
    if column.spec.better is None or len(values) < 2:
        return cells
    best = (max if column.spec.better == "higher" else min)(values, key=lambda group: values[group])
    behind = _worse(frame, column, by, best, pair) if by and pair else set()
    return {
        group: replace(cell, is_best=cell.value == values[best], is_worse=group in behind)
        for group, cell in cells.items()
    }


def _worse(frame: pl.DataFrame, column: Column, by: str, best: str, pair: str) -> set[str]:
    """The groups whose difference to `best` over shared texts chance does not explain, by paired bootstrap and Holm's
    correction over the groups."""
    enough = math.ceil(frame[by].n_unique() / (1 - CONFIDENCE))  # fewer could not tell any group from the best
    draws = max(replicates(frame.height), enough)
    found = compare(frame, [column.alone], by, best, pair=pair, replicates=draws, confidence=CONFIDENCE)
    tested = found.filter(field=column.name, statistic=column.statistic)
    return set(tested.filter(pl.col(ADJUSTED) < 1 - CONFIDENCE)[by])
