"""Means of many short series and of their bootstrap replicates."""

from __future__ import annotations

import math

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.random import resample
from gistmark_engine.kernels.ranks import Floats, Ints


@kernel
def means(values: Floats, starts: Ints, lengths: Ints, seed: int, first: int, out: Floats) -> None:
    """out[i, r] = mean of series i in bootstrap replicate first + r; replicate −1 is the series itself.

    NaN is left out after drawing; a mean of nothing is NaN. Series of equal length draw the same positions, so the
    replicates of two statistics over the same documents belong together.
    """
    times = np.empty(max(lengths.max(), 1) if lengths.size else 1, np.int64)
    for i in range(lengths.size):
        series, drawn = values[starts[i] : starts[i] + lengths[i]], times[: lengths[i]]
        for r in range(out.shape[1]):
            drawn[:] = 1
            if first + r >= 0 and drawn.size:
                resample(seed, first + r, drawn)
            out[i, r] = _mean(series, drawn)


@inlined
def _mean(series: Floats, times: Ints) -> float:
    """The mean of the values that are there, each counted `times`."""
    n, total = 0, 0.0
    for k in range(series.size):
        if times[k] > 0 and not math.isnan(series[k]):
            n += times[k]
            total += times[k] * series[k]
    return total / n if n > 0 else np.nan
