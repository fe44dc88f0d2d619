"""Clipped n-gram matches of a text with all its references at once: a gram counts as often as the reference richest in it.

Rows of a group share their references, whose counts are made once for all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift
from gistmark_engine.kernels.spans import longest


class Pool(NamedTuple):
    """Per order (row): the table and keys of the references' grams, the most that one reference has of each, and how many
    of the text at hand are counted so far. `entries` holds the gram that begins at each place of that text."""

    table: np.ndarray
    keys: np.ndarray
    most: np.ndarray
    seen: np.ndarray
    entries: np.ndarray


@kernel
def pooled_overlap(cut, groups, top):
    """int64 [top, rows]: for order n in row n - 1, the summary's n-grams matched, each clipped to its largest count in one
    reference. Null texts give 0."""
    out = np.zeros((top, len(cut.summary)), np.int64)
    pool = _make_pool(cut, top)
    for g in range(len(groups.offsets) - 1):
        shift = gram_shift(_reference_tokens(cut, g))
        _learn(cut, g, shift, pool)
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            if cut.summary[row, 0] >= 0:
                _match(cut.ids, cut.summary[row, 0], cut.summary[row, 1], shift, pool, out[:, row])
        _forget(cut, g, pool)
    return out


@inlined
def _reference_tokens(cut, g):
    count = np.int64(0)
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        count += cut.reference[k, 1] - cut.reference[k, 0]
    return count


@inlined
def _make_pool(cut, top):
    tokens, vocabulary = np.int64(0), np.int64(0)
    for g in range(len(cut.reference_offsets) - 1):
        tokens = max(tokens, _reference_tokens(cut, g))
        vocabulary = max(vocabulary, cut.vocabulary[g])
    size = max(tokens, vocabulary) + 2
    return Pool(
        np.empty((top + 1, np.int64(1) << (64 - gram_shift(tokens))), np.uint32),
        np.empty((top + 1, size), np.uint64),
        np.zeros((top + 1, size), np.int32),
        np.zeros((top + 1, size), np.int32),
        np.empty(max(longest(cut.reference), longest(cut.summary)) + 1, np.int64),
    )


@inlined
def _learn(cut, g, shift, pool):
    """The most that one reference of the group has of each gram."""
    top = len(pool.table) - 1
    sizes = np.zeros(top + 1, np.int64)
    for order in range(2, top + 1):
        pool.table[order, : np.int64(1) << (64 - shift)] = 0
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        start, stop = cut.reference[k, 0], cut.reference[k, 1]
        for order in range(1, top + 1):
            grams = stop - start - order + 1
            for i in range(grams):
                token = np.int64(cut.ids[start + i + order - 1]) + 1
                entry = token
                if order > 1:
                    prefix, known, entry = pool.entries[i], sizes[order], np.int64(0)
                    if prefix > 0 and token > 0:
                        key = gram_key(prefix, token)
                        entry, sizes[order] = add_gram(key, pool.table[order], shift, pool.keys[order], known)
                    if entry > known:
                        pool.most[order, entry] = 0
                pool.entries[i] = entry
                pool.seen[order, entry] += 1
                pool.most[order, entry] = max(pool.most[order, entry], pool.seen[order, entry])
            _unsee(grams, pool.entries, pool.seen[order])


@inlined
def _match(ids, start, stop, shift, pool, out):
    """The matches of one summary, an order at a time; a gram whose prefix no reference has is not looked for."""
    for order in range(1, len(pool.table)):
        grams, most, seen = stop - start - order + 1, pool.most[order], pool.seen[order]
        for i in range(grams):
            token = np.int64(ids[start + i + order - 1]) + 1
            entry = token if pool.most[1, token] > 0 else np.int64(0)
            if order > 1 and entry > 0:
                prefix, entry = pool.entries[i], np.int64(0)
                if prefix > 0:
                    _, entry = find_gram(gram_key(prefix, token), pool.table[order], shift, pool.keys[order])
            pool.entries[i] = entry
            seen[entry] += 1
            out[order - 1] += np.int64((entry > 0) & (seen[entry] <= most[entry]))
        _unsee(grams, pool.entries, seen)


@inlined
def _unsee(grams, entries, seen):
    for i in range(grams):
        seen[entries[i]] = 0


@inlined
def _forget(cut, g, pool):
    """Zero the counts of the group's tokens; those of its longer grams are zeroed when they are made."""
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        for i in range(cut.reference[k, 0], cut.reference[k, 1]):
            pool.most[1, np.int64(cut.ids[i]) + 1] = 0
