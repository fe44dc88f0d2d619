"""Agreement coefficients of bootstrap replicates, each in time of the clusters drawn and the values that occur.

Every coefficient is 1 − (n − correction)·observed/expected: Krippendorff's alpha with correction 1, Fleiss' kappa with
0, Cohen's with 0 and an expectation from each coder's own totals. Totals and observed disagreement are sums over
units, so they are summed over each cluster once and a replicate only adds clusters up. (The disagreement on an ordinal
scale depends on the totals: there a replicate goes through the units.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.disagreement import ORDINAL, Codes, Floats, among, between, mid_ranks, within
from gistmark_engine.kernels.random import resample

Ints = NDArray[np.int64]


@kernel
def disagreements(scale: int, codes: Codes, places: Floats, out: Floats) -> None:
    """out[u] = disagreement within unit u of int32 codes (units, coders), −1 for missing, at places[code]."""
    times = np.zeros(places.size)
    for u in range(codes.shape[0]):
        out[u] = within(scale, codes[u], places, times)


@kernel
def replicates(
    scale: int,
    by_coder: bool,
    correction: float,
    codes: Codes,
    values: Floats,
    clusters: Ints,
    observed: Floats,
    bounds: Ints,
    cells: Ints,
    counts: Floats,
    seed: int,
    first: int,
    out: Floats,
) -> None:
    """out[i] = the coefficient of bootstrap replicate first + i; replicate −1 is the data itself. NaN: undefined.

    codes, values            ratings as for `disagreements`, and what codes stand for
    clusters                 each unit's cluster
    observed                 disagreement within each cluster (not read on an ordinal scale)
    bounds, cells, counts    totals of cluster k: counts[j] ratings in cell cells[j] for j in bounds[k]:bounds[k + 1];
                             a cell is a value, or coder·values + value where `by_coder`

    A replicate depends on seed and number alone, whatever range it is computed in.
    """
    times = np.ones(observed.size, np.int64)
    totals = np.empty(values.size * (2 if by_coder else 1))
    places = values.copy()
    for i in range(out.size):
        if first + i >= 0:
            resample(seed, first + i, times)
        totals[:] = 0.0
        for k in range(times.size):
            if times[k] > 0:
                for j in range(bounds[k], bounds[k + 1]):
                    totals[cells[j]] += times[k] * counts[j]
        if scale == ORDINAL:
            mid_ranks(totals, places)
            apart = _through_units(scale, codes, places, clusters, times)
        else:
            apart = (observed * times).sum()
        out[i] = _coefficient(scale, by_coder, correction, places, totals, apart)


@inlined
def _through_units(scale: int, codes: Codes, places: Floats, clusters: Ints, times: Ints) -> float:
    """Disagreement within all units, each counted as often as its cluster."""
    room, total = np.zeros(places.size), 0.0
    for u in range(codes.shape[0]):
        if times[clusters[u]] > 0:
            total += times[clusters[u]] * within(scale, codes[u], places, room)
    return total


@inlined
def _coefficient(
    scale: int, by_coder: bool, correction: float, places: Floats, totals: Floats, observed: float
) -> float:
    """1 − (n − correction)·observed/expected; NaN where no disagreement is expected."""
    if by_coder:  # `observed` and n count both orders of a pair and both coders: 4 times each coder's product
        expected = 4 * between(scale, places, totals)
    else:
        expected = among(scale, places, totals) if np.count_nonzero(totals) > 1 else 0.0
    return 1.0 - (totals.sum() - correction) * observed / expected if expected > 0 else np.nan
