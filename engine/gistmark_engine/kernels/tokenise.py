"""Rows of text to rows of token ids: fold and mark a piece, then number its tokens.

Rows that share their references and source form a group: those texts are read once, and each summary of the group is
laid on top of their vocabulary and taken off again. Ids are dense from 0 within a group's texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.arrow import INTEGER, NULL
from gistmark_engine.intrinsics import load_byte, popcount, trailing_zeros
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.classify import INVALID, classify
from gistmark_engine.kernels.intern import add, clear, find, rehash, remove, token_words
from gistmark_engine.kernels.memo import stemmed
from gistmark_engine.tokenizers.rule import GIVEN

U0, U1 = np.uint64(0), np.uint64(1)
FLUSH, ROOM = 256, 512
SLACK = 256


class TextArrays(NamedTuple):
    """Texts as a kernel reads them: the pieces of each, and each piece's address and length."""

    start: np.ndarray
    stop: np.ndarray
    address: np.ndarray
    length: np.ndarray


class Rows(NamedTuple):
    """The texts of all rows by role; an absent role has null texts, or no references."""

    summary: TextArrays
    source: TextArrays
    reference: TextArrays
    reference_first: np.ndarray
    reference_last: np.ndarray


class Groups(NamedTuple):
    """Rows that share references and source: group g has the rows members[offsets[g]:offsets[g + 1]]."""

    offsets: np.ndarray
    members: np.ndarray


class Cut(NamedTuple):
    """All texts of some rows as ids.

    A span is a pair of indices into `ids`, [start, stop), -1 for a null text; a sentence span is a pair of indices into
    `sentence_stops`, which holds where in `ids` each sentence stops. Summaries go by row, sources by group; the
    references of group g are reference_offsets[g]:reference_offsets[g + 1]. `shared[g]` counts the ids of a group's shared
    texts, `whole[row]` those of its summary too.
    """

    ids: np.ndarray
    sentence_stops: np.ndarray
    summary: np.ndarray
    summary_sentences: np.ndarray
    source: np.ndarray
    source_sentences: np.ndarray
    reference_offsets: np.ndarray
    reference: np.ndarray
    reference_sentences: np.ndarray
    shared: np.ndarray
    whole: np.ndarray


class Rules(NamedTuple):
    """How to cut: the rule's code, whether to note sentences and to number tokens that only a summary has, the character
    tables, and the memo of stems, None for no stemming."""

    code: int
    sentences: bool
    whole: bool
    classes: np.ndarray
    lower: np.ndarray
    memo: np.ndarray | None


class Scratch(NamedTuple):
    """What one range of rows needs while it is read, sized for the largest of its rows."""

    pad: np.ndarray
    folded: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    breaks: np.ndarray
    first: np.ndarray
    last: np.ndarray
    table: np.ndarray
    vocabulary: np.ndarray
    slots: np.ndarray
    ids: np.ndarray
    sentence_stops: np.ndarray


class Cursor(NamedTuple):
    """Where the reading of a group stands: bytes folded, ids written, sentences noted, entries in the vocabulary, the
    table's shift; `size` is negative after a piece that is not UTF-8."""

    folded: int
    ids: int
    sentences: int
    size: int
    shift: int


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
        np.empty(slots, np.int32),
        np.empty((widest + SLACK, 4), np.uint64),
        np.empty(widest + SLACK, np.int32),
        np.empty(total + 1, np.int32),
        np.empty(total + 1 if rules.sentences else 1, np.int64),
    )


@inlined
def _number(count, insert, cursor, rules, scratch):
    """Write the ids of the `count` tokens at first[k]..last[k] of the folded text.

    `insert`: a token not seen before gets the next id; otherwise it gets -1.
    """
    size, shift, at = cursor.size, cursor.shift, cursor.ids
    if insert and 2 * (size + count) > np.int64(1) << (64 - shift):
        while 2 * (size + count) > np.int64(1) << (64 - shift):
            shift -= 1
        rehash(scratch.table, shift, scratch.vocabulary, scratch.slots, size)
    base = scratch.folded.ctypes.data
    for k in range(count):
        start, length = scratch.first[k], scratch.last[k] - scratch.first[k]
        a, b = token_words(base + start, length)
        a, b, length = stemmed(a, b, length, start, scratch.folded, rules.memo)
        if insert:
            entry, size = add(
                a, b, start, length, scratch.table, shift, scratch.vocabulary, scratch.slots, scratch.folded, size
            )
        else:
            _, entry = find(a, b, start, length, scratch.table, shift, scratch.vocabulary, scratch.folded)
        scratch.ids[at + k] = entry - 1
    return Cursor(cursor.folded, at + count, cursor.sentences, size, shift)


