"""Rows of text to token ids that agree over all rows, and the spelling of every id: for metrics that look words up."""

from __future__ import annotations

import numpy as np

from gistmark_engine.arrow import NULL
from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.intern import clear
from gistmark_engine.kernels.reading import Cursor, read_text
from gistmark_engine.kernels.records import Cut
from gistmark_engine.kernels.scratch import count_references, make_scratch, room
from gistmark_engine.kernels.token import SHORT

START = np.int64(54)
"""The table's first shift: 1,024 slots; it doubles as words come."""


@kernel
def cut_words(rows, groups, rules):
    """Cut all summaries and references; returns (cut, whether all were UTF-8, spelling, offsets).

    The token with id k is the bytes offsets[k]:offsets[k + 1] of `spelling`. Sources are not read.
    """
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    _, total = room(rows, groups)
    scratch = make_scratch(total, total, False)
    summary = np.full((count, 2), NULL, np.int64)
    reference = np.full((count_references(rows, groups), 2), NULL, np.int64)
    offsets = np.zeros(shared + 1, np.int64)
    size = _read(rows, groups, rules, scratch, summary, reference, offsets)
    absent = np.full((shared, 2), NULL, np.int64)
    nothing = np.zeros((0, 2), np.int64)
    cut = Cut(
        scratch.ids, scratch.sentence_stops, summary, nothing, absent, nothing,
        offsets, reference[: offsets[shared]], nothing, np.full(shared, max(size, 0), np.int64),
    )  # fmt: skip
    spelling, bounds = _spell(scratch, max(size, 0))
    return cut, size >= 0, spelling, bounds


@inlined
def _read(rows, groups, rules, scratch, summary, reference, offsets):
    """Fill the spans; returns how many words there are, -1 after a text that is not UTF-8."""
    rows, groups, rules, scratch = borrowed(rows), borrowed(groups), borrowed(rules), borrowed(scratch)
    clear(scratch.table, START)
    cursor = Cursor(np.int64(0), np.int64(0), np.int64(0), np.int64(0), START)
    slot = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        members, row = groups.offsets[g + 1] - groups.offsets[g], groups.members[groups.offsets[g]]
        many = rows.reference_last[row] - rows.reference_first[row]
        for step in range(many + members):
            is_reference, before = step < many, cursor.ids
            member = groups.members[groups.offsets[g] + max(step - many, 0)]
            t = rows.reference_first[row] + step if is_reference else rows.summary + member
            if rows.start[t] == NULL:
                continue
            cursor = read_text(t, True, cursor, rows, rules, scratch)
            if cursor.size < 0:
                return np.int64(-1)
            if is_reference:
                reference[slot, 0], reference[slot, 1] = before, cursor.ids
                slot += 1
            else:
                summary[member, 0], summary[member, 1] = before, cursor.ids
        offsets[g + 1] = slot
    return cursor.size


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
