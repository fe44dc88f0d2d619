"""How far ratings are apart: the sums over pairs that Krippendorff's alpha and the kappas are made of.

Distances are alpha's δ² (nominal, ordinal, interval, ratio) and the weights of Cohen's kappa (nominal, linear, and
interval for the quadratic ones). On an ordinal scale δ is the distance of the values' mid-ranks, so there as on an
interval scale a sum over all pairs is 2n times the sum of squares about the mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

NOMINAL, ORDINAL, INTERVAL, RATIO, LINEAR = 0, 1, 2, 3, 4


@inlined
def apart(scale: int, a: float, b: float) -> float:
    """The disagreement of two ratings at places a and b."""
    if scale == NOMINAL:
        return 1.0 if a != b else 0.0
    if scale == LINEAR:
        return abs(a - b)
    both = a + b if scale == RATIO else 1.0
    share = (a - b) / both if both != 0 else 0.0
    return share * share


@inlined
def within(scale: int, unit: Codes, places: Floats, times: Floats) -> float:
    """Σ over ordered pairs of a unit's ratings of their disagreement, divided by their number less one; 0 for one.

    `times` is work space of one zero a value, given back as it came.
    """
    n, total, mean = 0, 0.0, 0.0
    for code in unit:
        if code >= 0:
            n += 1
            mean += places[code]
    if n < 2:
        return 0.0
    if scale == NOMINAL:
        total = _unlike(unit, n, times)
    elif scale in (RATIO, LINEAR):
        for i in range(unit.size):
            for j in range(i):
                if unit[i] >= 0 and unit[j] >= 0:
                    total += 2 * apart(scale, places[unit[i]], places[unit[j]])
    else:
        for code in unit:
            if code >= 0:
                total += 2 * n * (places[code] - mean / n) ** 2
    return total / (n - 1)


@inlined
def _unlike(unit: Codes, n: int, times: Floats) -> float:
    """How many ordered pairs of a unit's n ratings differ."""
    alike = 0.0
    for code in unit:
        if code >= 0:
            alike += times[code]
            times[code] += 1.0
    for code in unit:
        if code >= 0:
            times[code] = 0.0
    return float(n) * (n - 1) - 2 * alike


@inlined
def among(scale: int, places: Floats, totals: Floats) -> float:
    """Σ over ordered pairs of values c ≠ k of totals[c]·totals[k]·disagreement."""
    n, total = totals.sum(), 0.0
    if scale == NOMINAL:
        for c in range(totals.size):
            total += totals[c] * (n - totals[c])
    elif scale == RATIO:
        for c in range(totals.size):
            for k in range(c):
                total += 2 * totals[c] * totals[k] * apart(scale, places[c], places[k])
    else:
        mean = (places * totals).sum() / n
        for c in range(totals.size):
            total += 2 * n * totals[c] * (places[c] - mean) ** 2
    return total


@inlined
def between(scale: int, places: Floats, totals: Floats) -> float:
    """Σ of first[a]·second[b]·disagreement for the totals of two coders, laid one after the other."""
    total, size = 0.0, places.size
    for a in range(size):
        for b in range(size):
            total += totals[a] * totals[size + b] * apart(scale, places[a], places[b])
    return total


@inlined
def mid_ranks(totals: Floats, places: Floats) -> None:
    """places[c] = all ratings below value c and half of its own."""
    below = 0.0
    for c in range(totals.size):
        places[c] = below + totals[c] / 2
        below += totals[c]
