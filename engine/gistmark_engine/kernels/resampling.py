"""Sums and quantiles of rows drawn again: bootstrap replicates of a table, random exchanges between two paired ones.

Tables of equal length draw the same rows and exchange the same pairs, so that replicates of two of them belong together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.random import exchange, resample
from gistmark_engine.kernels.ranks import Floats, Ints


@kernel
def bootstrap_sums(rows: Floats, seed: int, out: Floats) -> None:
    """out[r] = sum of the rows that bootstrap replicate r draws. rows: [n, k], out: [replicates, k]."""
    times = np.empty(len(rows), np.int64)
    out[:] = 0.0
    for r in range(len(out)):
        resample(seed, r, times)
        for i in range(len(rows)):
            if times[i] > 0:
                for k in range(rows.shape[1]):
                    out[r, k] += times[i] * rows[i, k]


@kernel
def exchanged_sums(first: Floats, second: Floats, seed: int, out: Floats) -> None:
    """out[s, r] = sums of both tables, [n, k] each, once replicate r has exchanged rows. out: [2, replicates, k]."""
    swapped = np.empty(len(first), np.bool_)
    out[:] = 0.0
    for r in range(out.shape[1]):
        exchange(seed, r, swapped)
        for i in range(len(first)):
            side = np.int64(swapped[i])
            for k in range(first.shape[1]):
                out[side, r, k] += first[i, k]
                out[1 - side, r, k] += second[i, k]


@kernel
def bootstrap_quantiles(values: Floats, order: Ints, at: float, seed: int, out: Floats) -> None:
    """out[r] = quantile `at` of the values that bootstrap replicate r draws; `order`: those that are there, ascending."""
    times = np.empty(len(values), np.int64)
    for r in range(len(out)):
        resample(seed, r, times)
        out[r] = _quantile(values, order, times, at)


@kernel
def exchanged_quantiles(values: Floats, order: Ints, at: float, seed: int, out: Floats) -> None:
    """out[s, r] = quantile `at` of both halves of `values` once replicate r has exchanged pairs. out: [2, replicates]."""
    half = len(values) // 2
    swapped, times = np.empty(half, np.bool_), np.empty(len(values), np.int64)
    for r in range(out.shape[1]):
        exchange(seed, r, swapped)
        for side in range(2):
            for i in range(half):
                stays = swapped[i] == (side == 1)
                times[i], times[half + i] = np.int64(stays), np.int64(not stays)
            out[side, r] = _quantile(values, order, times, at)


@inlined
def _quantile(values: Floats, order: Ints, times: NDArray[np.int64], at: float) -> float:
    """The quantile, by linear interpolation, of values that are there `times` times each; NaN of none."""
    count = np.int64(0)
    for i in order:
        count += times[i]
    if count == 0:
        return np.nan
    place = at * (count - 1)
    low, seen, value = np.int64(place), np.int64(0), np.nan
    for i in order:
        if times[i] > 0:
            if seen > low:
                return value + (place - low) * (values[i] - value)
            seen += times[i]
            value = values[i]
            if seen > low + 1 or (seen > low and place == low):
                return value
    return value
