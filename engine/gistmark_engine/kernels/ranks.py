"""Sorting and ranking one series: what Spearman's and Kendall's coefficients are made of.

A series is a float64 array without NaN. Work arrays come from the caller, so that a batch of series allocates once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RUN = 16  # runs this short are sorted by insertion before they are merged


@inlined
def sort_order(keys: Floats, order: Ints, spare: Ints) -> int:
    """Sort the indices in `order` by their keys, stably, in O(n log n); returns how many inversions that repaired.

    An inversion is a pair whose first member had the greater key: Knight's count of discordant pairs.
    """
    n = order.size
    inversions = 0
    for start in range(0, n, _RUN):
        inversions += _insert(keys, order, start, min(start + _RUN, n))
    width = _RUN
    while width < n:
        for start in range(0, n - width, 2 * width):
            inversions += _merge(keys, order, spare, start, start + width, min(start + 2 * width, n))
        width *= 2
    return inversions


@inlined
def _insert(keys: Floats, order: Ints, start: int, stop: int) -> int:
    """Sort order[start:stop] by insertion."""
    moves = 0
    for i in range(start + 1, stop):
        moving = order[i]
        j = i
        while j > start and keys[order[j - 1]] > keys[moving]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving
        moves += i - j
    return moves


@inlined
def _merge(keys: Floats, order: Ints, spare: Ints, start: int, middle: int, stop: int) -> int:
    """Merge the sorted order[start:middle] and order[middle:stop]."""
    left_size = middle - start
    spare[:left_size] = order[start:middle]
    left, right, inversions = 0, middle, 0
    for out in range(start, stop):
        if left == left_size:
            break
        if right < stop and keys[spare[left]] > keys[order[right]]:
            order[out] = order[right]
            right += 1
            inversions += left_size - left
        else:
            order[out] = spare[left]
            left += 1
    return inversions


@inlined
def centred_ranks(keys: Floats, order: Ints, spare: Ints, ranks: Floats) -> None:
    """ranks[i] = 2·rank(keys[i]) − (n + 1), ranks from 1, equal keys sharing their average: whole numbers, mean 0."""
    n = keys.size
    for i in range(n):
        order[i] = i
    sort_order(keys, order, spare)
    first = 0
    while first < n:
        last = first + 1
        while last < n and keys[order[last]] == keys[order[first]]:
            last += 1
        for i in range(first, last):
            ranks[order[i]] = first + last - n
        first = last


@inlined
def tied_pairs(keys: Floats, order: Ints) -> int:
    """How many pairs of a sorted series have equal keys."""
    pairs, run = 0, 0
    for i in range(1, order.size):
        run = run + 1 if keys[order[i]] == keys[order[i - 1]] else 0
        pairs += run
    return pairs


@inlined
def is_constant(keys: Floats) -> bool:
    """Whether no two values differ (true of an empty series)."""
    for i in range(1, keys.size):
        if keys[i] != keys[0]:
            return False
    return True
