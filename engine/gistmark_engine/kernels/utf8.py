"""Code points in and out of UTF-8 bytes at an address, strictly: no overlong form, no surrogate, nothing above U+10FFFF."""

from __future__ import annotations

import numpy as np

from gistmark_engine.blocks import high_mask
from gistmark_engine.intrinsics import load_byte
from gistmark_engine.jit import inlined

U0 = np.uint64(0)


@inlined
def byte_at(address):
    return np.int64(load_byte(address))


@inlined
def decode(address, left):
    """(code point, its width in bytes) at `address`, `left` bytes before the end; width 0 where it is no UTF-8."""
    lead = byte_at(address)
    if lead < 0x80:
        return lead, 1
    if lead < 0xC2 or lead > 0xF4:
        return np.int64(0), 0
    width = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    if left < width:
        return np.int64(0), 0
    point = lead & (0x7F >> width)
    for k in range(1, width):
        follow = byte_at(address + k)
        if follow & 0xC0 != 0x80:
            return np.int64(0), 0
        point = (point << 6) | (follow & 0x3F)
    smallest = 0x80 if width == 2 else (0x800 if width == 3 else 0x10000)
    if point < smallest or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        return np.int64(0), 0
    return point, width


@inlined
def encode(point, target, size):
    """Write a code point at `target + size` (an array of bytes); returns the new size."""
    if point < 0x80:
        target[size] = point
        return size + 1
    if point < 0x800:
        target[size] = 0xC0 | (point >> 6)
        target[size + 1] = 0x80 | (point & 0x3F)
        return size + 2
    if point < 0x10000:
        target[size] = 0xE0 | (point >> 12)
        target[size + 1] = 0x80 | ((point >> 6) & 0x3F)
        target[size + 2] = 0x80 | (point & 0x3F)
        return size + 3
    target[size] = 0xF0 | (point >> 18)
    target[size + 1] = 0x80 | ((point >> 12) & 0x3F)
    target[size + 2] = 0x80 | ((point >> 6) & 0x3F)
    target[size + 3] = 0x80 | (point & 0x3F)
    return size + 4


@inlined
def is_utf8(address, length):
    """Whether `length` bytes are UTF-8; blocks of plain ASCII are passed over 64 bytes at a time."""
    at = 0
    while at < length:
        if length - at >= 64 and high_mask(address + at) == U0:
            at += 64
            continue
        stop = min(at + 64, length)
        while at < stop:
            _, width = decode(address + at, length - at)
            if width == 0:
                return False
            at += width
    return True
