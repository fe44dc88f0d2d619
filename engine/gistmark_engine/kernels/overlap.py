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
from gistmark_engine.kernels.lcs import clear_masks, lcs_length, make_mask_scratch, set_masks


class Pairs(NamedTuple):
    """Spans [pairs, 2] of targets and bases in `ids`; `vocabulary` bounds every id. A null text's span is -1, -1."""

    ids: np.ndarray
    target: np.ndarray
    base: np.ndarray
    vocabulary: int


MULTISET, SET, MEMBERSHIP = range(3)
"""What counts as shared: min of both counts; distinct grams of both; every gram of the target that the base has."""


class GramScratch(NamedTuple):
    """Per order k (row k): table and keys of the base's grams, how often each occurs, how many are left to match."""

    table: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    left: np.ndarray
    base: np.ndarray
    target: np.ndarray


@kernel
def overlap_pairs(pairs, orders, mode, lcs, cap):
    """Shared n-grams of each pair: int64 [len(orders) + 1, pairs], a row an order; the last row is the LCS length.

    orders  ascending int64 n-gram orders, 1 to 9; `lcs`: whether to fill the last row; `cap`: how many tokens of the base
    the LCS sees (all if negative). Null texts give 0.
    """
    count = len(pairs.target)
    out = np.zeros((len(orders) + 1, count), np.int64)
    top = orders[-1] if len(orders) else 0
    scratch = _make_gram_scratch(pairs, top)
    masks = make_mask_scratch(pairs.vocabulary if lcs else 0, _longest(pairs.target) if lcs else 0)
    _overlap(pairs, orders, mode, lcs, cap, scratch, masks, out)
    return out


@inlined
def _overlap(pairs, orders, mode, lcs, cap, scratch, masks, out):
    pairs, orders, scratch, masks, out = (
        borrowed(pairs), borrowed(orders), borrowed(scratch), borrowed(masks), borrowed(out)
    )  # fmt: skip
    top = len(scratch.counts) - 1
    start, stop, shift = np.int64(-1), np.int64(-1), np.int64(60)
    for p in range(len(pairs.target)):
        if pairs.base[p, 0] != start or pairs.base[p, 1] != stop:
            _forget_base(pairs.ids, start, stop, top, scratch)
            if lcs:
                clear_masks(pairs.ids, start, _capped(start, stop, cap), masks)
            start, stop = pairs.base[p, 0], pairs.base[p, 1]
            shift = gram_shift(stop - start)
            _learn_base(pairs.ids, start, stop, top, shift, scratch)
            if lcs:
                set_masks(pairs.ids, start, _capped(start, stop, cap), masks)
        if pairs.target[p, 0] >= 0:
            if top > 0:
                _match(pairs.ids, pairs.target[p, 0], pairs.target[p, 1], orders, mode, shift, scratch, out, p)
            if lcs:
                out[len(orders), p] = lcs_length(
                    pairs.ids, pairs.target[p, 0], pairs.target[p, 1], start, _capped(start, stop, cap), masks
                )


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
        np.empty((top + 1, slots if top > 1 else 1), np.int32),
        np.empty((top + 1, base + 2 if top > 1 else 1), np.uint64),
        np.zeros((top + 1, entries), np.int32),
        np.zeros((top + 1, entries), np.int32),
        np.empty(base + 1, np.int64),
        np.empty(target + 1, np.int64),
    )


@inlined
def _forget_base(ids, start, stop, top, scratch):
    """Zero the counts of the base's tokens; those of its longer grams are zeroed when they are made."""
    if top > 0:
        for i in range(start, stop):
            scratch.counts[1, ids[i] + 1] = 0
            scratch.left[1, ids[i] + 1] = 0


@inlined
def _learn_base(ids, start, stop, top, shift, scratch):
    """Count the base's grams of every order up to `top`."""
    if top > 0:
        for i in range(start, stop):
            entry = np.int64(ids[i]) + 1
            scratch.base[i - start] = entry
            scratch.counts[1, entry] += 1
            scratch.left[1, entry] += 1
    for order in range(2, top + 1):
        table, keys, counts, left = (
            scratch.table[order],
            scratch.keys[order],
            scratch.counts[order],
            scratch.left[order],
        )
        table[: np.int64(1) << (64 - shift)] = 0
        size = np.int64(0)
        for i in range(stop - start - order + 1):
            key = gram_key(scratch.base[i], np.int64(ids[start + i + order - 1]) + 1)
            known = size
            entry, size = add_gram(key, table, shift, keys, size)
            if size != known:
                counts[entry] = 0
            counts[entry] += 1
            left[entry] = counts[entry]
            scratch.base[i] = entry


@inlined
def _match(ids, start, stop, orders, mode, shift, scratch, out, p):
    """Matches of one target with the learned base, for each order asked for."""
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        scratch.target[i - start] = entry if scratch.counts[1, entry] > 0 else 0
    asked = 0
    for order in range(1, orders[-1] + 1):
        grams = stop - start - order + 1
        if order > 1:
            _extend(ids, start, grams, order, shift, scratch)
        if orders[asked] == order:
            out[asked, p] = _count_shared(grams, mode, scratch.counts[order], scratch.left[order], scratch.target)
            asked += 1


@inlined
def _extend(ids, start, grams, order, shift, scratch):
    """Turn the target's gram entries of order - 1 into those of `order`, 0 where the base has no such gram."""
    table, keys = scratch.table[order], scratch.keys[order]
    for i in range(grams):
        prefix, token = scratch.target[i], np.int64(ids[start + i + order - 1]) + 1
        entry = np.int64(0)
        if prefix > 0 and scratch.counts[1, token] > 0:
            _, entry = find_gram(gram_key(prefix, token), table, shift, keys)
        scratch.target[i] = entry


@inlined
def _count_shared(grams, mode, counts, left, entries):
    """How many of the target's grams are matched, each gram of the base used once (multiset), or in another `mode`."""
    shared = np.int64(0)
    if mode == MEMBERSHIP:
        for i in range(grams):
            shared += np.int64(counts[entries[i]] > 0)
        return shared
    for i in range(grams):
        remaining = left[entries[i]]
        matched = np.int32(remaining > 0)
        shared += matched
        left[entries[i]] = np.int32(0) if mode == SET else np.int32(remaining - matched)
    for i in range(grams):
        left[entries[i]] = counts[entries[i]]
    return shared
