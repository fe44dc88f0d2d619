"""How metrics go together: Spearman's correlation of each with each, over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from gistmark.report.columns import Column
from gistmark.statistics import spearman

ROWS = 5000
"""Rows beyond which the correlations are those of an even sample."""


@dataclass(frozen=True, slots=True)
class Correlations:
    """A symmetric matrix of coefficients by name (None: undefined), over so many of the rows."""

    names: Sequence[str]
    matrix: Sequence[Sequence[float | None]]
    rows: int


def correlations(frame: pl.DataFrame, columns: Sequence[Column]) -> Correlations | None:
    """The coefficients of the fields that a table condenses, precision and recall left to their F1; None below two."""
    names = [column.name for column in columns if column.statistic and not _is_part(column, columns)]
    if len(names) < 2 or frame.height < 3:
        return None
    sample = frame.select(names).gather_every(-(-frame.height // ROWS)).cast(pl.Float64)
    pairs = list(combinations(range(len(names)), 2))
    series = [sample[name] for name in names]
    lists = pl.DataFrame({"x": [series[i] for i, _ in pairs], "y": [series[j] for _, j in pairs]})
    found = lists.select(spearman("x", "y")).unnest("spearman")["spearman"].to_list()
    matrix: list[list[float | None]] = [[1.0] * len(names) for _ in names]
    for (i, j), value in zip(pairs, found, strict=True):
        matrix[i][j] = matrix[j][i] = value
    return Correlations(names, matrix, sample.height)


def _is_part(column: Column, columns: Sequence[Column]) -> bool:
    """Whether it is the precision or recall of an F1 that is there."""
    stem, _, part = column.name.rpartition("_")
    return part in ("p", "r", "precision", "recall") and any(other.name == f"{stem}_f1" for other in columns)
