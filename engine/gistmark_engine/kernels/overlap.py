"""How much of one text is in another: clipped n-gram matches and longest common subsequence, for many pairs of texts.

A pair is a target and a base with ids of one vocabulary. Pairs with the same base stand together, and what the base
needs (its counts, its gram tables, its bit masks) is built once for all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift
from gistmark_engine.kernels.lcs import forget_masks, lcs_length, learn_masks, make_mask_scratch


class Pairs(NamedTuple):
    """Spans [pairs, 2] of targets and bases in `ids`; `vocabulary` bounds every id. A null text's span is -1, -1."""

    ids: np.ndarray
    target: np.ndarray
    base: np.ndarray
    vocabulary: int


MULTISET, SET, MEMBERSHIP = range(3)
"""What counts as shared: min of both counts; distinct grams of both; every gram of the target that the base has."""


class GramScratch(NamedTuple):
    """Per order k (row k): table and keys of the base's grams, how often the base has each, how many a target has used.

    `grams`: for each token of the base, or each token of the target that the base has too, the gram that starts there.
    `entries`, `places`: the entry (id + 1) and the position of those target tokens.
    """

    table: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    used: np.ndarray
    grams: np.ndarray
    entries: np.ndarray
    places: np.ndarray


@kernel
def overlap_pairs(pairs, orders, mode, lcs, cap):
    """Shared n-grams of each pair: int64 [len(orders) + 1, pairs], a row an order; the last row is the LCS length.

    orders  ascending int64 n-gram orders, 1 to 9; `lcs`: whether to fill the last row; `cap`: how many tokens of the base
    the LCS sees (all if negative). Null texts give 0.
    """
    count = len(pairs.target)
    out = np.zeros((len(orders) + 1, count), np.int64)
    top = orders[-1] if len(orders) else np.int64(1)
    scratch = _make_gram_scratch(pairs, top)
    masks = make_mask_scratch(pairs.vocabulary, _longest(pairs.base), _longest(pairs.target))
    _overlap(pairs, orders, mode, lcs, cap, scratch, masks, out)
    return out


@inlined
def _overlap(pairs, orders, mode, lcs, cap, scratch, masks, out):
    pairs, orders, scratch, masks, out = (
        borrowed(pairs), borrowed(orders), borrowed(scratch), borrowed(masks), borrowed(out)
    )  # fmt: skip
    top = len(scratch.counts) - 1
    start, stop, shift, kept = np.int64(-1), np.int64(-1), np.int64(60), np.int64(0)
    for p in range(len(pairs.target)):
        if pairs.base[p, 0] != start or pairs.base[p, 1] != stop:
            _forget_base(pairs.ids, start, stop, scratch)
            forget_masks(kept, masks)
            start, stop = pairs.base[p, 0], pairs.base[p, 1]
            shift = gram_shift(stop - start)
            _learn_base(pairs.ids, start, stop, top, shift, scratch)
            if lcs:
                kept = learn_masks(pairs.ids, start, _capped(start, stop, cap), masks)
        if pairs.target[p, 0] >= 0:
            known = _known(pairs.ids, pairs.target[p, 0], pairs.target[p, 1], scratch)
            if len(orders):
                _match(known, orders, mode, shift, scratch, out, p)
            if lcs:
                out[len(orders), p] = lcs_length(scratch.entries, known, kept, masks)


@inlined
def _capped(start, stop, cap):
    return stop if cap < 0 else min(stop, start + cap)


@inlined
def _longest(spans):
    longest = np.int64(0)
    for p in range(len(spans)):
        longest = max(longest, spans[p, 1] - spans[p, 0])
    return longest


@inlined
def _make_gram_scratch(pairs, top):
    base, target = _longest(pairs.base), _longest(pairs.target)
    slots = np.int64(1) << (64 - gram_shift(base))
    entries = max(base, pairs.vocabulary) + 2
    return GramScratch(
        np.empty((top + 1, slots if top > 1 else 1), np.uint32),
        np.empty((top + 1, base + 2 if top > 1 else 1), np.uint64),
        np.zeros((top + 1, entries), np.int32),
        np.zeros((top + 1, entries), np.int32),
        np.empty(max(base, target) + 1, np.int64),
        np.empty(target + 1, np.int64),
        np.empty(target + 1, np.int64),
    )


@inlined
def _forget_base(ids, start, stop, scratch):
    """Zero the counts of the base's tokens; those of its longer grams are set when they are made."""
    counts = scratch.counts[1]
    for i in range(start, stop):
        counts[ids[i] + 1] = 0


@inlined
def _learn_base(ids, start, stop, top, shift, scratch):
    """Count the base's grams of every order up to `top`; a gram with a token nobody has, entry 0, is not counted."""
    counts, grams = scratch.counts[1], scratch.grams
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        grams[i - start] = entry
        counts[entry] += 1
    counts[0] = 0
    for order in range(2, top + 1):
        table, keys, counts = scratch.table[order], scratch.keys[order], scratch.counts[order]
        table[: np.int64(1) << (64 - shift)] = 0
        size = np.int64(0)
        for i in range(stop - start - order + 1):
            prefix, token = grams[i], np.int64(ids[start + i + order - 1]) + 1
            grams[i] = 0
            if prefix > 0 and token > 0:
                entry, grown = add_gram(gram_key(prefix, token), table, shift, keys, size)
                counts[entry] = np.int32(1) if grown != size else np.int32(counts[entry] + 1)
                grams[i], size = entry, grown


@inlined
def _known(ids, start, stop, scratch):
    """Note the target's tokens that the base has too; returns how many. The others take no part in anything."""
    counts, entries, places, grams = scratch.counts[1], scratch.entries, scratch.places, scratch.grams
    known = np.int64(0)
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        entries[known], places[known], grams[known] = entry, i, entry
        known += np.int64(counts[entry] > 0)
    return known


@inlined
def _match(known, orders, mode, shift, scratch, out, p):
    """Matches of one target with the learned base, for each order asked for."""
    asked = 0
    for order in range(1, orders[-1] + 1):
        if order > 1:
            _extend(known, order, shift, scratch)
        if orders[asked] == order:
            out[asked, p] = _count_shared(known, mode, scratch.counts[order], scratch.used[order], scratch.grams)
            asked += 1


@inlined
def _extend(known, order, shift, scratch):
    """Turn the target's grams of order - 1 into those of `order`, 0 where the base has no such gram."""
    table, keys, grams = scratch.table[order], scratch.keys[order], scratch.grams
    entries, places = scratch.entries, scratch.places
    for k in range(known):
        end = k + order - 1
        prefix, grams[k] = grams[k], 0
        if prefix > 0 and end < known and places[end] - places[k] == order - 1:
            _, grams[k] = find_gram(gram_key(prefix, entries[end]), table, shift, keys)


@inlined
def _count_shared(known, mode, counts, used, grams):
    """How many grams are matched, each gram of the base used once (multiset), or in another `mode`; entry 0 never is."""
    shared = np.int64(0)
    for k in range(known):
        gram = grams[k]
        times = used[gram]
        limit = counts[gram] if mode == MULTISET else np.int32(counts[gram] > 0)
        shared += np.int64(limit > 0) if mode == MEMBERSHIP else np.int64(times < limit)
        used[gram] = times + 1
    for k in range(known):
        used[grams[k]] = 0
    return shared
