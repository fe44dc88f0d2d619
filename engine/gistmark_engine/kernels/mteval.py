"""First pass of the tokenizers of machine translation evaluation: the rewriting rules of sacreBLEU as one walk.

sacreBLEU runs regular expressions one after the other over the text. What they come to is a decision at each character,
taken from the character before: see `_cut`. Folded text and marks are as in `kernels.classify`.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.characters import LIMIT, SPACE
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.folding import INVALID, copy_piece
from gistmark_engine.kernels.utf8 import byte_at, decode
from gistmark_engine.kernels.western import classify_western
from gistmark_engine.tokenizers.mteval import ALONE, DIGIT, EDITED, HYPHEN, LOWERED, PADDED, RUN, STRIPPED, WORDS

U0, U1 = np.uint64(0), np.uint64(1)
START = 256
KINDS = SPACE | ALONE | RUN | DIGIT | HYPHEN
NOWHERE = np.int64(-1)
AMPERSAND, NEWLINE, LESS = 38, 10, 60
SKIPPED, HYPHENATED = np.frombuffer(b"<skipped>", np.uint8), np.frombuffer(b"-\n", np.uint8)
QUOTE, AND, LESS_THAN, GREATER = (np.frombuffer(entity, np.uint8) for entity in (b"&quot;", b"&amp;", b"&lt;", b"&gt;"))
NOTHING = np.zeros(0, np.uint8)
QUOTE_SIGN, AND_SIGN, LESS_SIGN, GREATER_SIGN = (np.frombuffer(sign, np.uint8) for sign in (b'"', b"&", b"<", b">"))


@inlined
def classify_mteval(address, length, options, classes, lower, pad, folded, base, starts, ends, breaks):
    """Fold and mark one piece; returns the number of folded bytes, or INVALID where it is not UTF-8."""
    lowered = options & LOWERED != 0
    if options == PADDED | EDITED or options == PADDED | EDITED | LOWERED:
        to = folded.ctypes.data + base
        if classify_western(address, length, lowered, classes, pad, to, starts, ends, breaks):
            return length
    size = copy_piece(address, length, lowered, classes, lower, folded, base)
    if size == INVALID:
        return size
    while size > 0 and _kind_before(folded, base, size, classes) & SPACE:
        size = _character_before(folded, base, size)
    if options & EDITED:
        size = _edit(folded, base, size)
    for block in range((size >> 6) + 1):
        starts[block], ends[block], breaks[block] = U0, U0, U0
    if options & WORDS:
        _mark_words(folded, base, size, classes, starts, ends, breaks)
    else:
        _cut(folded, base, size, options, classes, starts, ends)
    return size


@inlined
def _character_before(folded, base, size):
    """Where the last character of the first `size` bytes begins."""
    size -= 1
    while folded[base + size] & 0xC0 == 0x80:
        size -= 1
    return size


@inlined
def _kind_before(folded, base, size, classes):
    """The kind of the last of the first `size` bytes."""
    at = _character_before(folded, base, size)
    return _kind(folded.ctypes.data + base + at, size - at, classes)[0]


@inlined
def _kind(address, left, classes):
    """(kind, width) of the character at `address`."""
    point, width = decode(address, left)
    return np.int64(classes[min(point, LIMIT - 1)]) & KINDS, width


@inlined
def _edit(folded, base, size):
    """13a's repairs, in its order: `<skipped>` and line-end hyphens dropped, four entities unescaped."""
    rare = U0
    for k in range(size):
        byte = folded[base + k]
        rare |= np.uint64((byte == AMPERSAND) | (byte == NEWLINE) | (byte == LESS))
    if rare == U0:
        return size
    size = _replace(folded, base, size, SKIPPED, NOTHING)
    size = _replace(folded, base, size, HYPHENATED, NOTHING)
    size = _replace(folded, base, size, QUOTE, QUOTE_SIGN)
    size = _replace(folded, base, size, AND, AND_SIGN)
    size = _replace(folded, base, size, LESS_THAN, LESS_SIGN)
    return _replace(folded, base, size, GREATER, GREATER_SIGN)


