"""n-grams two texts share, counted in tables of the base's grams: for bases with too many places to be bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift
from gistmark_engine.kernels.kept import MEMBERSHIP, MULTISET


class Tables(NamedTuple):
    """Per order k (row k): table and keys of the base's grams, how often the base has each, how many a target has used.

    grams  for each token kept of the text at hand the entry of the gram that starts there, 0 for none
    """

    table: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    used: np.ndarray
    grams: np.ndarray


@inlined
def make_tables(top, base, target, vocabulary):
    slots = np.int64(1) << (64 - gram_shift(base))
    entries = max(base, vocabulary) + 2
    return Tables(
        np.empty((top + 1, slots if top > 1 else 1), np.uint32),
        np.empty((top + 1, base + 2 if top > 1 else 1), np.uint64),
        np.zeros((top + 1, entries), np.int32),
        np.zeros((top + 1, entries), np.int32),
        np.empty(max(base, target) + 1, np.int64),
    )


@inlined
def learn_tables(size, top, kept, tables):
    """Count the base's grams of every order up to `top`; a gram holds no token that is not kept."""
    counts, grams, entries, places = tables.counts[1], tables.grams, kept.base, kept.base_places
    for i in range(size):
        grams[i] = entries[i]
        counts[entries[i]] += 1
    shift = gram_shift(size)
    for order in range(2, top + 1):
        table, keys, counts = tables.table[order], tables.keys[order], tables.counts[order]
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
def forget_tables(size, kept, tables):
    """Zero the counts of the base's tokens; those of its longer grams are set when they are made."""
    for i in range(size):
        tables.counts[1, kept.base[i]] = 0


@inlined
def count_tables(known, size, asked, kept, tables, out, p):
    """Shared grams of each order asked for, of the `known` tokens of a target with the learned base."""
    orders, shift = asked.orders, gram_shift(size)
    for k in range(known):
        tables.grams[k] = kept.target[k]
    at = 0
    for order in range(1, orders[-1] + 1 if len(orders) else 1):
        if order > 1:
            _extend(known, order, shift, kept, tables)
        if orders[at] == order:
            out[at, p] = _count_shared(known, asked.mode, tables.counts[order], tables.used[order], tables.grams)
            at += 1


@inlined
def _extend(known, order, shift, kept, tables):
    """Turn the target's grams of order - 1 into those of `order`, 0 where the base has no such gram."""
    table, keys, grams = tables.table[order], tables.keys[order], tables.grams
    entries, places = kept.target, kept.target_places
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
