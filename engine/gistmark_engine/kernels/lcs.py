"""Length of the longest common subsequence, 64 tokens of the base at a time (Crochemore et al. 2001; Hyyrö 2004).

Bit i of `row` is clear where the LCS grows at base token i. The caller leaves out tokens that only one text has. The base
is cut into strips of STRIP words; a short base, one strip, keeps its masks for all its targets, a long one is walked
strip by strip with one carry bit a target token, past tokens that it does not have. So memory grows with the sum of the two
lengths, never with their product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import popcount
from gistmark_engine.jit import inlined

STRIP = 16
U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)


class Masks(NamedTuple):
    """masks[entry · words + w]: bits of word w at which the base has the token of an entry (id + 1); `row`, `carry`: one
    strip's state; `base`: the entries whose masks are set, for undoing; `present`: 1 at entries that a strip of several has."""

    masks: np.ndarray
    row: np.ndarray
    carry: np.ndarray
    base: np.ndarray
    present: np.ndarray


@inlined
def make_masks(vocabulary, longest_base, longest_target):
    words = min(words_of(longest_base) + 3, STRIP)  # three more: widths are rounded up to a power of two
    return Masks(
        np.zeros((vocabulary + 2) * words, np.uint64), np.empty(STRIP, np.uint64),
        np.empty(longest_target + 1, np.uint64), np.empty(min(longest_base, 64 * STRIP) + 1, np.int64),
        np.zeros(vocabulary + 2 if longest_base > 64 * STRIP else 1, np.uint8),
    )  # fmt: skip


@inlined
def words_of(size):
    """Words of a strip that holds `size` tokens, at least one."""
    return max((size + 63) >> 6, 1)


@inlined
def learn_masks(base, size, words, masks):
    """Set the masks of a base, given as entries, `words` words each, if it fits one strip; a longer one gets its masks strip
    by strip."""
    if size <= 64 * STRIP:
        set_masks(base, 0, size, words, masks)


@inlined
def forget_masks(size, words, masks):
    """Undo `learn_masks`."""
    if size <= 64 * STRIP:
        clear_masks(size, words, masks)


@inlined
def set_masks(base, start, stop, words, masks):
    """Set the masks of the tokens base[start:stop], given as entries, `words` words each."""
    bits, kept = masks.masks, masks.base
    for i in range(stop - start):
        entry = base[start + i]
        kept[i] = entry
        bits[entry * words + (i >> 6)] |= U1 << np.uint64(i & 63)


@inlined
def clear_masks(size, words, masks):
    """Undo `set_masks` of `size` tokens."""
    bits, kept = masks.masks, masks.base
    for i in range(size):
        bits[kept[i] * words + (i >> 6)] = U0


@inlined
def _note(base, start, stop, value, present):
    for i in range(start, stop):
        present[base[i]] = value


@inlined
def lcs_length(target, count, base, size, within, masks):
    """LCS length of two texts given as entries: `count` of the target, `size` of the base, whose masks are learned, and of
    which the first `within` take part."""
    if size <= 64:
        return _one_word(target, count, within, masks.masks)
    if size <= 64 * STRIP:
        return _one_strip(target, count, size, within, masks)
    masks.carry[:count] = U0
    length = np.int64(0)
    for at in range(0, within, 64 * STRIP):
        end = min(at + 64 * STRIP, size)
        set_masks(base, at, end, words_of(end - at), masks)
        _note(base, at, end, 1, masks.present)
        length += _next_strip(target, count, end - at, min(within - at, end - at), masks)
        clear_masks(end - at, words_of(end - at), masks)
        _note(base, at, end, 0, masks.present)
    return length


@inlined
def _one_word(target, count, within, bits):
    row = ONES
    for j in range(count):
        common = row & bits[target[j]]
        row = (row + common) | (row - common)
    return zeros(row, within)


@inlined
def _one_strip(target, count, size, within, masks):
    """Walk the target past a base that is one strip."""
    words = words_of(size)
    masks.row[:words] = ONES
    for j in range(count):
        _step(target[j] * words, words, U0, masks.row, masks.masks)
    return zeros_in(masks.row, words, within)


@inlined
def _next_strip(target, count, size, within, masks):
    """Walk the target past one strip; `carry` holds what the strip before it passed on at each token."""
    words = words_of(size)
    masks.row[:words] = ONES
    for j in range(count):
        if masks.present[target[j]]:
            masks.carry[j] = _step(target[j] * words, words, masks.carry[j], masks.row, masks.masks)
        elif masks.carry[j]:
            masks.carry[j] = _carry_on(words, masks.row)
    return zeros_in(masks.row, words, within)


@inlined
def _step(at, words, carry, row, bits):
    """One token of the target, whose bits lie at `at`, past the words of a strip; returns what is carried on."""
    for w in range(words):
        before = row[w]
        common = before & bits[at + w]
        added = before + common
        total = added + carry
        carry = np.uint64(added < before) | np.uint64(total < added)
        row[w] = total | (before - common)
    return carry


@inlined
def _carry_on(words, row):
    """`_step` for a token that a strip lacks: the carry sets the lowest clear bit, and leaves only if there is none."""
    for w in range(words):
        before = row[w]
        row[w] = before | (before + U1)
        if before != ONES:
            return U0
    return U1


@inlined
def zeros_in(row, words, within):
    """Clear bits among the first `within` bits of a row of `words` words."""
    length = np.int64(0)
    for w in range(words):
        length += zeros(row[w], min(within - 64 * w, np.int64(64)))
    return length


@inlined
def zeros(row, size):
    """Clear bits among the low `size` (up to 64) bits of a word."""
    return size - popcount(row & (ONES >> np.uint64(64 - size))) if size > 0 else np.int64(0)
