"""1-grams to 4-grams and the longest common subsequence of two texts, by the bits of the places where the base has a token.

`masks[entry]` has a bit for every place of a token in the base. A gram ends where the gram of its first tokens ended one
place before: shift, and. Equal grams have equal bits and different ones none in common, so each place can be claimed once,
which is what clipped counting asks for, and no gram is ever looked up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import load_word, popcount
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.kept import MULTISET, SET
from gistmark_engine.kernels.lcs import words_of
from gistmark_engine.wide import complement, doubled, load, lowest, ones, store, words_in, zero

PLACE_WORDS, PLACE_ORDERS = 8, 4
"""Words of places, and orders, up to which this beats tables of grams."""

U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)


class Places(NamedTuple):
    """Words of places: `adjacent`, where the base's kept tokens i - 1 and i stood side by side; `row`, the LCS's last row."""

    adjacent: np.ndarray
    row: np.ndarray


@inlined
def width_of(size):
    """Words of places for so many tokens: one of the widths, 1, 2, 3, 4, 6 and 8, that are compiled."""
    words = words_of(size)
    return words if words <= 4 else (6 if words <= 6 else PLACE_WORDS)


@inlined
def fits_places(size, top):
    """Whether the places of so many tokens, and grams up to this order, can be bits."""
    return size <= 64 * PLACE_WORDS and top <= PLACE_ORDERS


def by_width(act):
    """`act(nothing, …)` where the words of places are known only when it runs: `chosen(words, …)`, one of those widths."""

    @inlined
    def chosen(words, *rest):
        if words == 1:
            return act(zero(1), *rest)
        if words == 2:
            return act(zero(2), *rest)
        if words == 3:
            return act(zero(3), *rest)
        if words == 4:
            return act(zero(4), *rest)
        if words == 6:
            return act(zero(6), *rest)
        return act(zero(8), *rest)

    return chosen


@inlined
def make_places():
    return Places(np.empty(PLACE_WORDS, np.uint64), np.empty(PLACE_WORDS, np.uint64))


@inlined
def learn_places(size, words, kept, places):
    adjacent, before = places.adjacent, kept.base_places
    for w in range(words):
        adjacent[w] = U0
    for i in range(1, size):
        adjacent[i >> 6] |= np.uint64(before[i] - before[i - 1] == 1) << np.uint64(i & 63)


@inlined
def match_word(ids, start, stop, adjacent, mode, top, masks):
    """(shared 1-grams to 4-grams, the row of the LCS) of a target with a base of one word of places; of orders beyond
    `top`, which is 2 or 4, nothing is counted, and the larger is for MULTISET only."""
    one, two = np.int64(0), np.int64(0)
    free_one, free_two, free_three, free_four = ONES, ONES, ONES, ONES
    row, before, before_two, before_three = ONES, U0, U0, U0
    for i in range(start, stop):
        mask = load_word(masks + 8 * np.int64(ids[i]))
        follows = adjacent & mask
        found_one, ends_two = mask & free_one, (before << U1) & follows
        found_two = ends_two & free_two
        free_one, free_two = free_one ^ _claimed(found_one, mode), free_two ^ _claimed(found_two, mode)
        if mode != MULTISET:
            one, two = one + np.int64(found_one != U0), two + np.int64(found_two != U0)
        if top > 2:
            ends_three, ends_four = (before_two << U1) & follows, (before_three << U1) & follows
            free_three = free_three ^ _claimed(ends_three & free_three, mode)
            free_four = free_four ^ _claimed(ends_four & free_four, mode)
            before_two, before_three = ends_two, ends_three
        common = row & mask
        row, before = (row + common) | (row - common), mask
    if mode == MULTISET:
        one, two = popcount(~free_one), popcount(~free_two)
    return (one, two, popcount(~free_three), popcount(~free_four)), row


@inlined
def _claimed(found, mode):
    """Which of the free places of a gram it takes: one, all, or none."""
    if mode == MULTISET:
        return found & (~found + U1)
    return found if mode == SET else U0


@inlined
def match_wide(nothing, known, kept, top, bits, adjacent, row_address):
    """Shared 1-grams to 4-grams, counted as MULTISET says, of the `known` tokens of a target with a base of several words of
    places, as many as `nothing` has; the row of the LCS goes to `row_address`. `top` as in `match_word`."""
    entries, stands = kept.target.ctypes.data, kept.target_places.ctypes.data
    width, last = 8 * words_in(nothing), np.int64(-2)
    side_by_side, row = load(nothing, adjacent), complement(nothing)
    before, before_two, before_three = nothing, nothing, nothing
    free_one, free_two, free_three, free_four = row, row, row, row
    for k in range(known):
        mask = load(nothing, bits + width * np.int64(load_word(entries + 8 * k)))
        place = np.int64(load_word(stands + 8 * k))
        follows = side_by_side & mask if place == last + 1 else nothing
        last = place
        ends_two = doubled(before) & follows
        free_one = free_one ^ lowest(mask & free_one)
        free_two = free_two ^ lowest(ends_two & free_two)
        if top > 2:
            ends_three, ends_four = doubled(before_two) & follows, doubled(before_three) & follows
            free_three = free_three ^ lowest(ends_three & free_three)
            free_four = free_four ^ lowest(ends_four & free_four)
            before_two, before_three = ends_two, ends_three
        common = row & mask
        row, before = (row + common) | (row ^ common), mask
    store(row, row_address)
    return _taken(free_one), _taken(free_two), _taken(free_three), _taken(free_four)


@inlined
def _taken(free):
    return ones(complement(free))


match_width = by_width(match_wide)
