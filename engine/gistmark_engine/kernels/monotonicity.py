"""How many steps of a series go the expected way, over many short series in one call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.correlations import MISSING, OK, TOO_FEW
from gistmark_engine.kernels.ranks import Floats, Ints

INCREASE, DECREASE, STABLE = 0, 1, 2


@kernel
def monotonicity(
    direction: int,
    cumulative: bool,
    tolerance: float,
    values: Floats,
    starts: Ints,
    lengths: Ints,
    shares: Floats,
    counts: Ints,
    status: NDArray[np.uint8],
) -> None:
    """Shares of the steps of series i that agree: shares[0, i] strictly, shares[1, i] weakly, shares[2, i] tied.

    NaN is missing, and a step with a missing end does not count; counts[i] is the number of steps that do. Shares are
    NaN where status[i] is not OK.
    """
    for i in range(lengths.size):
        series = values[starts[i] : starts[i] + lengths[i]]
        strict, weak, tied, steps = _count(direction, cumulative, tolerance, series)
        counts[i] = steps
        if (direction == STABLE or cumulative) and series.size > 1 and math.isnan(series[0]):
            status[i] = MISSING
        else:
            status[i] = OK if steps > 0 else TOO_FEW
        defined = status[i] == OK
        shares[0, i] = strict / steps if defined else np.nan
        shares[1, i] = weak / steps if defined else np.nan
        shares[2, i] = tied / steps if defined else np.nan


@inlined
def _count(direction: int, cumulative: bool, tolerance: float, series: Floats) -> tuple[int, int, int, int]:
    """Steps that agree strictly, agree weakly, are ties, and all steps, of one series."""
    strict, weak, tied, steps = 0, 0, 0, 0
    for k in range(1, series.size):
        before, after = series[0] if cumulative else series[k - 1], series[k]
        if math.isnan(before) or math.isnan(after):
            continue
        steps += 1
        equal = before == after
        tied += equal
        if direction == INCREASE:
            strict += after > before
            weak += after >= before
        elif direction == DECREASE:
            strict += after < before
            weak += after <= before
        else:
            change, limit = abs(after - before), tolerance * abs(series[0])
            strict += equal or change < limit
            weak += equal or change <= limit
    return strict, weak, tied, steps
