"""One metric of a system beside its baseline's: differences, their intervals, and the p of chance alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gistmark.estimates import Line, estimator
from gistmark.lines import lines_of
from gistmark_engine import resampling
from gistmark_engine.bootstrap import Bootstrap, percentiles
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.resampling import Estimator

Method = Literal["bootstrap", "randomisation"]
METHODS = ("bootstrap", "randomisation")

Cells = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """How a difference is put to the test: by which resampling, how often, under whose rule for p."""

    method: Method
    bootstrap: Bootstrap
    parity: bool

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        if self.bootstrap.replicates < 1:
            raise OptionError("a comparison needs at least 1 replicate")

    def alone(self, table: pl.DataFrame, metric: Metric) -> Iterator[Cells]:
        """The lines of a baseline: its numbers and their intervals."""
        lines = _tested(table, metric)
        drawn = self._drawn(_estimators(table, metric, lines))
        for line, own in zip(lines, drawn, strict=True):
            yield self._cells(line, own, (None,) * 4)

    def against(self, table: pl.DataFrame, base: pl.DataFrame, metric: Metric) -> Iterator[Cells]:
        """The lines of a system beside its baseline's; row i of both tables is of the same text. One text tells nothing of
        chance: no bounds of the difference and no p."""
        table, base = _common(table, base, metric)
        lines, others = _tested(table, metric), _tested(base, metric)
        own, theirs = _estimators(table, metric, lines), _estimators(base, metric, others)
        drawn, others_drawn = self._drawn(own), self._drawn(theirs)
        exchanged = self._exchanged(own, theirs)
        for at, (line, other) in enumerate(zip(lines, others, strict=True)):
            if line.value is None or other.value is None:
                yield self._cells(line, drawn[at], (None,) * 4)
                continue
            difference = line.value - other.value
            differences = drawn[at] - others_drawn[at]
            bounds = percentiles(differences, self.bootstrap.confidence)[:2]
            if line.n < 2:
                yield self._cells(line, drawn[at], (difference, None, None, None))
                continue
            p = self._p(differences if exchanged is None else exchanged[at], difference)
            if p is not None and not self.parity:
                p = max(p, resampling.least_p(own[at], theirs[at]))
            yield self._cells(line, drawn[at], (difference, *bounds, p))

    def _drawn(self, estimators: Sequence[Estimator]) -> NDArray[np.float64]:
        return resampling.bootstrap(estimators, self.bootstrap.replicates, self.bootstrap.seed)

    def _exchanged(self, one: Sequence[Estimator], other: Sequence[Estimator]) -> NDArray[np.float64] | None:
        """The differences of every line when a random half of the texts is exchanged; None for the bootstrap."""
        if self.method == "bootstrap":
            return None
        drawn = resampling.exchanged(one, other, self.bootstrap.replicates, self.bootstrap.seed)
        differences: NDArray[np.float64] = drawn[0] - drawn[1]
        return differences

    def _p(self, drawn: NDArray[np.float64], difference: float) -> float | None:
        """How often chance does as much, by the differences drawn."""
        rule = resampling.bootstrap_p if self.method == "bootstrap" else resampling.randomisation_p
        return rule(drawn, difference, self.parity)

    def _cells(self, line: Line, drawn: NDArray[np.float64], tested: Cells) -> Cells:
        bounds = percentiles(drawn, self.bootstrap.confidence)[:2]
        return line.field, line.statistic, line.value, *bounds, *tested, line.n, line.n_null


def _estimators(table: pl.DataFrame, metric: Metric, lines: Sequence[Line]) -> list[Estimator]:
    return [estimator(table, metric, line) for line in lines]


def _tested(table: pl.DataFrame, metric: Metric) -> list[Line]:
    """The numbers that are compared: all lines but shares of levels."""
    return [line for line in lines_of(table, metric) if line.statistic != "share"]


def _common(one: pl.DataFrame, other: pl.DataFrame, metric: Metric) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables, a field null in either where it is in one: for corpus scores, all statistics of the row at once."""
    linked = metric.corpus.statistics if metric.corpus else ()
    together = [metric.prefix + name for name in linked]
    missing = {name: one[name].is_null() | other[name].is_null() for name in metric.columns}
    if together:
        gone = pl.select(pl.any_horizontal(missing[name] for name in together)).to_series()
        missing |= dict.fromkeys(together, gone)
    masked = [
        table.with_columns(pl.when(~lost).then(table[name]).alias(name) for name, lost in missing.items())
        for table in (one, other)
    ]
    return masked[0], masked[1]
