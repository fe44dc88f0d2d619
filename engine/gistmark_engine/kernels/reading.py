"""One text to token ids: fold and mark a piece, then number its tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import has_compress, load_byte, popcount, store_bit_positions, trailing_zeros
from gistmark_engine.jit import called, inlined
from gistmark_engine.kernels.classify import classify
from gistmark_engine.kernels.folding import INVALID
from gistmark_engine.kernels.intern import Vocabulary, learn, look_up, rehash
from gistmark_engine.kernels.records import BREAK, INTEGER, NULL
from gistmark_engine.kernels.token import SHORT
from gistmark_engine.kernels.utf8 import is_utf8
from gistmark_engine.tokenizers.rule import GIVEN

U0, U1 = np.uint64(0), np.uint64(1)
NOT_ASCII = np.uint64(128)
FLUSH, TYPICAL = 256, 12
"""Tokens are numbered once FLUSH of them are marked; a block adds at most 65, and TYPICAL places are written ahead."""


class Cursor(NamedTuple):
    """Where the reading of a group stands: bytes folded, ids written, sentences noted, entries in the vocabulary, the
    table's shift; `size` is negative after a piece that is not UTF-8."""

    folded: int
    ids: int
    sentences: int
    size: int
    shift: int


@inlined
def _number(count, insert, cursor, rules, scratch):
    """Write the ids of the `count` tokens at first[k]..last[k] of the folded text.

    `insert`: a token not seen before gets the next id; otherwise it gets -1.
    """
    size, shift, at = cursor.size, cursor.shift, cursor.ids
    if insert and 2 * (size + count) > np.int64(1) << (64 - shift):
        while 2 * (size + count) > np.int64(1) << (64 - shift):
            shift -= 1
        rehash(scratch.table, shift, scratch.vocabulary, size)
    vocabulary = Vocabulary(
        scratch.table.ctypes.data, shift, scratch.vocabulary.ctypes.data, scratch.tails.ctypes.data
    )  # fmt: skip
    first, last, ids = scratch.first.ctypes.data, scratch.last.ctypes.data, scratch.ids.ctypes.data + 4 * at
    if insert:
        size = learn(first, last, count, ids, vocabulary, size, scratch.folded, rules.memo)
    else:
        look_up(first, last, count, ids, vocabulary, scratch.folded, rules.memo)
    return Cursor(cursor.folded, at + count, cursor.sentences, size, shift)


@inlined
def _unpack_block(bits, at, positions, count):
    """Append the positions of a block's set bits; returns the new count."""
    store_bit_positions(bits, at, positions.ctypes.data + 8 * count)
    return count + popcount(bits)


@inlined
def _unpack_bits(bits, at, positions, count):
    """The same, bit by bit.

    Twelve are written whether they are there or not: a block of ordinary text has about ten, and a loop that always runs
    the same way costs less than a branch that is mispredicted.
    """
    total = count + popcount(bits)
    for k in range(TYPICAL):
        positions[count + k] = at + trailing_zeros(bits)
        bits &= bits - U1
    count += TYPICAL
    while bits != U0:
        positions[count] = at + trailing_zeros(bits)
        bits &= bits - U1
        count += 1
    return total


_unpack = _unpack_block if has_compress() else _unpack_bits


@inlined
def _read_piece(address, length, insert, cursor, rules, scratch):
    """Tokens of one piece."""
    size = classify(
        address, length, rules.code, rules.classes, rules.lower, scratch.pad, scratch.folded, cursor.folded,
        scratch.starts, scratch.ends, scratch.breaks,
    )  # fmt: skip
    if size == INVALID:
        return Cursor(cursor.folded, cursor.ids, cursor.sentences, -1, cursor.shift)
    begun, ended = np.int64(0), np.int64(0)
    blocks = (size >> 6) + 1
    for block in range(blocks):
        at = cursor.folded + 64 * block
        if rules.sentences and scratch.breaks[block] != U0:
            cursor = _note_sentences(block, begun, cursor, scratch)
        begun = _unpack(scratch.starts[block], at, scratch.first, begun)
        ended = _unpack(scratch.ends[block], at, scratch.last, ended)
        if ended >= FLUSH or block == blocks - 1:
            cursor = _number(ended, insert, cursor, rules, scratch)
            if begun > ended:
                scratch.first[0] = scratch.first[ended]
            begun, ended = begun - ended, np.int64(0)
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


@called
def _is_utf8(address, length):
    """Compiled apart, since the loop over ordinary texts would lose registers to it."""
    return is_utf8(address, length)


@inlined
def _read_token(address, length, insert, cursor, rules, scratch):
    """One piece that is a token already: its bytes, or an integer in the place of an address. The bytes of a long token
    are kept, for comparing; those of a short one are in its two words."""
    start, seen = cursor.folded, U0
    if length == INTEGER:
        for k in range(8):
            scratch.folded[start + k] = (address >> (8 * k)) & 255
        length = np.int64(8)
    else:
        for k in range(length):
            byte = load_byte(address + k)
            scratch.folded[start + k] = byte
            seen |= byte
        if seen >= NOT_ASCII and not _is_utf8(address, length):
            return Cursor(start, cursor.ids, cursor.sentences, -1, cursor.shift)
    for k in range(length, length + 16):
        scratch.folded[start + k] = 0
    scratch.first[0], scratch.last[0] = start, start + length
    cursor = _number(1, insert, cursor, rules, scratch)
    kept = length if length > SHORT else np.int64(0)
    return Cursor(start + kept, cursor.ids, cursor.sentences, cursor.size, cursor.shift)


@inlined
def read_text(t, insert, cursor, rows, rules, scratch):
    """Tokens of text t; the stop of its last sentence is noted too."""
    for p in range(rows.start[t], rows.stop[t]):
        if rows.length[p] == NULL:
            continue
        ends_sentence = rules.sentences and rules.code != GIVEN
        if rows.length[p] == BREAK:
            ends_sentence = True
        elif rules.code == GIVEN:
            cursor = _read_token(rows.address[p], rows.length[p], insert, cursor, rules, scratch)
        else:
            cursor = _read_piece(rows.address[p], rows.length[p], insert, cursor, rules, scratch)
        if cursor.size < 0:
            return cursor
        if ends_sentence:
            scratch.sentence_stops[cursor.sentences] = cursor.ids
            cursor = Cursor(cursor.folded, cursor.ids, cursor.sentences + 1, cursor.size, cursor.shift)
    return cursor
