"""Estimates that can be made again from resampled rows: of a bootstrap, of a random exchange, with a row left out.

Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 11, 13 and 16; Noreen 1989, Computer-Intensive
Methods for Testing Hypotheses, chapter 2 (approximate randomisation).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """An estimate that follows from sums over rows: a mean, a share, the score of a corpus.

    rows    float64 [n, k], zeros for a row that does not count; the last column is 1 for one that does, else 0
    finish  from sums [replicates, k] to estimates [replicates], NaN where undefined
    """

    rows: Floats
    finish: Callable[[Floats], Floats] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Quantile:
    """The quantile `at` of values [n], NaN left out; linear interpolation between order statistics."""

    values: Floats
    at: float

    @property
    def order(self) -> NDArray[np.int64]:
        """Where the values that are there stand, from the lowest to the highest."""
        places = np.argsort(self.values, kind="stable")
        return places[: np.count_nonzero(~np.isnan(self.values))]


Estimator = Sums | Quantile


def bootstrap(estimators: Sequence[Estimator], replicates: int, seed: int) -> Floats:
    """Every estimate of every bootstrap replicate of the rows, all of one table: float64 [estimators, replicates]."""
    from gistmark_engine.kernels.resampling import bootstrap_quantiles, bootstrap_sums

    drawn = np.empty((len(estimators), replicates))
    for at, estimator in enumerate(estimators):
        if isinstance(estimator, Quantile):
            bootstrap_quantiles(estimator.values, estimator.order, estimator.at, seed, drawn[at])
    stacked = _stacked(estimators)
    sums = np.empty((replicates, stacked.shape[1]))
    bootstrap_sums(stacked, seed, sums)
    return _finished(estimators, sums, drawn)


def exchanged(first: Sequence[Estimator], second: Sequence[Estimator], replicates: int, seed: int) -> Floats:
    """Every estimate of two paired tables once a random half of the pairs is exchanged: [2, estimators, replicates]."""
    from gistmark_engine.kernels.resampling import exchanged_quantiles, exchanged_sums

    drawn = np.empty((2, len(first), replicates))
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        if isinstance(one, Quantile) and isinstance(other, Quantile):
            both = Quantile(np.concatenate([one.values, other.values]), one.at)
            halves = np.empty((2, replicates))
            exchanged_quantiles(both.values, both.order, both.at, seed, halves)
            drawn[:, at] = halves
    tables = _stacked(first), _stacked(second)
    sums = np.empty((2, replicates, tables[0].shape[1]))
    exchanged_sums(*tables, seed, sums)
    for side, estimators in enumerate((first, second)):
        _finished(estimators, sums[side], drawn[side])
    return drawn


def jackknife(estimator: Sums, value: float, confidence: float) -> tuple[float, float] | None:
    """The interval value ± z · standard error, from the estimates with one row left out each; None of fewer than 2 rows.

    Not for quantiles, whose jackknife error does not converge (Efron and Tibshirani 1993, section 11.6).
    """
    rows = estimator.rows[estimator.rows[:, -1] > 0]
    if len(rows) < 2:
        return None
    left = estimator.finish(rows.sum(axis=0) - rows)
    error = float(np.sqrt((len(rows) - 1) * np.mean((left - left.mean()) ** 2)))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return (value - reach, value + reach) if np.isfinite(reach) else None


def bootstrap_p(drawn: Floats, difference: float, parity: bool = False) -> float | None:
    """The two-sided p of a difference: how often its bootstrap replicates lie as far from it as it lies from 0.

    p = (1 + replicates with |d* − d| ≥ |d|) / (1 + replicates). With `parity` sacreBLEU's rule, that of Moses:
    |d*| − mean |d*| > |d|, which halves p for differences that matter. Undefined replicates are left out.
    """
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return None
    if parity:
        away = np.abs(defined)
        return _p(away - away.mean() > abs(difference))
    return _p(np.abs(defined - difference) >= _least(difference))


def randomisation_p(drawn: Floats, difference: float, parity: bool = False) -> float | None:
    """The two-sided p of a difference: how often one as far from 0 comes out when systems are exchanged at random.

    p = (1 + replicates with |d*| ≥ |d|) / (1 + replicates). With `parity` sacreBLEU's strict >, for which two equal
    systems differ with the least p there is.
    """
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return None
    return _p(np.abs(defined) > abs(difference) if parity else np.abs(defined) >= _least(difference))


def least_p(first: Estimator, second: Estimator) -> float:
    """The least two-sided p that two paired tables can have, 2 / 2^k, of k rows in which they differ, and at most 1.

    Each of 2^k exchanges is as likely as the others if the tables are alike, and two of them, none and all, give a difference
    as large as the one found.
    """
    differing = np.count_nonzero((_rows(first) != _rows(second)).any(axis=1))
    return float(min(1.0, 2.0 ** (1 - differing)))


def _rows(estimator: Estimator) -> Floats:
    """What an estimate is made of, a row a text; a text without a value has 0 or infinity, and so in both tables."""
    return estimator.rows if isinstance(estimator, Sums) else np.nan_to_num(estimator.values, nan=np.inf)[:, None]


def _least(difference: float) -> float:
    """The size from which on a difference is as large, rounding aside."""
    return abs(difference) - 1e-12 * max(1.0, abs(difference))


def _p(extreme: NDArray[np.bool_]) -> float:
    return (1 + int(extreme.sum())) / (1 + extreme.size)


def _stacked(estimators: Sequence[Estimator]) -> Floats:
    """The rows of all that are sums, side by side."""
    tables = [estimator.rows for estimator in estimators if isinstance(estimator, Sums)]
    return np.ascontiguousarray(np.hstack(tables)) if tables else np.empty((0, 0))


def _finished(estimators: Sequence[Estimator], sums: Floats, drawn: Floats) -> Floats:
    """`drawn` with what follows from the sums [replicates, columns of `_stacked`]."""
    start = 0
    for at, estimator in enumerate(estimators):
        if isinstance(estimator, Sums):
            stop = start + estimator.rows.shape[1]
            drawn[at] = estimator.finish(sums[:, start:stop])
            start = stop
    return drawn
