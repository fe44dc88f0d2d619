"""How many n-grams of a summary its source lacks, and how many it repeats, by the bits of the places where a summary has a
token.

The places where the gram that ends at a token ends are those where the gram before it ended one place before: shift, and
(see `kernels.places`). The lowest of them is where the summary has the gram first, the next where it is repeated. The
same walk over the source finds every place whose gram the source has.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.bits import bits_at, count_places, lowest_place, next_places, no_bits, without
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.places import PLACE_ORDERS, by_width, lift_text, place_text, width_of
from gistmark_engine.wide import words_in


@inlined
def _counts(nothing, ids, summary, summary_stop, start, stop, top, bits):
    """For each order up to `top`, 3 or 4, of the summary's grams: (distinct ones, repeated ones, occurrences of those that
    the source has, how many these are)."""
    _, _, known = _walk(nothing, ids, start, stop, top, bits)
    first, again, _ = _walk(nothing, ids, summary, summary_stop, top, bits)
    return (
        _count(first[0], again[0], known[0]),
        _count(first[1], again[1], known[1]),
        _count(first[2], again[2], known[2]),
        _count(first[3], again[3], known[3]),
    )


@inlined
def _count(first, again, known):
    return count_places(first), count_places(again), count_places(known), count_places(first & known)


@inlined
def _walk(nothing, ids, start, stop, top, bits):
    """Of the grams of orders 1 to 4 of ids[start:stop], the summary's places of each: the first of all, the second, all."""
    none, width = no_bits(nothing), 8 * words_in(nothing)
    one, two, three, four = none, none, none, none
    first, again, every = (none, none, none, none), (none, none, none, none), (none, none, none, none)
    for i in range(start, stop):
        here = bits_at(nothing, bits + width * (np.int64(ids[i]) + 1))
        if top > 3:
            four = next_places(three) & here
        three, two, one = next_places(two) & here, next_places(one) & here, here
        low_one, low_two, low_three, low_four = (
            lowest_place(one), lowest_place(two), lowest_place(three), lowest_place(four),
        )  # fmt: skip
        first = first[0] | low_one, first[1] | low_two, first[2] | low_three, first[3] | low_four
        again = (
            again[0] | lowest_place(without(one, low_one)),
            again[1] | lowest_place(without(two, low_two)),
            again[2] | lowest_place(without(three, low_three)),
            again[3] | lowest_place(without(four, low_four)),
        )
        every = every[0] | one, every[1] | two, every[2] | three, every[3] | four
    return first, again, every


_counts_of_width = by_width(_counts)


@inlined
def novelty_by_places(ids, summary, summary_stop, start, stop, orders, by_token, parity, masks, out):
    """out[2k], out[2k + 1]: novel and repeated share of the summary's grams of orders[k], left as they are (NaN) where
    it has none; 0.0 then under `parity`. The source is ids[start:stop]."""
    length, bits = summary_stop - summary, masks.masks.ctypes.data
    words = width_of(length)
    place_text(ids, summary, summary_stop, words, masks)
    if len(orders) and orders[-1] == PLACE_ORDERS:
        counts = _counts_of_width(words, ids, summary, summary_stop, start, stop, PLACE_ORDERS, bits)
    else:
        counts = _counts_of_width(words, ids, summary, summary_stop, start, stop, PLACE_ORDERS - 1, bits)
    lift_text(ids, summary, summary_stop, words, masks)
    for k in range(len(orders)):
        grams = length - orders[k] + 1
        if grams > 0:
            distinct, repeated, known, shared = counts[orders[k] - 1]
            out[2 * k] = (grams - known) / grams if by_token else (distinct - shared) / distinct
            out[2 * k + 1] = repeated / distinct
        elif parity:
            out[2 * k], out[2 * k + 1] = 0.0, 0.0
