"""How much of one text is in another: clipped n-gram matches and longest common subsequence, for many pairs of texts.

A pair is a target and a base with ids of one vocabulary. Pairs with the same base stand together, and what the base
needs is built once for all of them: bit masks of its places where few of its tokens matter, gram tables otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.kept import FEW, MULTISET, SET, all_known, keep_base, known_target, make_kept
from gistmark_engine.kernels.lcs import forget_masks, lcs_length, learn_masks, make_masks, words_of
from gistmark_engine.kernels.places import (
    ONES,
    fits_places,
    learn_adjacent,
    lift_text,
    make_adjacent,
    match_fours,
    match_members,
    match_pairs,
    match_set,
    place_text,
    width_of,
)
from gistmark_engine.kernels.spans import longest
from gistmark_engine.kernels.tables import count_tables, forget_tables, learn_tables, make_tables
from gistmark_engine.wide import zero


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
    masks, adjacent = make_masks(pairs.vocabulary, base, target), make_adjacent()
    tables = make_tables(top, base, target, pairs.vocabulary)
    _overlap(pairs, Asked(orders, mode, lcs, cap), kept, masks, adjacent, tables, out)
    return out


@inlined
def _overlap(pairs, asked, kept, masks, adjacent, tables, out):
    """All pairs, base by base: a short base as it is, of a long one the tokens that its targets have."""
    pairs, asked, kept = borrowed(pairs), borrowed(asked), borrowed(kept)
    masks, adjacent, tables, out = borrowed(masks), borrowed(adjacent), borrowed(tables), borrowed(out)
    top = len(tables.counts) - 1
    first, turn, count = np.int64(0), np.int64(0), len(pairs.target)
    while first < count:
        last, turn = _last_of_base(pairs.base, first), turn + 1
        start, stop = pairs.base[first, 0], pairs.base[first, 1]
        if _by_places(stop - start, top, asked.mode):
            words, within = width_of(stop - start), stop - start if asked.cap < 0 else min(stop - start, asked.cap)
            adjacent[:] = ONES
            place_text(pairs.ids, start, stop, words, masks)
            _match_places(pairs, first, last, words, within, top, asked, masks, adjacent, out)
            lift_text(pairs.ids, start, stop, words, masks)
        else:
            _match_kept(pairs, first, last, turn, top, asked, kept, masks, adjacent, tables, out)
        first = last


@inlined
def _match_kept(pairs, first, last, turn, top, asked, kept, masks, adjacent, tables, out):
    """The pairs of a base of which only the tokens that its targets have are looked at."""
    size = keep_base(pairs, first, last, turn, kept)
    within = _within(size, pairs.base[first, 0], asked.cap, kept)
    if _by_places(size, top, asked.mode):
        words = width_of(size)
        learn_masks(kept.base, size, words, masks)
        learn_adjacent(size, kept, adjacent)
        _match_places(pairs, first, last, words, within, top, asked, masks, adjacent, out)
    else:
        words = words_of(size)
        learn_masks(kept.base, size, words, masks)
        learn_tables(size, top, kept, tables)
        for p in range(first, last):
            if pairs.target[p, 0] >= 0:
                _match_tables(pairs, p, size, within, turn, asked, kept, masks, tables, out)
        forget_tables(size, kept, tables)
    forget_masks(size, words, masks)


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
def _match_places(pairs, first, last, words, within, top, asked, masks, adjacent, out):
    """The pairs of a base whose places are bits."""
    ids, bits, follow = pairs.ids.ctypes.data, masks.masks.ctypes.data, adjacent.ctypes.data
    for p in range(first, last):
        start, stop = pairs.target[p, 0], pairs.target[p, 1]
        if start < 0:
            continue
        if asked.mode == SET:
            shared, length = match_set(zero(1), ids, start, stop, bits, follow, within)
        elif asked.mode != MULTISET:
            shared, length = match_members(zero(1), ids, start, stop, bits, follow, within)
        elif top > 2:
            shared, length = match_fours(words, ids, start, stop, bits, follow, within)
        else:
            shared, length = match_pairs(words, ids, start, stop, bits, follow, within)
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
