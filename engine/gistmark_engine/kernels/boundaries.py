"""Words and characters by the default rules of Unicode's Annex 29, one walk over the lower-cased text.

A word is what lies between two word boundaries and holds a letter or digit; a character is an extended grapheme cluster
that is not white space alone. Rules are named as in the annex (WB5, GB9c). Folded text and marks are as in
`kernels.classify`; the break properties stand behind the classes, see `breaks.break_tables`.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.breaks import CONJUNCT_EXTEND, CONSONANT, GRAPHEME, LINKER, PICTOGRAPHIC, WORD_BREAK
from gistmark_engine.characters import LIMIT, MARKS, MARKS_STOP, SPACE, WORD
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.folding import INVALID, copy_piece
from gistmark_engine.kernels.utf8 import decode
from gistmark_engine.tokenizers.rule import UNICODE

U0, U1 = np.uint64(0), np.uint64(1)
LINE_FEED, UNDERSCORE = 10, 95
FIVE_BITS, FOUR_BITS = 31, 15


def _set_of(values, *names):
    """A set of break values as bits."""
    return sum(1 << values.index(name) for name in names)


HEBREW, NUMERIC, KATAKANA, EXTENDNUMLET, SINGLE_QUOTE, DOUBLE_QUOTE, NEWLINE, ZWJ, WSEGSPACE, REGIONAL = map(
    WORD_BREAK.index,
    ("HEBREW_LETTER", "NUMERIC", "KATAKANA", "EXTENDNUMLET", "SINGLE_QUOTE", "DOUBLE_QUOTE", "NEWLINE", "ZWJ", "WSEGSPACE",
     "REGIONAL_INDICATOR"),
)  # fmt: skip
LETTER = _set_of(WORD_BREAK, "ALETTER", "HEBREW_LETTER")
WORDY = LETTER | _set_of(WORD_BREAK, "NUMERIC", "EXTENDNUMLET")
MID_LETTER = _set_of(WORD_BREAK, "MIDLETTER", "MIDNUMLET", "SINGLE_QUOTE")
MID_NUMBER = _set_of(WORD_BREAK, "MIDNUM", "MIDNUMLET", "SINGLE_QUOTE")
NEWLINES = _set_of(WORD_BREAK, "CR", "LF", "NEWLINE")
IGNORED = _set_of(WORD_BREAK, "EXTEND", "FORMAT", "ZWJ")

CR, LF, CONTROL, EXTEND, JOINER, FLAG, PREPEND = map(
    GRAPHEME.index, ("CR", "LF", "CONTROL", "EXTEND", "ZWJ", "REGIONAL_INDICATOR", "PREPEND")
)
CONTROLS = _set_of(GRAPHEME, "CR", "LF", "CONTROL")
TRAILING = _set_of(GRAPHEME, "EXTEND", "ZWJ", "PACINGMARK")
AFTER_L, AFTER_V, AFTER_T = (
    _set_of(GRAPHEME, *names) for names in (("L", "V", "LV", "LVT"), ("V", "T"), ("T",))
)  # fmt: skip
L, V, T, LV, LVT = map(GRAPHEME.index, ("L", "V", "T", "LV", "LVT"))


@inlined
def classify_boundaries(address, length, rule, classes, lower, folded, base, starts, ends, breaks):
    """Fold and mark one piece; returns the number of folded bytes, or INVALID where it is not UTF-8."""
    size = copy_piece(address, length, True, classes, lower, folded, base)
    if size == INVALID:
        return size
    for block in range((size >> 6) + 1):
        starts[block], ends[block], breaks[block] = U0, U0, U0
    if rule == UNICODE:
        _mark_words(folded.ctypes.data + base, size, classes, starts, ends, breaks)
    else:
        _mark_characters(folded.ctypes.data + base, size, classes, starts, ends, breaks)
    return size


@inlined
def _mark_words(address, size, classes, starts, ends, breaks):
    """`last` and `before` are the last two values that WB4 does not ignore, `adjacent` is the last of all."""
    at, start, spoken = 0, 0, False
    before, last, adjacent, flags = NEWLINE, NEWLINE, NEWLINE, 0
    while at < size:
        point, width, kind, value = _look_up(address + at, size - at, classes)
        now, pictographic = value & FIVE_BITS, value & PICTOGRAPHIC != 0
        joins = _joins_always(adjacent, now, pictographic)
        if not joins and not _in(adjacent, NEWLINES):
            joins = _joins_word(before, last, now, flags, address, at + width, size, classes)
        if not joins:
            _mark(spoken, start, at, starts, ends)
            start, spoken = at, False
        spoken |= kind & WORD != 0 and point != UNDERSCORE
        if point == LINE_FEED:
            _set(breaks, at)
        if not _in(now, IGNORED) or _in(adjacent, NEWLINES):
            before, last = last, now
            flags = flags + 1 if now == REGIONAL else 0
        adjacent = now
        at += width
    _mark(spoken, start, size, starts, ends)


@inlined
def _joins_always(adjacent, now, pictographic):
    """WB3 to WB4, of two neighbours. (CR and LF are in no word.)"""
    if _in(adjacent, NEWLINES):
        return False
    return _in(now, IGNORED) or (adjacent == ZWJ and pictographic) or (adjacent == WSEGSPACE and now == WSEGSPACE)


@inlined
def _joins_word(before, last, now, flags, address, after, size, classes):
    """WB5 to WB16, of two values between which nothing but ignored ones stands; `after` is where what follows begins."""
    if _in(now, LETTER):
        quoted = now == HEBREW and last == DOUBLE_QUOTE and before == HEBREW
        return _in(last, WORDY) or (_in(before, LETTER) and _in(last, MID_LETTER)) or quoted
    if now == NUMERIC:
        return _in(last, WORDY) or (before == NUMERIC and _in(last, MID_NUMBER))
    if now == KATAKANA:
        return last == KATAKANA or last == EXTENDNUMLET
    if now == EXTENDNUMLET:
        return _in(last, WORDY) or last == KATAKANA
    if now == REGIONAL:
        return last == REGIONAL and flags & 1 == 1
    if _in(last, LETTER) and _in(now, MID_LETTER):
        single = last == HEBREW and now == SINGLE_QUOTE
        return single or _in(_following(address, after, size, classes), LETTER)
    if last == NUMERIC and _in(now, MID_NUMBER):
        return _following(address, after, size, classes) == NUMERIC
    if last == HEBREW and now == DOUBLE_QUOTE:
        return _following(address, after, size, classes) == HEBREW
    return False


@inlined
def _following(address, at, size, classes):
    """The first value from `at` on that is not ignored; that of a newline at the end."""
    while at < size:
        _, width, _, value = _look_up(address + at, size - at, classes)
        if not _in(value & FIVE_BITS, IGNORED):
            return value & FIVE_BITS
        at += width
    return np.int64(NEWLINE)


@inlined
def _mark_characters(address, size, classes, starts, ends, breaks):
    """`picture`: 1 behind a pictograph and what extends it, 2 behind a joiner there (GB11); `conjunct`: 1 behind a
    consonant, 2 behind its linker too (GB9c); `flags`: how many regional indicators in a row (GB12)."""
    at, start, visible = 0, 0, False
    last, picture, conjunct, flags = CONTROL, 0, 0, 0
    while at < size:
        point, width, kind, value = _look_up(address + at, size - at, classes)
        now = value & FOUR_BITS
        linked = (picture == 2 and value & PICTOGRAPHIC != 0) or (conjunct == 2 and value & CONSONANT != 0)
        if not _joins_character(last, now, linked or (now == FLAG and flags & 1 == 1)):
            _mark(visible, start, at, starts, ends)
            start, visible = at, False
        visible |= kind & SPACE == 0
        if point == LINE_FEED:
            _set(breaks, at)
        picture = _picture(picture, now, value)
        conjunct = _conjunct(conjunct, value)
        flags = flags + 1 if now == FLAG else 0
        last = now
        at += width
    _mark(visible, start, size, starts, ends)


@inlined
def _joins_character(last, now, linked):
    """GB3 to GB13; `linked` says what those hold that look further back than one value."""
    if _in(last, CONTROLS) or _in(now, CONTROLS):
        return last == CR and now == LF
    if last == L:
        hangul = _in(now, AFTER_L)
    elif last == V or last == LV:
        hangul = _in(now, AFTER_V)
    else:
        hangul = (last == T or last == LVT) and _in(now, AFTER_T)
    return hangul or _in(now, TRAILING) or last == PREPEND or linked


@inlined
def _picture(picture, now, value):
    if value & PICTOGRAPHIC != 0:
        return 1
    if picture == 1 and now == JOINER:
        return 2
    return picture if picture == 1 and now == EXTEND else 0


@inlined
def _conjunct(conjunct, value):
    if value & CONSONANT != 0:
        return 1
    if value & LINKER != 0:
        return 2 if conjunct > 0 else 0
    return conjunct if value & CONJUNCT_EXTEND != 0 else 0


@inlined
def _look_up(address, left, classes):
    """(code point, width, class, break value) of the character at `address`."""
    point, width = decode(address, left)
    place = point if point < LIMIT else LIMIT + point - MARKS
    if point >= LIMIT and not MARKS <= point < MARKS_STOP:
        return point, width, np.int64(0), np.int64(0)
    return point, width, np.int64(classes[place]), np.int64(classes[(len(classes) >> 1) + place])


@inlined
def _in(value, values):
    return (values >> value) & 1 == 1


@inlined
def _mark(wanted, start, stop, starts, ends):
    if wanted:
        starts[start >> 6] |= U1 << np.uint64(start & 63)
        ends[stop >> 6] |= U1 << np.uint64(stop & 63)


@inlined
def _set(bits, at):
    bits[at >> 6] |= U1 << np.uint64(at & 63)
