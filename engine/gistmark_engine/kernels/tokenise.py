"""Rows of text to rows of token ids.

Rows that share their references and source form a group: those texts are read once, and each summary of the group is
laid on top of their vocabulary and taken off again. Ids are dense from 0 within a group's texts.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.arrow import NULL
from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.intern import ROW, clear, remove
from gistmark_engine.kernels.reading import ROOM, Cursor, Scratch, read_text
from gistmark_engine.kernels.records import Cut

SLACK = 256


@inlined
def _room(rows, groups):
    """(folded bytes a group may need, ids and sentences the whole range may need)."""
    widest, total = np.int64(0), np.int64(0)
    for g in range(len(groups.offsets) - 1):
        row = groups.members[groups.offsets[g]]
        shared = _text_room(rows.source, row)
        for k in range(rows.reference_first[row], rows.reference_last[row]):
            shared += _text_room(rows.reference, k)
        longest = np.int64(0)
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            own = _text_room(rows.summary, groups.members[m])
            longest = max(longest, own)
            total += own
        widest = max(widest, shared + longest)
        total += shared
    return widest, total


@inlined
def _text_room(texts, t):
    """Bytes of a text, one more a piece; an integer token counts as eight."""
    room = np.int64(0)
    for p in range(max(texts.start[t], 0), max(texts.stop[t], 0)):
        room += 1 + abs(texts.length[p])
    return room


@inlined
def _make_scratch(rows, groups, rules):
    widest, total = _room(rows, groups)
    blocks = (widest * 3 // 2 >> 6) + 3
    slots = 64
    while slots < 2 * (widest + SLACK):
        slots *= 2
    return Scratch(
        np.zeros(64, np.uint8),
        np.empty(widest * 3 // 2 + 4 * SLACK, np.uint8),
        np.empty(blocks, np.uint64),
        np.empty(blocks, np.uint64),
        np.empty(blocks, np.uint64),
        np.empty(ROOM, np.int64),
        np.empty(ROOM, np.int64),
        np.empty(slots, np.uint32),
        np.empty(ROW * (widest + SLACK), np.uint64),
        np.empty(widest + SLACK, np.int32),
        np.empty(total + 1, np.int32),
        np.empty(total + 1 if rules.sentences else 1, np.int64),
    )


@inlined
def _note(spans, sentence_spans, k, before, after, null):
    """Note where a text's ids (and its sentences) lie; -1 for a null text."""
    spans[k, 0] = NULL if null else before.ids
    spans[k, 1] = NULL if null else after.ids
    sentence_spans[k, 0] = before.sentences
    sentence_spans[k, 1] = after.sentences


@inlined
def _begin_group(rows, row, cursor, scratch):
    """An empty table that fits a group of ordinary text: some two slots a token of its shared texts, at least 64."""
    room = _text_room(rows.source, row)
    for k in range(rows.reference_first[row], rows.reference_last[row]):
        room += _text_room(rows.reference, k)
    shift = np.int64(58)
    while np.int64(1) << (64 - shift) < room // 4:
        shift -= 1
    clear(scratch.table, shift, scratch.vocabulary)
    return Cursor(np.int64(0), cursor.ids, cursor.sentences, np.int64(0), shift)


@inlined
def _read_shared(rows, g, row, cursor, rules, scratch, cut):
    """Source and references of group g, null references left out."""
    before = cursor
    cursor = read_text(rows.source, row, True, cursor, rules, scratch)
    _note(cut.source, cut.source_sentences, g, before, cursor, rows.source.start[row] < 0)
    slot = cut.reference_offsets[g]
    for k in range(rows.reference_first[row], rows.reference_last[row]):
        if rows.reference.start[k] >= 0 and cursor.size >= 0:
            before = cursor
            cursor = read_text(rows.reference, k, True, cursor, rules, scratch)
            _note(cut.reference, cut.reference_sentences, slot, before, cursor, False)
            slot += 1
    cut.reference_offsets[g + 1] = slot
    cut.shared[g] = cursor.size
    return cursor


@inlined
def _read_summaries(rows, groups, g, cursor, rules, scratch, cut):
    """The summaries of group g, each on top of the shared vocabulary alone."""
    base = cursor
    for m in range(groups.offsets[g], groups.offsets[g + 1]):
        row = groups.members[m]
        before = Cursor(base.folded, cursor.ids, cursor.sentences, base.size, cursor.shift)
        cursor = read_text(rows.summary, row, rules.whole, before, rules, scratch)
        if cursor.size < 0:
            return cursor
        _note(cut.summary, cut.summary_sentences, row, before, cursor, rows.summary.start[row] < 0)
        cut.whole[row] = cursor.size
        if rules.whole:
            remove(scratch.table, scratch.slots, cursor.size, base.size)
    return cursor


@inlined
def _make_cut(rows, groups, scratch):
    """Empty spans for all texts of the rows."""
    count, shared, references = len(rows.summary.start), len(groups.offsets) - 1, np.int64(0)
    for g in range(shared):
        row = groups.members[groups.offsets[g]]
        references += rows.reference_last[row] - rows.reference_first[row]
    return Cut(
        scratch.ids, scratch.sentence_stops,
        np.empty((count, 2), np.int64), np.empty((count, 2), np.int64),
        np.empty((shared, 2), np.int64), np.empty((shared, 2), np.int64),
        np.zeros(shared + 1, np.int64),
        np.empty((references, 2), np.int64), np.empty((references, 2), np.int64),
        np.empty(shared, np.int64), np.empty(count, np.int64),
    )  # fmt: skip


@kernel
def tokenise_rows(rows, groups, rules):
    """Cut all texts of the given rows; returns (cut, whether every text was UTF-8)."""
    scratch = _make_scratch(rows, groups, rules)
    cut = _make_cut(rows, groups, scratch)
    valid = _read_rows(rows, groups, rules, scratch, cut)
    return cut, valid


@inlined
def _read_rows(rows, groups, rules, scratch, cut):
    """Fill `cut`; returns whether every text was UTF-8, and stops at the first that is not."""
    rows, groups, rules = borrowed(rows), borrowed(groups), borrowed(rules)
    scratch, cut = borrowed(scratch), borrowed(cut)
    cursor = Cursor(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(58))
    for g in range(len(groups.offsets) - 1):
        row = groups.members[groups.offsets[g]]
        cursor = _begin_group(rows, row, cursor, scratch)
        cursor = _read_shared(rows, g, row, cursor, rules, scratch, cut)
        if cursor.size >= 0:
            cursor = _read_summaries(rows, groups, g, cursor, rules, scratch, cut)
        if cursor.size < 0:
            return False
    return True
