"""How much of one text is in another: clipped n-gram matches and longest common subsequence, for many pairs of texts.

A pair is a target and a base with ids of one vocabulary. Pairs with the same base stand together, and what the base
needs is built once for all of them: bit masks of its places where few of its tokens matter, gram tables otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.kept import FEW, MULTISET, all_known, keep_base, known_target, make_kept
from gistmark_engine.kernels.lcs import forget_masks, lcs_length, learn_masks, make_masks, words_of, zeros, zeros_in
from gistmark_engine.kernels.places import (
    PLACE_ORDERS,
    fits_places,
    learn_places,
    make_places,
    match_width,
    match_word,
    width_of,
)
from gistmark_engine.kernels.spans import longest
from gistmark_engine.kernels.tables import count_tables, forget_tables, learn_tables, make_tables


class Pairs(NamedTuple):
    """Spans [pairs, 2] of targets and bases in `ids`; `vocabulary` bounds every id. A null text's span is -1, -1."""

    ids: np.ndarray
    target: np.ndarray
    base: np.ndarray
    vocabulary: int


class Asked(NamedTuple):
    """Ascending int64 n-gram orders, 1 to 9; what counts as shared; whether the LCS is wanted, and how many tokens of the
    base it sees (all if negative)."""

    orders: np.ndarray
    mode: int
    lcs: bool
    cap: int


@kernel
def overlap_pairs(pairs, orders, mode, lcs, cap):
    """Shared n-grams of each pair: int64 [len(orders) + 1, pairs], a row an order; the last row is the LCS length.

    orders  ascending int64 n-gram orders, 1 to 9; `lcs`: whether to fill the last row; `cap`: how many tokens of the base
    the LCS sees (all if negative). Null texts give 0.
    """
    out = np.zeros((len(orders) + 1, len(pairs.target)), np.int64)
    top = orders[-1] if len(orders) else np.int64(1)
    base, target = longest(pairs.base), longest(pairs.target)
    kept = make_kept(base, target, pairs.vocabulary)
    masks, places = make_masks(pairs.vocabulary, base, target), make_places()
    tables = make_tables(top, base, target, pairs.vocabulary)
    _overlap(pairs, Asked(orders, mode, lcs, cap), kept, masks, places, tables, out)
    return out


@inlined
def _overlap(pairs, asked, kept, masks, places, tables, out):
    """All pairs, base by base."""
    pairs, asked, kept = borrowed(pairs), borrowed(asked), borrowed(kept)
    masks, places, tables, out = borrowed(masks), borrowed(places), borrowed(tables), borrowed(out)
    top = len(tables.counts) - 1
    first, turn, count = np.int64(0), np.int64(0), len(pairs.target)
    while first < count:
        last, turn = _last_of_base(pairs.base, first), turn + 1
        size = keep_base(pairs, first, last, turn, kept)
        within = _within(size, pairs.base[first, 0], asked.cap, kept)
        by_places = _by_places(size, top, asked.mode)
        words = width_of(size) if by_places else words_of(size)
        learn_masks(kept.base, size, words, masks)
        if by_places:
            learn_places(size, words, kept, places)
        else:
            learn_tables(size, top, kept, tables)
        for p in range(first, last):
            if pairs.target[p, 0] < 0:
                continue
            if by_places and words == 1:
                _match_word(pairs, p, within, top, asked, masks, places, out)
            elif by_places:
                _match_wide(pairs, p, words, within, turn, top, asked, kept, masks, places, out)
            else:
                _match_tables(pairs, p, size, within, turn, asked, kept, masks, tables, out)
        if not by_places:
            forget_tables(size, kept, tables)
        forget_masks(size, words, masks)
        first = last


@inlined
def _by_places(size, top, mode):
    """Whether bits of places count the grams up to an order; the rarer modes are written for the commonest case alone."""
    if mode == MULTISET:
        return fits_places(size, top)
    return size <= 64 and top <= 2


@inlined
def _last_of_base(base, first):
    last = first + 1
    while last < len(base) and base[last, 0] == base[first, 0] and base[last, 1] == base[first, 1]:
        last += 1
    return last


@inlined
def _within(size, start, cap, kept):
    """How many of the base's kept tokens are among its first `cap`."""
    while cap >= 0 and size > 0 and kept.base_places[size - 1] >= start + cap:
        size -= 1
    return size


@inlined
def _match_word(pairs, p, within, top, asked, masks, places, out):
    """A target with a base of one word of places; the usual cases are written out, so that the others cost them nothing."""
    start, stop = pairs.target[p, 0], pairs.target[p, 1]
    adjacent, bits = places.adjacent[0], masks.masks.ctypes.data + 8
    if asked.mode != MULTISET:
        shared, row = match_word(pairs.ids, start, stop, adjacent, asked.mode, 2, bits)
    elif top > 2:
        shared, row = match_word(pairs.ids, start, stop, adjacent, MULTISET, PLACE_ORDERS, bits)
    else:
        shared, row = match_word(pairs.ids, start, stop, adjacent, MULTISET, 2, bits)
    _put(shared, zeros(row, within), asked, out, p)


@inlined
def _match_wide(pairs, p, words, within, turn, top, asked, kept, masks, places, out):
    """A target with a base of several words of places."""
    known = known_target(pairs.ids, pairs.target[p, 0], pairs.target[p, 1], turn, kept)
    bits, adjacent, row = masks.masks.ctypes.data, places.adjacent.ctypes.data, places.row.ctypes.data
    if top > 2:
        shared = match_width(words, known, kept, PLACE_ORDERS, bits, adjacent, row)
    else:
        shared = match_width(words, known, kept, 2, bits, adjacent, row)
    _put(shared, zeros_in(places.row, words, within), asked, out, p)


@inlined
def _put(shared, length, asked, out, p):
    for k in range(len(asked.orders)):
        out[k, p] = shared[asked.orders[k] - 1]
    out[len(asked.orders), p] = length if asked.lcs else 0


@inlined
def _match_tables(pairs, p, size, within, turn, asked, kept, masks, tables, out):
    """A target with a base whose grams are in tables."""
    start, stop = pairs.target[p, 0], pairs.target[p, 1]
    flagged = pairs.base[p, 1] - pairs.base[p, 0] > FEW
    known = known_target(pairs.ids, start, stop, turn, kept) if flagged else all_known(pairs.ids, start, stop, kept)
    count_tables(known, size, asked, kept, tables, out, p)
    if asked.lcs:
        out[len(asked.orders), p] = lcs_length(kept.target, known, kept.base, size, within, masks)
