"""Rows of text to token ids that agree over all rows, and the spelling of every id: for metrics that look words up."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.intern import clear
from gistmark_engine.kernels.reading import Cursor, read_text
from gistmark_engine.kernels.records import NULL, Cut
from gistmark_engine.kernels.scratch import count_references, make_scratch, nth_text, room
from gistmark_engine.kernels.token import SHORT

START = np.int64(54)
"""The table's first shift: 1,024 slots; it doubles as words come."""


@kernel
def cut_words(rows, groups, rules):
    """Cut all texts; returns (cut, whether all were UTF-8, spelling, offsets).

    The token with id k is the bytes offsets[k]:offsets[k + 1] of `spelling`.
    """
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    _, total = room(rows, groups)
    scratch = make_scratch(total, total + 1, rules.sentences)
    slots = count + shared + count_references(rows, groups)
    text, sentence = np.full((slots, 2), NULL, np.int64), np.full((slots, 2), NULL, np.int64)
    offsets = np.zeros(shared + 1, np.int64)
    end = _read(rows, groups, rules, scratch, text, sentence, offsets)
    size = max(end.size, np.int64(0))
    last = count + shared + offsets[shared]
    cut = Cut(
        scratch.ids[: end.ids], scratch.sentence_stops, text[:count], sentence[:count],
        text[count : count + shared], sentence[count : count + shared],
        offsets, text[count + shared : last], sentence[count + shared : last], np.full(shared, size, np.int64),
    )  # fmt: skip
    spelling, bounds = _spell(scratch, size)
    return cut, end.size >= 0, spelling, bounds


@inlined
def _read(rows, groups, rules, scratch, text, sentence, offsets):
    """Fill the spans: summaries by row, sources by group, references; returns where the reading stands, which is at the end or,
    with a negative size, at a text that is not UTF-8."""
    rows, groups, rules, scratch = borrowed(rows), borrowed(groups), borrowed(rules), borrowed(scratch)
    clear(scratch.table, START)
    cursor = Cursor(np.int64(0), np.int64(0), np.int64(0), np.int64(0), START)
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    slot = count + shared
    for g in range(shared):
        members, row = groups.offsets[g + 1] - groups.offsets[g], groups.members[groups.offsets[g]]
        many = rows.reference_last[row] - rows.reference_first[row]
        for step in range(many + members + 1):
            t, place = nth_text(step, many, slot, g, rows, groups)
            if t < 0 or rows.start[t] == NULL:
                continue
            before = cursor
            cursor = read_text(t, True, cursor, rows, rules, scratch)
            if cursor.size < 0:
                return cursor
            text[place, 0], text[place, 1] = before.ids, cursor.ids
            sentence[place, 0], sentence[place, 1] = before.sentences, cursor.sentences
            slot += np.int64(step < many)
        offsets[g + 1] = slot - count - shared
    return cursor


@inlined
def _spell(scratch, size):
    """The bytes of every entry of the vocabulary: from its two words, or from the folded text if it is long."""
    offsets = np.zeros(size + 1, np.int64)
    for k in range(size):
        offsets[k + 1] = offsets[k] + _length(scratch, k + 1)
    spelling = np.empty(offsets[size], np.uint8)
    for k in range(size):
        length = offsets[k + 1] - offsets[k]
        for i in range(length):
            if length > SHORT:
                byte = scratch.folded[scratch.tails[2 * (k + 1)] + i]
            else:
                byte = np.uint8((scratch.vocabulary[2 * (k + 1) + (i >> 3)] >> np.uint64(8 * (i & 7))) & np.uint64(255))
            spelling[offsets[k] + i] = byte
    return spelling, offsets


@inlined
def _length(scratch, entry):
    top = np.int64(scratch.vocabulary[2 * entry + 1] >> np.uint64(56))
    return top if top <= SHORT else scratch.tails[2 * entry + 1]
