"""Lower case as `str.lower` has it. One letter depends on its neighbours: a capital sigma that ends a word becomes final."""

from __future__ import annotations

import numpy as np

from gistmark_engine.characters import CASED, IGNORABLE, LIMIT, MARKS, MARKS_STOP
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.utf8 import byte_at, decode

CAPITAL_SIGMA, FINAL_SIGMA = 0x3A3, 0x3C2


@inlined
def lower_character(address, at, width, length, point, classes, lower):
    """The first code point of the lower case of the character `point`, of `width` bytes at `address + at`."""
    if point < 128:
        return point + 32 if 65 <= point <= 90 else point
    if point == CAPITAL_SIGMA and ends_cased_word(address, at, width, length, classes):
        return np.int64(FINAL_SIGMA)
    return np.int64(lower[point]) if point < LIMIT else point


@inlined
def ends_cased_word(address, at, width, length, classes):
    """Unicode's Final_Sigma (as `str.lower` reads it) for the character of `width` bytes at `address + at`.

    A cased character comes before it and none after it, case-ignorable ones in between passed over.
    """
    return _cased_before(address, at, classes) and not _cased_after(address, at + width, length, classes)


@inlined
def _cased_before(address, at, classes):
    while at > 0:
        at -= 1
        while byte_at(address + at) & 0xC0 == 0x80:
            at -= 1
        point, _ = decode(address + at, 4)
        kind = _kind(point, classes)
        if kind & IGNORABLE == 0:
            return kind & CASED != 0
    return False


@inlined
def _cased_after(address, at, length, classes):
    while at < length:
        point, width = decode(address + at, length - at)
        if width == 0:
            return False
        kind = _kind(point, classes)
        if kind & IGNORABLE == 0:
            return kind & CASED != 0
        at += width
    return False


@inlined
def _kind(point, classes):
    if point < LIMIT:
        return np.int64(classes[point])
    return np.int64(classes[LIMIT + point - MARKS]) if MARKS <= point < MARKS_STOP else np.int64(0)
