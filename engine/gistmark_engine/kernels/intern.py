"""Second pass over a text: give every token a number, equal for equal tokens of a row.

A token is two words. Up to fifteen bytes they are the token itself: its first eight bytes, the rest, and its length in
the top byte. Of a longer token the second word is a hash, marked by a top byte no length can have, and equality is
settled byte by byte. Entry e of the vocabulary is token id e - 1; an empty slot of the table holds 0.

Whether a word is new is a coin toss that no CPU predicts, so nothing here branches on it: the search makes entry 0 look
like the token it looks for, and a known token is written again.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import load_byte, load_word
from gistmark_engine.jit import inlined

U1, U29, U32, U56 = np.uint64(1), np.uint64(29), np.uint64(32), np.uint64(56)
MIX_A, MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
LONG = np.uint64(0xFF << 56)
SHORT = 15
"""Bytes of the longest token that two words hold."""


@inlined
def token_words(address, length):
    """The two words of the token of `length` bytes at `address`, which has 16 readable bytes."""
    head = min(length, np.int64(8))
    a = load_word(address) & _low_bytes(head)
    if length > SHORT:
        return a, _tail_hash(address + 8, length - 8) | LONG
    return a, (load_word(address + 8) & _low_bytes(length - head)) | (np.uint64(length) << U56)


@inlined
def _low_bytes(count):
    """A mask of the low `count` bytes, 0 to 8, without a branch."""
    half = np.uint64(4 * count)
    return ((U1 << half) << half) - U1


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


@inlined
def find(a, b, start, length, table, shift, vocabulary, tails, text):
    """(slot, entry) of a token: its own entry, or 0 and the free slot that is to hold it.

    vocabulary  uint64, two words an entry; `tails`: int64, start and length in the folded text of each long entry
    """
    last = (np.int64(1) << (64 - shift)) - 1
    slot = home_slot(a, b, shift)
    vocabulary[0], vocabulary[1] = a, b
    while True:
        entry = np.int64(table[slot])
        if (vocabulary[2 * entry] ^ a) | (vocabulary[2 * entry + 1] ^ b) == 0:
            if length <= SHORT or entry == 0 or _same_tail(tails, entry, start, length, text):
                return slot, entry
        slot = (slot + 1) & last


@inlined
def _same_tail(tails, entry, start, length, text):
    """Whether a long token is the long entry it looks like: same length, same bytes beyond the first eight."""
    if tails[2 * entry + 1] != length:
        return False
    known = tails[2 * entry]
    for k in range(8, length):
        if text[known + k] != text[start + k]:
            return False
    return True


@inlined
def add(a, b, start, length, table, shift, vocabulary, tails, text, size):
    """The entry of a token, made if it is new; returns (entry, number of entries)."""
    slot, known = find(a, b, start, length, table, shift, vocabulary, tails, text)
    new = known == 0
    size += np.int64(new)
    entry = size if new else known
    table[slot] = entry
    vocabulary[2 * entry], vocabulary[2 * entry + 1] = a, b
    if length > SHORT and new:
        tails[2 * entry], tails[2 * entry + 1] = start, length
    return entry, size


@inlined
def remove(table, shift, vocabulary, size, kept):
    """Take the entries beyond the first `kept` out of the table again, latest first."""
    last = (np.int64(1) << (64 - shift)) - 1
    for entry in range(size, kept, -1):
        slot = home_slot(vocabulary[2 * entry], vocabulary[2 * entry + 1], shift)
        while table[slot] != entry:
            slot = (slot + 1) & last
        table[slot] = 0


@inlined
def clear(table, shift):
    """Empty the first 2**(64 - shift) slots."""
    table[: np.int64(1) << (64 - shift)] = 0


@inlined
def rehash(table, shift, vocabulary, size):
    """Lay the `size` entries of the vocabulary into an emptied table of 2**(64 - shift) slots."""
    clear(table, shift)
    last = (np.int64(1) << (64 - shift)) - 1
    for entry in range(1, size + 1):
        slot = home_slot(vocabulary[2 * entry], vocabulary[2 * entry + 1], shift)
        while table[slot] != 0:
            slot = (slot + 1) & last
        table[slot] = entry
