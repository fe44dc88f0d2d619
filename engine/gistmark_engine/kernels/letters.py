"""One text to characters by number, and where its words stop.

An ASCII character is its own number; any other gets the next one where it is first met.
"""

from __future__ import annotations

import string
from typing import NamedTuple

import numpy as np

from gistmark_engine.blocks import high_mask, lower_block, space_mask
from gistmark_engine.characters import LIMIT, SPACE
from gistmark_engine.intrinsics import has_compress, popcount, store_bytes, store_half, trailing_zeros
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.folding import COMBINING_DOT, DOTTED_I
from gistmark_engine.kernels.marks import block_of
from gistmark_engine.kernels.records import NULL
from gistmark_engine.kernels.sigma import lower_character
from gistmark_engine.kernels.utf8 import byte_at, decode
from gistmark_engine.tokenizers.mteval import LOWERED, SPACED, WORDS

U0, U1 = np.uint64(0), np.uint64(1)
ASCII = 128
PUNCTUATION = np.array([chr(number) in string.punctuation for number in range(ASCII)] + [False])


class Page(NamedTuple):
    """What is written: ids; behind a 0, where words stop; `numbers[c]`, the number of code point c, 0 for none yet; `points`,
    which have one, in order; room for a block of a short piece, and of lower case."""

    ids: np.ndarray
    stops: np.ndarray
    numbers: np.ndarray
    points: np.ndarray
    pad: np.ndarray
    lowered: np.ndarray


class Pen(NamedTuple):
    """Where the writing stands: ids, stops and numbers so far, whether a word is open; `ids` is negative after a piece that
    is not UTF-8."""

    ids: int
    stops: int
    numbers: int
    open: bool


@inlined
def read_letters(t, pen, rows, rules, page):
    """The characters of text t; a piece stops a word, or is a sentence where no words are asked for."""
    for p in range(rows.start[t], rows.stop[t]):
        if rows.length[p] == NULL:
            continue
        pen = _read_piece(rows.address[p], rows.length[p], pen, rules, page)
        if pen.ids < 0:
            return pen
        stops = pen.stops
        if _marks_words(rules):
            stops = _stop_word(stops, page.stops[stops - 1], pen.ids, page) if pen.open else stops
        elif rules.sentences:
            page.stops[stops] = pen.ids
            stops += 1
        pen = Pen(pen.ids, stops, pen.numbers, False)
    return pen


@inlined
def _marks_words(rules):
    return rules.sentences and rules.code & WORDS != 0


@inlined
def _read_piece(address, length, pen, rules, page):
    """As far as it is ASCII, 64 bytes at a time, elsewhere one character; of a piece shorter than a block a padded copy."""
    text, _, _ = block_of(address, length, 0, page.pad)
    at = np.int64(0)
    while at < length:
        block = min(at, max(length - 64, 0))
        skipped = at - block
        plain = min(trailing_zeros(high_mask(text + block) >> np.uint64(skipped)), min(length - block, 64) - skipped)
        if plain > 0:
            pen = _read_stretch(text + block, skipped, plain, pen, rules, page)
            at += plain
        while at < length and byte_at(address + at) >= ASCII:
            point, width = decode(address + at, length - at)
            if width == 0:
                return Pen(np.int64(-1), pen.stops, pen.numbers, False)
            pen = _read_character(address, at, width, length, point, pen, rules, page)
            at += width
    return pen


@inlined
def _read_character(address, at, width, length, point, pen, rules, page):
    """One character beyond ASCII, of `width` bytes at `at`."""
    if rules.code & LOWERED == 0:
        return _write(point, pen, rules, page)
    pen = _write(lower_character(address, at, width, length, point, rules.classes, rules.lower), pen, rules, page)
    return _write(np.int64(COMBINING_DOT), pen, rules, page) if point == DOTTED_I else pen


@inlined
def _read_stretch(block, skipped, count, pen, rules, page):
    """`count` ASCII bytes, behind the first `skipped` of the 64 at `block`."""
    live = (~U0 >> np.uint64(64 - count)) << np.uint64(skipped)
    visible = live if rules.code & SPACED else live & ~space_mask(block)
    source = block
    if rules.code & LOWERED:
        source = page.lowered.ctypes.data
        lower_block(block, source)
    _put_bytes(source, visible, page.ids.ctypes.data + 4 * pen.ids)
    stops = pen.stops
    if _marks_words(rules):
        start = page.stops[stops - 1]
        ends = ((visible << U1) | (np.uint64(pen.open) << np.uint64(skipped))) & ~visible & live
        while ends != U0:
            stop = pen.ids + popcount(visible & ((ends & (~ends + U1)) - U1))
            stops, start = _stop_word(stops, start, stop, page), stop
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
    """Append a character, unless it is white space that does not count."""
    is_space = np.int64(rules.classes[min(point, LIMIT - 1)]) & SPACE != 0
    if is_space:
        stops = (
            _stop_word(pen.stops, page.stops[pen.stops - 1], pen.ids, page)
            if pen.open and _marks_words(rules)
            else pen.stops
        )
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
def _stop_word(stops, start, stop, page):
    """Note that a word of chrF is the ids start:stop; returns how many stops there are now. A last punctuation mark is split
    off, or else a first one; whether there is one nothing branches on."""
    last, first = PUNCTUATION[min(page.ids[stop - 1], ASCII)], PUNCTUATION[min(page.ids[start], ASCII)]
    divided = (stop - start > 1) & (last | first)
    page.stops[stops] = (stop - 1 if last else start + 1) if divided else stop
    page.stops[stops + 1] = stop
    return stops + 1 + np.int64(divided)
