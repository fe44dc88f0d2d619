"""A token as two words: up to fifteen bytes the token itself, of a longer one its first bytes and a hash of the rest."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import leading_zeros, load_byte, load_word
from gistmark_engine.jit import inlined

U29, U32, U56 = np.uint64(29), np.uint64(32), np.uint64(56)
MIX_A, MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
LONG = np.uint64(0xFF << 56)
SHORT = 15
"""Bytes of the longest token that two words hold."""

KEPT = np.frombuffer(b"".join((b"\xff" * size).ljust(16, b"\0") for size in range(SHORT + 1)), np.uint64)
"""What of sixteen bytes is a token's: two words for each length up to SHORT."""


@inlined
def token_words(address, length):
    """The two words of the token of `length` bytes at `address`, which has 16 readable bytes."""
    if length > SHORT:
        return load_word(address), _tail_hash(address + 8, length - 8) | LONG
    kept = KEPT.ctypes.data + 16 * length
    a, b = load_word(address) & load_word(kept), load_word(address + 8) & load_word(kept + 8)
    return a, b | (np.uint64(length) << U56)


@inlined
def _tail_hash(address, length):
    """A hash of the bytes beyond a long token's first eight."""
    value = np.uint64(length)
    for at in range(0, length - 7, 8):
        value = (value ^ load_word(address + at)) * MIX_A
        value ^= value >> U29
    for at in range(length & ~7, length):
        value = (value ^ load_byte(address + at)) * MIX_B
        value ^= value >> U29
    return value


@inlined
def table_shift(slots):
    """The shift of the smallest table that has so many slots: 2**(64 - shift), at least 2."""
    return leading_zeros(np.uint64(slots - 1))


@inlined
def home_slot(a, b, shift):
    """Where a token's search begins in a table of 2**(64 - shift) slots."""
    return np.int64(((a * MIX_A) ^ (b * MIX_B)) >> np.uint64(shift))