@inlined
def _replace(folded, base, size, old, new):
    """Replace `old` by `new`, which is shorter, from left to right; returns the new size."""
    at, to = 0, 0
    while at < size:
        if _matches(folded, base + at, base + size, old):
            for k in range(len(new)):
                folded[base + to + k] = new[k]
            at, to = at + len(old), to + len(new)
        else:
            folded[base + to] = folded[base + at]
            at, to = at + 1, to + 1
    return to


@inlined
def _matches(folded, at, stop, old):
    if stop - at < len(old):
        return False
    for k in range(len(old)):
        if folded[at + k] != old[k]:
            return False
    return True


@inlined
def _cut(folded, base, size, options, classes, starts, ends):
    """Mark tokens. A character joins the one before unless

    - either is white space or stands alone, or it is a hyphen after a digit, which then stands alone;
    - it is run punctuation (`.` and `,`, or all punctuation): joins a digit if a digit comes next, nothing else;
    - it comes after run punctuation: joins only if it is a digit and the run's length is odd after a digit, even
      otherwise, because the rules eat runs two by two.

    A text that is not padded counts as having digits beyond its ends.
    """
    address = folded.ctypes.data + base
    open_ended = options & PADDED == 0
    before, glued, doubtful = (START | SPACE) if open_ended else SPACE, False, NOWHERE
    at = _leading_space(address, size, classes) if options & STRIPPED else 0
    while at < size:
        kind, width = _kind(address + at, size - at, classes)
        if doubtful >= 0 and kind & DIGIT == 0:
            _boundary(starts, ends, doubtful)
        doubtful = NOWHERE
        if kind & HYPHEN:
            kind = ALONE if before & DIGIT else 0
        joins = (kind | before) & (SPACE | ALONE) == 0
        if kind & RUN:
            glued = not glued if before & RUN else before & (DIGIT | START) != 0
            joins &= before & DIGIT != 0
            doubtful = np.int64(at) if joins else NOWHERE
        elif before & RUN:
            joins &= glued and kind & DIGIT != 0
        if not joins:
            if before & SPACE == 0:
                _set(ends, at)
            if kind & SPACE == 0:
                _set(starts, at)
        before = kind
        at += width
    if doubtful >= 0 and not open_ended:
        _boundary(starts, ends, doubtful)
    if before & SPACE == 0:
        _set(ends, size)


@inlined
def _leading_space(address, size, classes):
    """Bytes of white space in front."""
    at = 0
    while at < size:
        kind, width = _kind(address + at, size - at, classes)
        if kind & SPACE == 0:
            break
        at += width
    return at


@inlined
def _boundary(starts, ends, at):
    _set(ends, at)
    _set(starts, at)


@inlined
def _set(bits, at):
    bits[at >> 6] |= U1 << np.uint64(at & 63)


@inlined
def _mark_words(folded, base, size, classes, starts, ends, breaks):
    """chrF: every visible character is a token, and a break stands where one of its words begins.

    Words are separated by white space; a last ASCII punctuation mark is split off, or else a first one.
    """
    address = folded.ctypes.data + base
    at = 0
    while at < size:
        first, last, count = at, at, 0
        while at < size:
            kind, width = _kind(address + at, size - at, classes)
            if kind & SPACE:
                break
            _set(starts, at)
            last, at, count = at, at + width, count + 1
            _set(ends, at)
        if count > 0:
            _set(breaks, first)
        if count > 1 and _is_punctuation(byte_at(address + last)):
            _set(breaks, last)
        elif count > 1 and _is_punctuation(byte_at(address + first)):
            _set(breaks, first + 1)
        while at < size:
            kind, width = _kind(address + at, size - at, classes)
            if kind & SPACE == 0:
                break
            at += width


@inlined
def _is_punctuation(byte):
    """Python's `string.punctuation`."""
    return 33 <= byte <= 47 or 58 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126
