"""Rows of text to rows of characters: every character is a token, white space left out or not.

An ASCII character is its own number; any other gets the next one where it is first met, and keeps it for all rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.arrow import NULL
from gistmark_engine.characters import LIMIT, SPACE
from gistmark_engine.intrinsics import (
    borrowed,
    has_compress,
    high_mask,
    lower_block,
    popcount,
    space_mask,
    store_bytes,
    store_half,
    trailing_zeros,
)
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.folding import COMBINING_DOT, DOTTED_I
from gistmark_engine.kernels.records import Cut
from gistmark_engine.kernels.scratch import SLACK, count_references, room, text_of
from gistmark_engine.kernels.sigma import lower_character
from gistmark_engine.kernels.utf8 import byte_at, decode
from gistmark_engine.tokenizers.mteval import LOWERED, SPACED, WORDS
from gistmark_engine.tokenizers.rule import MTEVAL

U0, U1 = np.uint64(0), np.uint64(1)
ASCII = 128


class Page(NamedTuple):
    """What is written: ids; where words stop; `numbers[c]`, the number of code point c, 0 for none yet; `points`, which
    have one, in order; a block to lower-case in."""

    ids: np.ndarray
    stops: np.ndarray
    numbers: np.ndarray
    points: np.ndarray
    block: np.ndarray


class Pen(NamedTuple):
    """Where the writing stands: ids, stops and numbers so far, whether a word is open; `ids` is negative after a piece that
    is not UTF-8."""

    ids: int
    stops: int
    numbers: int
    open: bool


@kernel
def cut_characters(rows, groups, rules, numbers):
    """Cut all texts into characters; returns (cut, whether every text was UTF-8).

    `numbers` is int32 zeros, one for each code point, and is so again afterwards.
    """
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    _, total = room(rows, groups)
    slots = count + shared + count_references(rows, groups)
    text, sentence = np.full((slots, 2), NULL, np.int64), np.full((slots, 2), NULL, np.int64)
    offsets = np.zeros(shared + 1, np.int64)
    page = Page(
        np.empty(total + SLACK, np.int32),
        np.empty(total + 2 if rules.sentences else 1, np.int64),
        numbers,
        np.empty(min(total, len(numbers)), np.int32),
        np.empty(64, np.uint8),
    )
    pen = _read(rows, groups, rules, page, text, sentence, offsets)
    for k in range(pen.numbers - ASCII):
        numbers[page.points[k]] = 0
    last = count + shared + offsets[shared]
    cut = Cut(
        page.ids, page.stops, text[:count], sentence[:count],
        text[count : count + shared], sentence[count : count + shared],
        offsets, text[count + shared : last], sentence[count + shared : last], np.full(shared, pen.numbers, np.int64),
    )  # fmt: skip
    return cut, pen.ids >= 0


@inlined
def _read(rows, groups, rules, page, text, sentence, offsets):
    """Fill the spans: summaries by row, sources by group, references; stops at a text that is not UTF-8."""
    rows, groups, rules, page = borrowed(rows), borrowed(groups), borrowed(rules), borrowed(page)
    text, sentence, offsets = borrowed(text), borrowed(sentence), borrowed(offsets)
    pen = Pen(np.int64(0), np.int64(0), np.int64(ASCII), False)
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    slot = count + shared
    for g in range(shared):
        first, last = groups.offsets[g], groups.offsets[g + 1]
        row = groups.members[first]
        many = rows.reference_last[row] - rows.reference_first[row]
        for step in range(many + 1 + last - first):
            if step < many:
                t, place = rows.reference_first[row] + step, slot
            elif step == many:
                t, place = text_of(rows.source, row), count + g
            else:
                place = groups.members[first + step - many - 1]
                t = text_of(rows.summary, place)
            if t < 0 or rows.start[t] == NULL:
                continue
            before = pen
            pen = _read_text(t, pen, rows, rules, page)
            if pen.ids < 0:
                return pen
            text[place, 0], text[place, 1] = before.ids, pen.ids
            sentence[place, 0], sentence[place, 1] = before.stops, pen.stops
            slot += np.int64(step < many)
        offsets[g + 1] = slot - count - shared
    return pen


@inlined
def _read_text(t, pen, rows, rules, page):
    """The characters of text t; a piece stops a word, or is a sentence where no words are asked for."""
    for p in range(rows.start[t], rows.stop[t]):
        if rows.length[p] == NULL:
            continue
        pen = _read_piece(rows.address[p], rows.length[p], pen, rules, page)
        if pen.ids < 0:
            return pen
        stops = pen.stops
        if _marks_words(rules):
            stops = _stop_word(stops, pen.ids, page) if pen.open else stops
        elif rules.sentences:
            page.stops[stops] = pen.ids
            stops += 1
        pen = Pen(pen.ids, stops, pen.numbers, False)
    return pen


@inlined
def _marks_words(rules):
    return rules.sentences and (rules.code - MTEVAL) & WORDS != 0


@inlined
def _read_piece(address, length, pen, rules, page):
    """64 bytes at a time as far as they are ASCII, one character where they are not and in pieces shorter than that."""
    at = np.int64(0)
    while at < length:
        if length >= 64:
            block = min(at, length - 64)
            plain = min(trailing_zeros(high_mask(address + block) >> np.uint64(at - block)), 64 - (at - block))
            if plain > 0:
                pen = _read_stretch(address + block, at - block, plain, pen, rules, page)
                at += plain
                continue
        point, width = decode(address + at, length - at)
        if width == 0:
            return Pen(np.int64(-1), pen.stops, pen.numbers, False)
        if (rules.code - MTEVAL) & LOWERED:
            low = lower_character(address, at, width, length, point, rules.classes, rules.lower)
            pen = _write(low, pen, rules, page)
            if point == DOTTED_I:
                pen = _write(np.int64(COMBINING_DOT), pen, rules, page)
        else:
            pen = _write(point, pen, rules, page)
        at += width
    return pen


@inlined
def _read_stretch(block, skipped, count, pen, rules, page):
    """`count` ASCII bytes, behind the first `skipped` of the 64 at `block`."""
    live = (~U0 >> np.uint64(64 - count)) << np.uint64(skipped)
    visible = live if (rules.code - MTEVAL) & SPACED else live & ~space_mask(block)
    source = block
    if (rules.code - MTEVAL) & LOWERED:
        source = page.block.ctypes.data
        lower_block(block, source)
    _put_bytes(source, visible, page.ids.ctypes.data + 4 * pen.ids)
    stops = pen.stops
    if _marks_words(rules):
        ends = ((visible << U1) | (np.uint64(pen.open) << np.uint64(skipped))) & ~visible & live
        while ends != U0:
            before = (ends & (~ends + U1)) - U1
            stops = _stop_word(stops, pen.ids + popcount(visible & before), page)
            ends &= ends - U1
    is_open = (visible >> np.uint64(skipped + count - 1)) & U1 != U0
    return Pen(pen.ids + popcount(visible), stops, pen.numbers, is_open)


@inlined
def _put_loop(source, chosen, target):
    """What `store_bytes` does, byte by byte."""
    while chosen != U0:
        store_half(target, byte_at(source + trailing_zeros(chosen)))
        chosen &= chosen - U1
        target += 4


_put_bytes = store_bytes if has_compress() else _put_loop


@inlined
def _write(point, pen, rules, page):
    """Append one character, or see white space."""
    is_space = np.int64(rules.classes[min(point, LIMIT - 1)]) & SPACE != 0
    if is_space:
        stops = _stop_word(pen.stops, pen.ids, page) if pen.open and _marks_words(rules) else pen.stops
        return Pen(pen.ids, stops, pen.numbers, False)
    number, size = point, pen.numbers
    if point >= ASCII:
        number = np.int64(page.numbers[point])
        if number == 0:
            page.numbers[point], page.points[size - ASCII] = size, point
            number, size = size, size + 1
    page.ids[pen.ids] = number
    return Pen(pen.ids + 1, pen.stops, size, True)


@inlined
def _stop_word(stops, stop, page):
    """Note that a word of chrF stops where `stop` ids are written; returns how many stops there are now. A last punctuation
    mark is split off, or else a first one."""
    start = page.stops[stops - 1] if stops > 0 else np.int64(0)
    split = stop
    if stop - start > 1:
        split = stop - 1 if _is_punctuation(page.ids[stop - 1]) else stop
        split = start + 1 if split == stop and _is_punctuation(page.ids[start]) else split
    page.stops[stops], page.stops[stops + 1] = split, stop
    return stops + 1 + np.int64(split < stop)


@inlined
def _is_punctuation(number):
    """Python's `string.punctuation`."""
    return 33 <= number <= 47 or 58 <= number <= 64 or 91 <= number <= 96 or 123 <= number <= 126
