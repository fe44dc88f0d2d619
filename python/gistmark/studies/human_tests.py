"""Whether one metric correlates better with human scores than another: by permutation, and by Williams's test."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gistmark.studies.human import Level, Resampling, portions, statistics, tables
from gistmark_engine.errors import MissingExtra, OptionError
from gistmark_engine.ranks import Kind

USUAL = Resampling()


def permutation_test(
    scored: pl.DataFrame,
    first: str,
    second: str,
    human: str,
    level: Level = "summary",
    kind: Kind = "kendall",
    resampling: Resampling = USUAL,
    document: str = "doc_id",
    system: str = "system",
) -> tuple[float, float] | None:
    """How much better `first` correlates with `human` than `second`, and the two-sided p of that difference.

    The scores of both metrics are standardised; a replicate exchanges them between the metrics for a random half of the
    documents, of the systems, or of all summaries (`over` "both"). p = (1 + replicates at least as far from 0)/(1 + n).
    None where a correlation is undefined.

    Deutsch, Dror and Roth 2021, section 5 (PERM-INPUTS, PERM-SYSTEMS, PERM-BOTH).
    """
    by_column = tables(scored, [first, second, human], document, system)
    x, z, y = (by_column[name] for name in (first, second, human))
    missing = np.isnan(x) | np.isnan(z) | np.isnan(y)
    x, z, y = (np.where(missing, np.nan, values) for values in (x, z, y))
    if missing.all() or any(np.nanstd(values) == 0 for values in (x, z)):
        return None
    x, z = ((values - np.nanmean(values)) / np.nanstd(values) for values in (x, z))

    def difference(swap: NDArray[np.bool_]) -> NDArray[np.float64]:
        ours, theirs = np.where(swap, z, x), np.where(swap, x, z)
        humans = np.broadcast_to(y, ours.shape)
        return statistics(ours, humans, level, kind)[0] - statistics(theirs, humans, level, kind)[0]

    observed = float(difference(np.zeros((1, *x.shape), np.bool_))[0])
    if np.isnan(observed):
        return None
    drawn = np.concatenate([np.empty(0), *(difference(swap) for swap in _swaps(x.shape, resampling))])
    extreme = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    return observed, (1 + extreme) / (1 + drawn.size)


def williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Williams's t and its two-sided p for r12 = r13, Pearson correlations of one variable with two others.

    r12, r13  correlations of the human score with either metric; r23  of the metrics with each other; n  systems > 3

    Williams 1959; Steiger 1980, Tests for comparing elements of a correlation matrix, equation 7. Needs scipy, which
    statsmodels brings.
    """
    try:
        from scipy.stats import t as student
    except ImportError:
        raise MissingExtra("Williams's test", "studies") from None
    if n <= 3 or not all(-1 < r < 1 for r in (r12, r13, r23)):
        raise OptionError(f"Williams's test needs n > 3 and correlations inside (−1, 1), not {(r12, r13, r23, n)}")
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    spread = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    value = (r12 - r13) * sqrt((n - 1) * (1 + r23) / spread)
    return value, float(2 * student.sf(abs(value), n - 3))


def williams_test(
    scored: pl.DataFrame, first: str, second: str, human: str, document: str = "doc_id", system: str = "system"
) -> tuple[float, float] | None:
    """How much better `first` correlates with `human` than `second` between systems, and Williams's two-sided p of it.

    Pearson's correlations of the systems' means, over the documents in which all three scores are present. None where
    there are fewer than four such systems or a correlation is undefined or ±1.
    """
    by_column = tables(scored, [first, second, human], document, system)
    x, z, y = (by_column[name] for name in (first, second, human))
    missing = np.isnan(x) | np.isnan(z) | np.isnan(y)
    x, z, y = (np.where(missing, np.nan, values)[None] for values in (x, z, y))
    pairs = ((y, x), (y, z), (x, z))
    (r12, n), (r13, _), (r23, _) = (statistics(*pair, "system", "pearson") for pair in pairs)
    one, other, both = (float(r[0]) for r in (r12, r13, r23))
    if n[0] <= 3 or not all(-1 < r < 1 for r in (one, other, both)):
        return None
    return one - other, williams(one, other, both, int(n[0]))[1]


def _swaps(shape: tuple[int, ...], how: Resampling) -> Iterator[NDArray[np.bool_]]:
    """Which summaries change their metric in each permutation replicate, some replicates at a time."""
    generator = np.random.default_rng(how.seed)
    each = {"documents": (shape[0], 1), "systems": (1, shape[1]), "both": shape}[how.over]
    for size in portions(how.replicates):
        yield np.broadcast_to(generator.random((size, *each)) < 0.5, (size, *shape))
