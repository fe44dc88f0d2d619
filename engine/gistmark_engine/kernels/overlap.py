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

    The texts are noted as what they have in common: entry (id + 1) and position of the base's tokens, and of the target's
    that the base has. `grams`: for each of them the gram that starts there. `wanted`: entries the one target has.
    """

    table: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    used: np.ndarray
    grams: np.ndarray
    base_entries: np.ndarray
    base_places: np.ndarray
    entries: np.ndarray
    places: np.ndarray
    wanted: np.ndarray


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
    start, stop, size, kept = np.int64(-1), np.int64(-1), np.int64(0), np.int64(0)
    for p in range(len(pairs.target)):
        target, target_stop = pairs.target[p, 0], pairs.target[p, 1]
        if not _same_span(pairs.base, p, start, stop):
            _forget_base(size, scratch)
            forget_masks(kept, masks)
            start, stop = pairs.base[p, 0], pairs.base[p, 1]
            alone = target_stop - target <= 2 * (stop - start) and (
                p + 1 == len(pairs.target) or not _same_span(pairs.base, p + 1, start, stop)
            )
            if alone:
                _flag(pairs.ids, target, target_stop, scratch.wanted, 1)
            size = _keep(pairs.ids, start, stop, alone, scratch)
            if alone:
                _flag(pairs.ids, target, target_stop, scratch.wanted, 0)
            _learn_base(size, top, scratch)
            if lcs:
                kept = _within(size, start, cap, scratch)
                learn_masks(scratch.base_entries, kept, masks)
        if target >= 0:
            known = _known(pairs.ids, target, target_stop, scratch)
            if len(orders):
                _match(known, orders, mode, gram_shift(size), scratch, out, p)
            if lcs:
                out[len(orders), p] = lcs_length(scratch.entries, known, scratch.base_entries, kept, masks)


@inlined
def _same_span(spans, p, start, stop):
    return spans[p, 0] == start and spans[p, 1] == stop


@inlined
def _flag(ids, start, stop, wanted, value):
    for i in range(start, stop):
        wanted[ids[i] + 1] = value


@inlined
def _keep(ids, start, stop, alone, scratch):
    """Note the base's tokens that can be matched: if it has one target, and no long one, those of the target, otherwise
    all that have an id. Returns how many; nothing else of the base is looked at again."""
    wanted, entries, places = scratch.wanted, scratch.base_entries, scratch.base_places
    size = np.int64(0)
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        entries[size], places[size] = entry, i
        size += np.int64(entry > 0) if not alone else np.int64(wanted[entry] & (entry > 0))
    return size


@inlined
def _within(size, start, cap, scratch):
    """How many of the base's kept tokens are among its first `cap`."""
    while cap >= 0 and size > 0 and scratch.base_places[size - 1] >= start + cap:
        size -= 1
    return size


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
        np.empty(base + 1, np.int64),
        np.empty(base + 1, np.int64),
        np.empty(target + 1, np.int64),
        np.empty(target + 1, np.int64),
        np.zeros(entries, np.uint8),
    )


@inlined
def _forget_base(size, scratch):
    """Zero the counts of the base's tokens; those of its longer grams are set when they are made."""
    counts, entries = scratch.counts[1], scratch.base_entries
    for i in range(size):
        counts[entries[i]] = 0


@inlined
def _learn_base(size, top, scratch):
    """Count the base's grams of every order up to `top`; a gram holds no token that is not kept."""
    counts, grams, entries, places = scratch.counts[1], scratch.grams, scratch.base_entries, scratch.base_places
    for i in range(size):
        grams[i] = entries[i]
        counts[entries[i]] += 1
    shift = gram_shift(size)
    for order in range(2, top + 1):
        table, keys, counts = scratch.table[order], scratch.keys[order], scratch.counts[order]
        table[: np.int64(1) << (64 - shift)] = 0
        grown = np.int64(0)
        for i in range(size):
            end = i + order - 1
            prefix, grams[i] = grams[i], 0
            if prefix > 0 and end < size and places[end] - places[i] == order - 1:
                entry, more = add_gram(gram_key(prefix, entries[end]), table, shift, keys, grown)
                counts[entry] = np.int32(1) if more != grown else np.int32(counts[entry] + 1)
                grams[i], grown = entry, more


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
