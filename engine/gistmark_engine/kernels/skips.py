"""Skip-bigrams that two texts share: two words in order with at most a given number of others between them (ROUGE-S, -SU).

As in ROUGE-1.5.5, beside the pairs that begin at a word the word itself is a unit of ROUGE-SU; since the last word begins no
pair, it is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift

PAIRS, WORDS = range(2)
"""Rows of what is counted."""


class SkipScratch(NamedTuple):
    """Table and keys of the base's units, how often the base has each, how many the target has used, and those it used."""

    table: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    used: np.ndarray
    matched: np.ndarray


@kernel
def skip_hits(pairs, gap):
    """int64 [2, pairs]: shared skip-bigrams, then shared words that are not their text's last; each matched once.

    gap     most words between the two; `pairs`: as for `kernels.overlap.overlap_pairs`. Null texts give 0.
    """
    out = np.zeros((2, len(pairs.target)), np.int64)
    base, target = _most_units(pairs.base, gap), _most_units(pairs.target, gap)
    scratch = SkipScratch(
        np.empty(np.int64(1) << (64 - gram_shift(base)), np.uint32),
        np.empty(base + 2, np.uint64),
        np.zeros(base + 2, np.int32),
        np.zeros(base + 2, np.int32),
        np.empty(target + 1, np.int64),
    )
    _count(pairs, gap, scratch, out)
    return out


@inlined
def _most_units(spans, gap):
    longest = np.int64(0)
    for p in range(len(spans)):
        longest = max(longest, _units(spans[p, 1] - spans[p, 0], gap))
    return longest


@inlined
def _units(length, gap):
    """An upper bound of the units of a text."""
    return length * (min(gap + 1, length) + 1)


@inlined
def _count(pairs, gap, scratch, out):
    pairs, scratch, out = borrowed(pairs), borrowed(scratch), borrowed(out)
    start, stop, shift = np.int64(-1), np.int64(-1), np.int64(0)
    for p in range(len(pairs.target)):
        if pairs.base[p, 0] != start or pairs.base[p, 1] != stop:
            start, stop = pairs.base[p, 0], pairs.base[p, 1]
            shift = gram_shift(_units(stop - start, gap))
            _learn(pairs.ids, start, stop, gap, shift, scratch)
        _match(pairs.ids, pairs.target[p, 0], pairs.target[p, 1], gap, shift, scratch, out[:, p])


@inlined
def _learn(ids, start, stop, gap, shift, scratch):
    """Count the units of the base."""
    size = np.int64(0)
    scratch.table[: np.int64(1) << (64 - shift)] = 0
    for i in range(start, stop - 1):
        for j in range(i, min(i + gap + 2, stop)):
            key = _key(ids, i, j)
            if key != 0:
                entry, more = add_gram(key, scratch.table, shift, scratch.keys, size)
                scratch.counts[entry] = np.int32(1) if more != size else scratch.counts[entry] + np.int32(1)
                size = more


@inlined
def _key(ids, i, j):
    """The unit of two places, or of one; 0 if it holds a token that only one text has."""
    first, second = np.int64(ids[i]) + 1, np.int64(ids[j]) + 1
    if first == 0 or second == 0:
        return np.uint64(0)
    return gram_key(first, second if j > i else np.int64(0))


@inlined
def _match(ids, start, stop, gap, shift, scratch, out):
    matched = np.int64(0)
    for i in range(start, stop - 1):
        for j in range(i, min(i + gap + 2, stop)):
            key = _key(ids, i, j)
            if key != 0:
                _, entry = find_gram(key, scratch.table, shift, scratch.keys)
                if entry > 0 and scratch.used[entry] < scratch.counts[entry]:
                    scratch.used[entry] += 1
                    scratch.matched[matched] = entry
                    matched += 1
                    out[WORDS if j == i else PAIRS] += 1
    for k in range(matched):
        scratch.used[scratch.matched[k]] = 0
