"""Length of the longest common subsequence, 64 tokens of the base at a time (Crochemore et al. 2001; Hyyrö 2004).

Bit i of `row` is clear where the LCS grows at base token i. The base is cut into strips of STRIP words; a short base,
one strip, keeps its masks for all its targets, a long one is walked strip by strip with one carry bit a target token.
So memory grows with the sum of the two lengths, never with their product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import popcount
from gistmark_engine.jit import inlined

STRIP = 16
U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)


class MaskScratch(NamedTuple):
    """masks[(id + 1) · STRIP + w]: bits of word w at which the base has token `id`; `row`, `carry`: one strip's state."""

    masks: np.ndarray
    row: np.ndarray
    carry: np.ndarray


@inlined
def make_mask_scratch(vocabulary, longest):
    return MaskScratch(
        np.zeros((vocabulary + 2) * STRIP, np.uint64), np.empty(STRIP, np.uint64), np.empty(longest + 1, np.uint64)
    )


@inlined
def set_masks(ids, start, stop, scratch):
    """Masks of a base that fits one strip; a longer base gets its masks strip by strip, later."""
    if stop - start <= 64 * STRIP:
        for i in range(stop - start):
            scratch.masks[(np.int64(ids[start + i]) + 1) * STRIP + (i >> 6)] |= U1 << np.uint64(i & 63)


@inlined
def clear_masks(ids, start, stop, scratch):
    """Undo `set_masks`."""
    if stop - start <= 64 * STRIP:
        for i in range(stop - start):
            scratch.masks[(np.int64(ids[start + i]) + 1) * STRIP + (i >> 6)] = U0


@inlined
def lcs_length(ids, target_start, target_stop, start, stop, scratch):
    """LCS length of the target ids[target_start:target_stop] and the base ids[start:stop], whose masks are set."""
    size = stop - start
    if size <= 64:
        return _one_word(ids, target_start, target_stop, size, scratch)
    if size <= 64 * STRIP:
        scratch.carry[: target_stop - target_start] = U0
        return _one_strip(ids, target_start, target_stop, size, scratch)
    scratch.carry[: target_stop - target_start] = U0
    length = np.int64(0)
    for at in range(start, stop, 64 * STRIP):
        end = min(at + 64 * STRIP, stop)
        set_masks(ids, at, end, scratch)
        length += _one_strip(ids, target_start, target_stop, end - at, scratch)
        clear_masks(ids, at, end, scratch)
    return length


@inlined
def _one_word(ids, target_start, target_stop, size, scratch):
    row = ONES
    for j in range(target_start, target_stop):
        common = row & scratch.masks[(np.int64(ids[j]) + 1) * STRIP]
        row = (row + common) | (row - common)
    return _zeros(row, size)


@inlined
def _one_strip(ids, target_start, target_stop, size, scratch):
    """Advance one strip over the whole target; `carry` holds what the strip before it passed on at each token."""
    words = (size + 63) >> 6
    row, masks = scratch.row, scratch.masks
    for w in range(words):
        row[w] = ONES
    for j in range(target_start, target_stop):
        at = (np.int64(ids[j]) + 1) * STRIP
        carry = scratch.carry[j - target_start]
        if at == 0:
            continue
        for w in range(words):
            before = row[w]
            common = before & masks[at + w]
            added = before + common
            total = added + carry
            carry = np.uint64(added < before) | np.uint64(total < added)
            row[w] = total | (before - common)
        scratch.carry[j - target_start] = carry
    length = np.int64(0)
    for w in range(words):
        length += _zeros(row[w], min(size - 64 * w, np.int64(64)))
    return length


@inlined
def _zeros(row, size):
    """Clear bits among the low `size` (1 to 64) bits of a word."""
    return size - popcount(row & (ONES >> np.uint64(64 - size))) if size > 0 else np.int64(0)
