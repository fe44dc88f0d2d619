"""First pass over a text: fold its case and mark, one bit a byte, where tokens start and end.

`folded` receives the folded bytes; bit k of `starts` is set where a token begins at byte k, bit k of `ends` where one
ended just before byte k (so the end of the last token may lie one past the text). `breaks` marks newlines.
The ASCII path reads 64 bytes at a time; the Unicode path walks code points and follows Python's `str.lower`.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.blocks import high_mask, may_fold_mask, newline_mask
from gistmark_engine.characters import LIMIT, SPACE, WORD
from gistmark_engine.intrinsics import trailing_zeros
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.boundaries import classify_boundaries
from gistmark_engine.kernels.folding import INVALID
from gistmark_engine.kernels.marks import block_of, fold_block, mark_stretch, set_bit, token_masks
from gistmark_engine.kernels.mteval import classify_mteval
from gistmark_engine.kernels.sigma import lower_character
from gistmark_engine.kernels.utf8 import decode, encode, is_utf8
from gistmark_engine.tokenizers.rule import (
    CHARACTER,
    MTEVAL,
    ROUGE,
    ROUGE155,
    UNICODE,
    WHITESPACE,
    WHITESPACE_LOWER,
    WORD_PUNCT,
)

U0, U1, U63 = np.uint64(0), np.uint64(1), np.uint64(63)
NEWLINE = 10
DOTTED_I, COMBINING_DOT, KELVIN = 0x130, 0x307, 0x212A


@inlined
def classify(address, length, rule, classes, lower, pad, folded, base, starts, ends, breaks):
    """Fold and mark one piece; returns the number of folded bytes, or INVALID where it is not UTF-8.

    The folded bytes go to `folded[base:]`, which has room for 3·length/2 + 64; the masks are uint64 arrays of as many bits.
    """
    if rule >= MTEVAL:
        return classify_mteval(address, length, rule - MTEVAL, classes, lower, pad, folded, base, starts, ends, breaks)
    if rule in (UNICODE, CHARACTER):
        return classify_boundaries(address, length, rule, classes, lower, folded, base, starts, ends, breaks)
    high, may_fold = _classify_ascii(address, length, rule, pad, folded.ctypes.data + base, starts, ends, breaks)
    if not high:
        return length
    if rule != ROUGE155 and (rule != ROUGE or may_fold):
        return _classify_unicode(address, length, rule, classes, lower, folded, base, starts, ends, breaks)
    return length if is_utf8(address, length) else np.int64(INVALID)


@inlined
def _classify_ascii(address, length, rule, pad, folded, starts, ends, breaks):
    """The vector path; right where no byte is above 127, under ROUGE where none of them can fold to a letter, under
    ROUGE155 everywhere."""
    high, may_fold = U0, U0
    was_word, was_single = U0, U0
    for block in range((length + 63) >> 6):
        at, past, live = block_of(address, length, block, pad)
        fold_block(at, folded + 64 * block - np.int64(past), rule)
        word, single = token_masks(at, rule)
        word, single, newline = (word >> past) & live, (single >> past) & live, (newline_mask(at) >> past) & live
        before_word, before_single = (word << U1) | was_word, (single << U1) | was_single
        starts[block] = (word & ~before_word) | single
        ends[block] = (before_word & ~word) | before_single
        was_word, was_single = word >> U63, single >> U63
        breaks[block] = newline
        block_high = high_mask(at)
        if block_high != U0:
            high |= block_high
            may_fold |= may_fold_mask(at)
    if length & 63 == 0:
        block = length >> 6
        starts[block], breaks[block] = U0, U0
        ends[block] = was_word | was_single
    return high != U0, may_fold != U0


@inlined
def _classify_unicode(address, length, rule, classes, lower, folded, base, starts, ends, breaks):
    """The code point path: stretches of ASCII at once, else one character at a time, as Python lowers and matches it."""
    starts[0], ends[0], breaks[0] = U0, U0, U0
    at, size, in_word = 0, np.int64(0), False
    while at < length:
        if length - at >= 64:
            plain = trailing_zeros(high_mask(address + at))
            if plain > 0:
                size, in_word = mark_stretch(
                    address + at, plain, rule, folded.ctypes.data + base, size, in_word, starts, ends, breaks
                )  # fmt: skip
                at += plain
                continue
        point, width = decode(address + at, length - at)
        if width == 0:
            return np.int64(INVALID)
        low = _lower(address, at, width, length, point, rule, classes, lower)
        size, in_word = _emit(low, rule, classes, folded, base, size, in_word, starts, ends, breaks)
        if point == DOTTED_I and rule != WHITESPACE:
            size, in_word = _emit(COMBINING_DOT, rule, classes, folded, base, size, in_word, starts, ends, breaks)
        at += width
    if in_word:
        set_bit(ends, size)
    return size


@inlined
def _emit(point, rule, classes, folded, base, size, in_word, starts, ends, breaks):
    """Append one folded character and mark what starts or ends with it; returns (size, whether a word is open)."""
    word, single = _token_kind(point, rule, classes)
    if in_word and not word:
        set_bit(ends, size)
    if (word and not in_word) or single:
        set_bit(starts, size)
    if point == NEWLINE:
        set_bit(breaks, size)
    after = encode(point, folded, base + size) - base
    if after >> 6 != size >> 6:
        block = after >> 6
        starts[block], ends[block], breaks[block] = U0, U0, U0
    if single:
        set_bit(ends, after)
    return after, word


@inlined
def _lower(address, at, width, length, point, rule, classes, lower):
    """Python's lower case of the character at `at`, its first code point; ROUGE cares only where that is ASCII."""
    if rule == WHITESPACE:
        return point
    if rule == ROUGE and point >= 128:
        return np.int64(107) if point == KELVIN else (np.int64(105) if point == DOTTED_I else point)
    return lower_character(address, at, width, length, point, classes, lower)


@inlined
def _token_kind(point, rule, classes):
    """(part of a word-like token, a token by itself) for a folded character."""
    if rule == ROUGE:
        return (97 <= point <= 122) or (48 <= point <= 57), False
    kind = np.int64(classes[point]) if point < LIMIT else np.int64(0)
    space = kind & SPACE != 0
    if rule in (WHITESPACE, WHITESPACE_LOWER):
        return not space, False
    word = kind & WORD != 0
    return word, (rule == WORD_PUNCT) and not word and not space