@inlined
def _read_piece(address, length, insert, cursor, rules, scratch):
    """Tokens of one piece."""
    size = classify(
        address, length, rules.code, rules.classes, rules.lower, scratch.pad, scratch.folded, cursor.folded,
        scratch.starts, scratch.ends, scratch.breaks,
    )  # fmt: skip
    if size == INVALID:
        return Cursor(cursor.folded, cursor.ids, cursor.sentences, -1, cursor.shift)
    begun, ended = 0, 0
    blocks = (size >> 6) + 1
    for block in range(blocks):
        at = cursor.folded + 64 * block
        bits = scratch.starts[block]
        if rules.sentences and scratch.breaks[block] != U0:
            cursor = _note_sentences(block, begun, cursor, scratch)
        while bits != U0:
            scratch.first[begun] = at + trailing_zeros(bits)
            bits &= bits - U1
            begun += 1
        bits = scratch.ends[block]
        while bits != U0:
            scratch.last[ended] = at + trailing_zeros(bits)
            bits &= bits - U1
            ended += 1
        if ended >= FLUSH or block == blocks - 1:
            cursor = _number(ended, insert, cursor, rules, scratch)
            if begun > ended:
                scratch.first[0] = scratch.first[ended]
            begun, ended = begun - ended, 0
    return Cursor(cursor.folded + size, cursor.ids, cursor.sentences, cursor.size, cursor.shift)


@inlined
def _note_sentences(block, begun, cursor, scratch):
    """Note how many tokens of the text lie before each newline of a block; `begun` of them are not numbered yet."""
    noted, bits = cursor.sentences, scratch.breaks[block]
    while bits != U0:
        below = (bits & (~bits + U1)) - U1
        scratch.sentence_stops[noted] = cursor.ids + begun + popcount(scratch.starts[block] & below)
        noted += 1
        bits &= bits - U1
    return Cursor(cursor.folded, cursor.ids, noted, cursor.size, cursor.shift)


@inlined
def _read_token(address, length, insert, cursor, rules, scratch):
    """One piece that is a token already: its bytes, or an integer in the place of an address. The bytes of a long token
    are kept, for comparing; those of a short one are in its two words."""
    start = cursor.folded
    if length == INTEGER:
        for k in range(8):
            scratch.folded[start + k] = (address >> (8 * k)) & 255
        length = np.int64(8)
    else:
        for k in range(length):
            scratch.folded[start + k] = load_byte(address + k)
    for k in range(length, length + 16):
        scratch.folded[start + k] = 0
    scratch.first[0], scratch.last[0] = start, start + length
    cursor = _number(1, insert, cursor, rules, scratch)
    kept = length if length > 16 else np.int64(0)
    return Cursor(start + kept, cursor.ids, cursor.sentences, cursor.size, cursor.shift)


@inlined
def _read_text(texts, t, insert, cursor, rules, scratch):
    """Tokens of text t; the stop of its last sentence is noted too."""
    for p in range(texts.start[t], texts.stop[t]):
        if texts.length[p] == NULL:
            continue
        if rules.code == GIVEN:
            cursor = _read_token(texts.address[p], texts.length[p], insert, cursor, rules, scratch)
        else:
            cursor = _read_piece(texts.address[p], texts.length[p], insert, cursor, rules, scratch)
            if cursor.size < 0:
                return cursor
            if rules.sentences:
                scratch.sentence_stops[cursor.sentences] = cursor.ids
                cursor = Cursor(cursor.folded, cursor.ids, cursor.sentences + 1, cursor.size, cursor.shift)
    return cursor


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
    cursor = _read_text(rows.source, row, True, cursor, rules, scratch)
    _note(cut.source, cut.source_sentences, g, before, cursor, rows.source.start[row] < 0)
    slot = cut.reference_offsets[g]
    for k in range(rows.reference_first[row], rows.reference_last[row]):
        if rows.reference.start[k] >= 0 and cursor.size >= 0:
            before = cursor
            cursor = _read_text(rows.reference, k, True, cursor, rules, scratch)
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
        cursor = _read_text(rows.summary, row, rules.whole, before, rules, scratch)
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
    cursor = Cursor(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(58))
    for g in range(len(groups.offsets) - 1):
        row = groups.members[groups.offsets[g]]
        cursor = _begin_group(rows, row, cursor, scratch)
        cursor = _read_shared(rows, g, row, cursor, rules, scratch, cut)
        if cursor.size >= 0:
            cursor = _read_summaries(rows, groups, g, cursor, rules, scratch, cut)
        if cursor.size < 0:
            return cut, False
    return cut, True
