"""Rows of text to rows of token ids.

Rows that share their references and source form a group: those texts are read once, and each summary of the group is
looked up in their vocabulary. A row on its own is read the other way round, shortest first: its summary makes the
vocabulary, and the longer texts are looked up in it. Either way, of two texts that are ever compared at least one has
ids of its own for all its tokens; a token of the other that it lacks gets -1, which costs no entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.intern import clear, remove
from gistmark_engine.kernels.reading import Cursor, read_text
from gistmark_engine.kernels.records import NULL, Cut
from gistmark_engine.kernels.scratch import (
    count_references,
    make_scratch,
    own_room,
    room,
    roomier,
    shared_room,
    text_of,
)
from gistmark_engine.kernels.token import table_shift

ROOM = (31 << 20) // 4
"""Ids that there is room for from the start: 31 MB, since the C library takes larger blocks from the system and gives them
back each time. Pages that are not written cost nothing."""


class Spans(NamedTuple):
    """Spans and sentence spans of all texts of the range: summaries by row, then sources by group, then references."""

    text: np.ndarray
    sentence: np.ndarray
    reference_offsets: np.ndarray
    vocabulary: np.ndarray


class Group(NamedTuple):
    """One group: its members in `groups.members`, its first row, whether its summary is read first."""

    number: int
    first: int
    last: int
    row: int
    alone: bool


@kernel
def tokenise_rows(rows, groups, rules):
    """Cut all texts of the given rows; returns (cut, whether every text was UTF-8)."""
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    widest, total = room(rows, groups)
    scratch = make_scratch(widest, min(total, ROOM) + 2, rules.sentences)
    slots = count + shared + count_references(rows, groups)
    spans = Spans(
        np.full((slots, 2), NULL, np.int64), np.full((slots, 2), NULL, np.int64),
        np.zeros(shared + 1, np.int64), np.empty(shared, np.int64),
    )  # fmt: skip
    cursor, g = Cursor(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(58)), np.int64(0)
    while g < shared and cursor.size >= 0:
        more = shared_room(rows, groups.members[groups.offsets[g]]) + own_room(rows, groups, g)[0] + 1
        if max(cursor.ids, cursor.sentences) + more > len(scratch.ids):
            scratch = roomier(scratch, cursor.ids, cursor.sentences, more)
        cursor, g = _read_rows(g, cursor, rows, groups, rules, scratch, spans)
    last = count + shared + spans.reference_offsets[shared]
    cut = Cut(
        scratch.ids, scratch.sentence_stops,
        spans.text[:count], spans.sentence[:count],
        spans.text[count : count + shared], spans.sentence[count : count + shared],
        spans.reference_offsets, spans.text[count + shared : last], spans.sentence[count + shared : last],
        spans.vocabulary,
    )  # fmt: skip
    return cut, cursor.size >= 0


@inlined
def _read_rows(g, cursor, rows, groups, rules, scratch, spans):
    """Fill the spans of groups from g on; returns where the reading stands, with a negative size at a text that is not UTF-8,
    and the first group that might not fit."""
    rows, groups, rules = borrowed(rows), borrowed(groups), borrowed(rules)
    scratch, spans = borrowed(scratch), borrowed(spans)
    while g < len(groups.offsets) - 1 and cursor.size >= 0:
        first, last = groups.offsets[g], groups.offsets[g + 1]
        row = groups.members[first]
        own, shared = own_room(rows, groups, g)[0], shared_room(rows, row)
        if max(cursor.ids, cursor.sentences) + own + shared + 1 > len(scratch.ids):
            break
        alone = last - first == 1 and (rules.whole or own <= shared)
        shift = _fitting_shift(own if alone else shared)
        clear(scratch.table, shift)
        cursor = Cursor(np.int64(0), cursor.ids, cursor.sentences, np.int64(0), shift)
        cursor = _read_group(Group(g, first, last, row, alone), cursor, rows, groups, rules, scratch, spans)
        spans.vocabulary[g] = cursor.size
        g += 1
    return cursor, g


@inlined
def _fitting_shift(room):
    """The table's shift for so many bytes of ordinary text: a sparse table up to 4 KB, six slots a token or more, so that
    most searches end where they begin; beyond that two slots a token."""
    return table_shift(max(room, 64) if room < 1024 else max(room // 3, 1024))


@inlined
def _read_group(group, cursor, rows, groups, rules, scratch, spans):
    """Summary, references, source of a row on its own; references, source, summaries of a group."""
    row, members, count = group.row, group.last - group.first, len(rows.reference_first)
    many = rows.reference_last[row] - rows.reference_first[row]
    lead = members if group.alone else np.int64(0)
    reference_slot = count + len(groups.offsets) - 1 + spans.reference_offsets[group.number]
    base, largest = cursor, np.int64(0)
    for step in range(members + many + 1):
        at = step - lead
        is_reference, is_source = 0 <= at < many, at == many
        if is_reference:
            t, slot, insert = rows.reference_first[row] + at, reference_slot, not group.alone or rows.source >= 0
            if rows.start[t] == NULL:
                continue
            reference_slot += 1
        elif is_source:
            t, slot, insert = text_of(rows.source, row), count + group.number, not group.alone
        else:
            member = groups.members[group.first + (step if group.alone else at - many - 1)]
            t, slot, insert = text_of(rows.summary, member), member, group.alone or rules.whole
        before = cursor
        if t >= 0 and rows.start[t] != NULL:
            cursor = read_text(t, insert, cursor, rows, rules, scratch)
            if cursor.size < 0:
                return cursor
            spans.text[slot, 0], spans.text[slot, 1] = before.ids, cursor.ids
            spans.sentence[slot, 0], spans.sentence[slot, 1] = before.sentences, cursor.sentences
        largest = max(largest, cursor.size)
        if is_source:
            base = cursor
        elif not is_reference and not group.alone:
            remove(scratch.table, cursor.shift, scratch.vocabulary, cursor.size, base.size)
            cursor = Cursor(base.folded, cursor.ids, cursor.sentences, base.size, cursor.shift)
    spans.reference_offsets[group.number + 1] = reference_slot - count - len(groups.offsets) + 1
    return Cursor(cursor.folded, cursor.ids, cursor.sentences, largest, cursor.shift)
