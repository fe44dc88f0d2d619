"""1-grams to 4-grams and the longest common subsequence of two texts, by the bits of the places where the base has a token.

`masks[entry]` has a bit for every place of a token in the base. A gram ends where the gram of its first tokens ended one
place before: shift, and. Equal grams have equal bits and different ones none in common, so each place can be claimed once,
which is what clipped counting asks for, and no gram is ever looked up.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.bits import any_place, bits_at, count_places, lowest_place, next_places, no_bits, without
from gistmark_engine.intrinsics import load_half
from gistmark_engine.jit import called, inlined
from gistmark_engine.kernels.kept import MEMBERSHIP, MULTISET, SET
from gistmark_engine.kernels.lcs import words_of
from gistmark_engine.wide import complement, load, words_in, zero, zeros_below

PLACE_WORDS, PLACE_ORDERS = 8, 4
"""Words of places, and orders, up to which this beats tables of grams."""

U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)


@inlined
def width_of(size):
    """Words of places for so many tokens: one of the widths, 1, 2, 4 and 8, that are compiled."""
    words = words_of(size)
    return words if words <= 2 else (4 if words <= 4 else PLACE_WORDS)


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
        if words == 4:
            return act(zero(4), *rest)
        return act(zero(8), *rest)

    return chosen


@inlined
def make_adjacent():
    """Room for the places whose tokens stand beside the token of the place before."""
    return np.empty(PLACE_WORDS, np.uint64)


@inlined
def place_text(ids, start, stop, words, masks):
    """Set the bits of the tokens of a text, `words` words each, place i for ids[start + i]; a token without an id has none."""
    bits = masks.masks
    for i in range(stop - start):
        bits[(np.int64(ids[start + i]) + 1) * words + (i >> 6)] |= U1 << np.uint64(i & 63)
    bits[:words] = U0


@inlined
def lift_text(ids, start, stop, words, masks):
    """Undo `place_text`."""
    bits = masks.masks
    for i in range(stop - start):
        bits[(np.int64(ids[start + i]) + 1) * words + (i >> 6)] = U0


@inlined
def learn_adjacent(size, kept, adjacent):
    """Which of the base's kept tokens stood beside the one kept before them."""
    places = kept.base_places
    adjacent[:] = U0
    for i in range(1, size):
        adjacent[i >> 6] |= np.uint64(places[i] - places[i - 1] == 1) << np.uint64(i & 63)


def _matcher(top, mode):
    """`match(nothing, …)` for grams up to order `top`, 2 or 4, the larger for MULTISET only; compiled apart, since the walk
    wants all of the machine's registers."""

    @called
    def match(nothing, ids, start, stop, bits, adjacent, within):
        """Shared 1-grams to 4-grams of the target whose int32 ids start to stop lie at `ids` with a base of as many words of
        places as `nothing` has, 0 for orders beyond `top`; its LCS with the first `within` of the base's tokens."""
        width, none, follow = 8 * words_in(nothing), no_bits(nothing), bits_at(nothing, adjacent)
        one, two, row = np.int64(0), np.int64(0), complement(nothing)
        ends_one, ends_two, ends_three = none, none, none
        taken_one, taken_two, taken_three, taken_four = none, none, none, none
        for i in range(start, stop):
            at = bits + width * (np.int64(np.int32(load_half(ids + 4 * i))) + 1)
            here, common = bits_at(nothing, at), row & load(nothing, at)
            row, follows = (row + common) | (row ^ common), follow & here
            if top > 2:
                ends_four, ends_three = next_places(ends_three) & follows, next_places(ends_two) & follows
                taken_three = taken_three | _claimed(without(ends_three, taken_three), mode)
                taken_four = taken_four | _claimed(without(ends_four, taken_four), mode)
            ends_two, ends_one = next_places(ends_one) & follows, here
            new_one, new_two = without(ends_one, taken_one), without(ends_two, taken_two)
            taken_one, taken_two = taken_one | _claimed(new_one, mode), taken_two | _claimed(new_two, mode)
            if mode != MULTISET:
                one, two = one + any_place(new_one), two + any_place(new_two)
        if mode == MULTISET:
            one, two = count_places(taken_one), count_places(taken_two)
        return (one, two, count_places(taken_three), count_places(taken_four)), zeros_below(row, within)

    return match


@inlined
def _claimed(new, mode):
    """Which of the free places of a gram it takes: one, all, or none."""
    if mode == MULTISET:
        return lowest_place(new)
    return new if mode == SET else without(new, new)


match_pairs, match_fours = by_width(_matcher(2, MULTISET)), by_width(_matcher(PLACE_ORDERS, MULTISET))
match_set, match_members = _matcher(2, SET), _matcher(2, MEMBERSHIP)
