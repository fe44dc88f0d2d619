"""The lines of the end table as estimates that can be made again from resampled rows, and their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gistmark_engine import resampling
from gistmark_engine.bootstrap import Bootstrap, percentiles
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Corpus, Metric
from gistmark_engine.resampling import Estimator, Quantile, Sums

Floats = NDArray[np.float64]
Method = Literal["bootstrap", "jackknife"]
Bounds = tuple[float | None, float | None]

METHODS: tuple[Method, ...] = ("bootstrap", "jackknife")
QUANTILES: Mapping[str, float] = {"q1": 0.25, "median": 0.5, "q3": 0.75}
NO_BOUNDS: Bounds = (None, None)


@dataclass(frozen=True, slots=True)
class Line:
    """One number of the end table: what it is of, the number (None of no values), and the rows behind it."""

    field: str
    statistic: str
    level: str | None
    value: float | None
    n: int
    n_null: int


@dataclass(frozen=True, slots=True)
class Intervals:
    """How the bounds of a number are found: by percentiles of bootstrap replicates, or by the jackknife's error."""

    method: Method
    bootstrap: Bootstrap

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"intervals must be one of {', '.join(METHODS)} or None, not {self.method!r}")

    def bounds(self, group: pl.DataFrame, metric: Metric, lines: Sequence[Line]) -> list[Bounds]:
        """Low and high of every line; None where a number has none."""
        estimators = [estimator(group, metric, line) for line in lines]
        if self.method == "jackknife":
            return [self._left_out(*pair) for pair in zip(estimators, lines, strict=True)]
        drawn = resampling.bootstrap(estimators, self.bootstrap.replicates, self.bootstrap.seed)
        return [percentiles(one, self.bootstrap.confidence)[:2] for one in drawn]

    def _left_out(self, found: Estimator, line: Line) -> Bounds:
        if isinstance(found, Quantile) or line.value is None:
            return NO_BOUNDS
        return resampling.jackknife(found, line.value, self.bootstrap.confidence) or NO_BOUNDS


def estimator(group: pl.DataFrame, metric: Metric, line: Line) -> Estimator:
    """How a line of `metric` follows from the rows of its group."""
    if line.statistic == "corpus" and metric.corpus is not None:
        return _corpus(group, metric, metric.corpus, line.field.removeprefix(metric.prefix))
    values = group[line.field]
    if line.statistic == "share":
        values = values.cast(pl.String) == line.level
    numbers = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if line.statistic in QUANTILES:
        return Quantile(numbers, QUANTILES[line.statistic])
    return Sums(_counted(numbers[:, None]), _mean)


def _corpus(group: pl.DataFrame, metric: Metric, corpus: Corpus, score: str) -> Sums:
    """The score of a corpus from the rows where all its statistics are there."""
    columns = group.select(pl.col(metric.prefix + name).cast(pl.Float64) for name in corpus.statistics)
    return Sums(_counted(columns.fill_null(float("nan")).to_numpy()), partial(_finish, corpus, score))


def _counted(columns: Floats) -> Floats:
    """The rows, zeros where a value is missing, and whether they count."""
    there: NDArray[np.bool_] = np.logical_not(np.isnan(columns).any(axis=1))
    return np.column_stack([np.where(there[:, None], columns, 0.0), there])


def _mean(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        means: Floats = sums[:, 0] / sums[:, 1]
    return means


def _finish(corpus: Corpus, score: str, sums: Floats) -> Floats:
    """The score of each corpus, NaN of one without rows."""
    named = (dict(zip(corpus.statistics, row[:-1].tolist(), strict=True)) if row[-1] else None for row in sums)
    found = [corpus.finish(row)[score] if row else None for row in named]
    return np.array([np.nan if value is None else value for value in found], np.float64)
