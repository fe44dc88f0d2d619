"""Length of the longest common subsequence, 64 tokens of the base at a time (Crochemore et al. 2001; Hyyrö 2004).

Bit i of `row` is clear where the LCS grows at base token i. The caller leaves out tokens that only one text has. The base
is cut into strips of STRIP words; a short base, one strip, keeps its masks for all its targets, a long one is walked
strip by strip with one carry bit a target token. So memory grows with the sum of the two lengths, never with their
product.
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
    """masks[entry · words + w]: bits of word w at which the base has the token of an entry (id + 1); `row`, `carry`: one
    strip's state; `base`: the entries whose masks are set, for undoing."""

    masks: np.ndarray
    row: np.ndarray
    carry: np.ndarray
    base: np.ndarray


@inlined
def make_mask_scratch(vocabulary, longest_base, longest_target):
    words = min(_words(longest_base), STRIP)
    return MaskScratch(
        np.zeros((vocabulary + 2) * words, np.uint64), np.empty(STRIP, np.uint64),
        np.empty(longest_target + 1, np.uint64), np.empty(min(longest_base, 64 * STRIP) + 1, np.int64),
    )  # fmt: skip


@inlined
def _words(size):
    """Words of a strip that holds `size` tokens, at least one."""
    return max((size + 63) >> 6, 1)


@inlined
def learn_masks(base, size, scratch):
    """Set the masks of a base, given as entries, if it fits one strip; a longer one gets its masks strip by strip."""
    if size <= 64 * STRIP:
        _set(base, 0, size, _words(size), scratch)


@inlined
def forget_masks(size, scratch):
    """Undo `learn_masks`."""
    if size <= 64 * STRIP:
        _clear(size, _words(size), scratch)


@inlined
def _set(base, start, stop, words, scratch):
    masks, kept = scratch.masks, scratch.base
    for i in range(stop - start):
        entry = base[start + i]
        kept[i] = entry
        masks[entry * words + (i >> 6)] |= U1 << np.uint64(i & 63)


@inlined
def _clear(size, words, scratch):
    masks, kept = scratch.masks, scratch.base
    for i in range(size):
        masks[kept[i] * words + (i >> 6)] = U0


@inlined
def lcs_length(target, count, base, size, scratch):
    """LCS length of two texts given as entries: `count` of the target, `size` of the base, whose masks are learned."""
    if size <= 64:
        return _one_word(target, count, size, scratch)
    scratch.carry[:count] = U0
    if size <= 64 * STRIP:
        return _one_strip(target, count, size, scratch)
    length = np.int64(0)
    for at in range(0, size, 64 * STRIP):
        end = min(at + 64 * STRIP, size)
        _set(base, at, end, _words(end - at), scratch)
        length += _one_strip(target, count, end - at, scratch)
        _clear(end - at, _words(end - at), scratch)
    return length


@inlined
def _one_word(target, count, size, scratch):
    row, masks = ONES, scratch.masks
    for j in range(count):
        common = row & masks[target[j]]
        row = (row + common) | (row - common)
    return _zeros(row, size)


@inlined
def _one_strip(target, count, size, scratch):
    """Advance one strip over the whole target; `carry` holds what the strip before it passed on at each token."""
    words = _words(size)
    row, masks, carries = scratch.row, scratch.masks, scratch.carry
    for w in range(words):
        row[w] = ONES
    for j in range(count):
        at, carry = target[j] * words, carries[j]
        for w in range(words):
            before = row[w]
            common = before & masks[at + w]
            added = before + common
            total = added + carry
            carry = np.uint64(added < before) | np.uint64(total < added)
            row[w] = total | (before - common)
        carries[j] = carry
    length = np.int64(0)
    for w in range(words):
        length += _zeros(row[w], min(size - 64 * w, np.int64(64)))
    return length


@inlined
def _zeros(row, size):
    """Clear bits among the low `size` (up to 64) bits of a word."""
    return size - popcount(row & (ONES >> np.uint64(64 - size))) if size > 0 else np.int64(0)
