"""Spearman's rho, Pearson's r and Kendall's tau-b over many short series in one call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.ranks import Floats, Ints, centred_ranks, is_constant, sort_order, tied_pairs

SPEARMAN, PEARSON, KENDALL = 0, 1, 2
OK, TOO_FEW, CONSTANT, MISSING, INFINITE = 0, 1, 2, 3, 4


@kernel
def correlate(
    kind: int,
    x: Floats,
    x_starts: Ints,
    y: Floats,
    y_starts: Ints,
    lengths: Ints,
    min_n: int,
    drop: bool,
    out: Floats,
    counts: Ints,
    status: NDArray[np.uint8],
) -> None:
    """One coefficient a series: series i is `lengths[i]` pairs of x and y from its two starts; NaN is missing.

    `drop` leaves a pair with a missing side out, otherwise it makes the coefficient missing. Writes out[i] (NaN where
    status[i] is not OK), counts[i] (pairs used) and status[i].
    """
    longest = 0
    for i in range(lengths.size):
        longest = max(longest, lengths[i])
    floats = np.empty((4, longest))
    ints = np.empty((2, longest), np.int64)
    for i in range(lengths.size):
        n = _gather(x, x_starts[i], y, y_starts[i], lengths[i], floats)
        counts[i] = n
        if n < lengths[i] and not drop:
            status[i] = MISSING
        else:
            status[i] = _fault(kind, floats[0, :n], floats[1, :n], min_n)
        out[i] = _coefficient(kind, floats[:, :n], ints[:, :n]) if status[i] == OK else np.nan


@inlined
def _gather(x: Floats, x_start: int, y: Floats, y_start: int, length: int, floats: Floats) -> int:
    """Copy the pairs without a missing side to floats[0] and floats[1]; returns how many there are."""
    n = 0
    for k in range(length):
        a, b = x[x_start + k], y[y_start + k]
        if not (math.isnan(a) or math.isnan(b)):
            floats[0, n], floats[1, n] = a, b
            n += 1
    return n


@inlined
def _fault(kind: int, x: Floats, y: Floats, min_n: int) -> int:
    """Why the coefficient of these pairs is undefined, or OK."""
    if x.size < max(min_n, 2):
        return TOO_FEW
    if kind == PEARSON:
        for k in range(x.size):
            if math.isinf(x[k]) or math.isinf(y[k]):
                return INFINITE
    return CONSTANT if is_constant(x) or is_constant(y) else OK


@inlined
def _coefficient(kind: int, floats: Floats, ints: Ints) -> float:
    """The coefficient of floats[0] and floats[1]; floats[2:] and ints are work space of the same width."""
    x, y = floats[0], floats[1]
    if kind == KENDALL:
        return _kendall(x, y, ints[0], ints[1])
    if kind == SPEARMAN:
        centred_ranks(x, ints[0], ints[1], floats[2])
        centred_ranks(y, ints[0], ints[1], floats[3])
    else:
        _centre(x, floats[2])
        _centre(y, floats[3])
    return _cosine(floats[2], floats[3])


@inlined
def _cosine(x: Floats, y: Floats) -> float:
    """Σxy / √(Σx²·Σy²) within [−1, 1]; exactly ±1 for x = ±y, because √(s·s) = s."""
    xy, xx, yy = 0.0, 0.0, 0.0
    for k in range(x.size):
        xy += x[k] * y[k]
        xx += x[k] * x[k]
        yy += y[k] * y[k]
    return max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))


@inlined
def _centre(values: Floats, out: Floats) -> None:
    """out = values minus their mean, times powers of two (exact) that keep sums and products clear of overflow."""
    shrink = _power(values, 0.0)
    mean = 0.0
    for k in range(values.size):
        mean += values[k] * shrink
    mean /= values.size
    for k in range(values.size):
        out[k] = values[k] * shrink - mean
    scale = _power(out, 0.0)
    for k in range(values.size):
        out[k] *= scale


@inlined
def _power(values: Floats, largest: float) -> float:
    """The power of two that brings the largest magnitude to [0.5, 1), as far as a float64 can hold it."""
    for k in range(values.size):
        largest = max(largest, abs(values[k]))
    return math.ldexp(1.0, min(-math.frexp(largest)[1], 1020))


@inlined
def _kendall(x: Floats, y: Floats, order: Ints, spare: Ints) -> float:
    """Tau-b by Knight's method: sort by x then y, and count the inversions of a further sort by y."""
    n = x.size
    for k in range(n):
        order[k] = k
    sort_order(y, order, spare)
    sort_order(x, order, spare)
    x_ties = tied_pairs(x, order)
    both, run = 0, 0
    for k in range(1, n):
        same = x[order[k]] == x[order[k - 1]] and y[order[k]] == y[order[k - 1]]
        run = run + 1 if same else 0
        both += run
    discordant = sort_order(y, order, spare)
    y_ties = tied_pairs(y, order)
    pairs = n * (n - 1) // 2
    surplus = pairs - x_ties - y_ties + both - 2 * discordant
    return max(-1.0, min(1.0, surplus / math.sqrt(float(pairs - x_ties) * float(pairs - y_ties))))
