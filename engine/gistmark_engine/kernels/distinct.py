"""The sentences of a text, each once: what is true of one is true of those that repeat it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.spans import longest

PRIME, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class Distinct(NamedTuple):
    """`spans` [sentences, 3]: where in the ids a sentence starts and stops, and its slot of `table`, which holds numbers of
    spans, from 1, and 0 where it is free."""

    spans: np.ndarray
    table: np.ndarray


@inlined
def make_distinct(texts):
    most, slots = max(longest(texts.sentence), np.int64(1)), np.int64(2)
    while slots < 2 * most:
        slots *= 2
    return Distinct(np.empty((most, 3), np.int64), np.zeros(slots, np.int64))


@inlined
def distinct_sentences(texts, text, distinct):
    """Note the sentences of a text that hold anything, each at its first place; returns how many."""
    kept, first = np.int64(0), texts.text[text, 0]
    for s in range(texts.sentence[text, 0], texts.sentence[text, 1]):
        last = texts.stops[s]
        if last > first:
            kept += note_sentence(texts.ids, first, last, kept, distinct)
        first = last
    forget_sentences(kept, distinct)
    return kept


@inlined
def forget_sentences(kept, distinct):
    """Make the table ready for another text; the spans of this one stay."""
    for k in range(kept):
        distinct.table[distinct.spans[k, 2]] = 0


@inlined
def note_sentence(ids, first, last, kept, distinct):
    """Note ids[first:last] as span number `kept`; returns 1, or 0 if it is there already."""
    spans, table = distinct.spans, distinct.table
    slot = _hash(ids, first, last) & (len(table) - 1)
    while table[slot]:
        if _same(ids, first, last, spans, table[slot] - 1):
            return np.int64(0)
        slot = (slot + 1) & (len(table) - 1)
    spans[kept, 0], spans[kept, 1], spans[kept, 2] = first, last, slot
    table[slot] = kept + 1
    return np.int64(1)


@inlined
def _hash(ids, first, last):
    key = np.uint64(0)
    for i in range(first, last):
        key = (key ^ np.uint64(ids[i])) * PRIME
        key ^= key >> SHIFT
    return np.int64(key >> np.uint64(1))


@inlined
def _same(ids, first, last, spans, k):
    start = spans[k, 0]
    if spans[k, 1] - start != last - first:
        return False
    for i in range(last - first):
        if ids[first + i] != ids[start + i]:
            return False
    return True
