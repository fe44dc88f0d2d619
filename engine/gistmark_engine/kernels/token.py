"""A token as two words: up to fifteen bytes the token itself, of a longer one its first bytes and a hash of the rest."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import load_byte, load_word
from gistmark_engine.jit import inlined

U1, U29, U32, U56, U64 = np.uint64(1), np.uint64(29), np.uint64(32), np.uint64(56), np.uint64(64)
MIX_A, MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
LONG = np.uint64(0xFF << 56)
SHORT = 15
"""Bytes of the longest token that two words hold."""


@inlined
def token_words(address, length):
    """The two words of the token of `length` bytes at `address`, which has 16 readable bytes."""
    bits = np.uint64(length) << np.uint64(3)
    half = min(bits, U64) >> U1
    a = load_word(address) & (((U1 << half) << half) - U1)
    if length > SHORT:
        return a, _tail_hash(address + 8, length - 8) | LONG
    return a, (load_word(address + 8) & ((U1 << (max(bits, U64) - U64)) - U1)) | (np.uint64(length) << U56)


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
def home_slot(a, b, shift):
    """Where a token's search begins in a table of 2**(64 - shift) slots."""
    return np.int64(((a * MIX_A) ^ (b * MIX_B)) >> np.uint64(shift))
