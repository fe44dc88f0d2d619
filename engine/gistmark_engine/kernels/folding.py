"""A piece of text copied to where a tokenizer works on it, lower-cased on the way as `str.lower` has it."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import load_byte
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.sigma import lower_character
from gistmark_engine.kernels.utf8 import decode, encode, is_utf8

INVALID = -1
DOTTED_I, COMBINING_DOT = 0x130, 0x307


@inlined
def copy_piece(address, length, lowered, classes, lower, folded, base):
    """Copy a piece behind `base`, lower-cased if asked for; returns its size there, or INVALID."""
    if not lowered:
        for k in range(length):
            folded[base + k] = load_byte(address + k)
        return length if is_utf8(address, length) else np.int64(INVALID)
    at, size = 0, base
    while at < length:
        point, width = decode(address + at, length - at)
        if width == 0:
            return np.int64(INVALID)
        size = encode(lower_character(address, at, width, length, point, classes, lower), folded, size)
        if point == DOTTED_I:
            size = encode(COMBINING_DOT, folded, size)
        at += width
    return size - base
