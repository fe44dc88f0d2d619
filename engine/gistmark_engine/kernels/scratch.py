"""The memory that reading a range of rows takes, and how much of it the rows may need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.records import NULL

MARKED, SLACK = 512, 256
"""Tokens that may be marked before they are numbered; bytes and entries beyond what the texts themselves need."""


class Scratch(NamedTuple):
    """What one range of rows needs while it is read, sized for the largest of its rows; ids and stops are of all of them."""

    pad: np.ndarray
    folded: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    breaks: np.ndarray
    first: np.ndarray
    last: np.ndarray
    table: np.ndarray
    vocabulary: np.ndarray
    tails: np.ndarray
    ids: np.ndarray
    sentence_stops: np.ndarray


@inlined
def count_references(rows, groups):
    """References of all groups, null ones too."""
    total = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        row = groups.members[groups.offsets[g]]
        total += rows.reference_last[row] - rows.reference_first[row]
    return total


@inlined
def text_of(role, row):
    """The text of a row in a role, -1 where the role is absent."""
    return role + row if role >= 0 else np.int64(NULL)


@inlined
def nth_text(step, many, slot, g, rows, groups):
    """(text, slot of its span) of the `step`-th text of group g: its `many` references, of which the next has `slot`, its
    summaries, its source."""
    first, last = groups.offsets[g], groups.offsets[g + 1]
    if step < many:
        return rows.reference_first[groups.members[first]] + step, slot
    if step < many + last - first:
        member = groups.members[first + step - many]
        return text_of(rows.summary, member), member
    return text_of(rows.source, groups.members[first]), len(rows.reference_first) + g


@inlined
def room_of(role, row, rows):
    t = text_of(role, row)
    return _text_room(t, rows) if t >= 0 else np.int64(0)


@inlined
def _text_room(t, rows):
    """Bytes of a text, one more a piece; an integer token counts as eight."""
    size = np.int64(0)
    for p in range(max(rows.start[t], 0), max(rows.stop[t], 0)):
        size += 1 + abs(rows.length[p])
    return size


@inlined
def shared_room(rows, row):
    """Bytes of a group's source and references."""
    size = room_of(rows.source, row, rows)
    for t in range(rows.reference_first[row], rows.reference_last[row]):
        size += _text_room(t, rows)
    return size


@inlined
def own_room(rows, groups, g):
    """(bytes of the summaries of group g, of the longest of them)."""
    total, longest = np.int64(0), np.int64(0)
    for m in range(groups.offsets[g], groups.offsets[g + 1]):
        own = room_of(rows.summary, groups.members[m], rows)
        total += own
        longest = max(longest, own)
    return total, longest


@inlined
def room(rows, groups):
    """(folded bytes a group may need, ids and sentences the whole range may need)."""
    widest, total = np.int64(0), np.int64(0)
    for g in range(len(groups.offsets) - 1):
        shared = shared_room(rows, groups.members[groups.offsets[g]])
        own, longest = own_room(rows, groups, g)
        widest = max(widest, shared + longest)
        total += shared + own
    return widest, total


@inlined
def make_scratch(widest, ids, sentences):
    """Room for texts of `widest` folded bytes read on one vocabulary, and for so many ids and sentences."""
    blocks = (widest * 3 // 2 >> 6) + 3
    slots = 1024
    while slots < 2 * (widest + SLACK):
        slots *= 2
    return Scratch(
        np.zeros(64, np.uint8),
        np.empty(widest * 3 // 2 + 4 * SLACK, np.uint8),
        np.empty(blocks, np.uint64),
        np.empty(blocks, np.uint64),
        np.empty(blocks, np.uint64),
        np.empty(MARKED, np.int64),
        np.empty(MARKED, np.int64),
        np.empty(slots, np.uint32),
        np.empty(2 * (widest + SLACK), np.uint64),
        np.empty(2 * (widest + SLACK), np.int64),
        np.empty(ids, np.int32),
        np.empty(ids if sentences else 1, np.int64),
    )


@inlined
def roomier(scratch, ids, stops, more):
    """The same with room for `more` ids and sentences behind those that are written."""
    size = max(2 * len(scratch.ids), max(ids, stops) + more)
    return Scratch(
        scratch.pad, scratch.folded, scratch.starts, scratch.ends, scratch.breaks, scratch.first, scratch.last,
        scratch.table, scratch.vocabulary, scratch.tails, _longer(scratch.ids, ids, size),
        _longer(scratch.sentence_stops, stops, size if len(scratch.sentence_stops) > 1 else 1),
    )  # fmt: skip


@inlined
def _longer(array, used, size):
    longer = np.empty(size, array.dtype)
    longer[:used] = array[:used]
    return longer
