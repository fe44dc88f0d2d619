"""Second pass over a text: give every token a number, equal for equal tokens of a row.

A token is two words: its first eight bytes and its next eight (zero-padded); beyond sixteen bytes the second word is a
hash of the rest, and equality is settled byte by byte. Entry e of the vocabulary (four words: word, word, where its
bytes start, length) is token id e - 1; entry 0 is nobody, so an empty slot of the table, 0, needs no special case.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import load_byte, load_word
from gistmark_engine.jit import inlined

U0, U1, U29, U32 = np.uint64(0), np.uint64(1), np.uint64(29), np.uint64(32)
MIX_A, MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
ALL = ~np.uint64(0)
WORD_A, WORD_B, START, LENGTH, ROW = 0, 1, 2, 3, 4
NOBODY = ~np.uint64(0)


@inlined
def token_words(address, length):
    """The two words of the token of `length` bytes at `address`, which has 16 readable bytes."""
    head = min(length, np.int64(8))
    a = load_word(address) & _low_bytes(head)
    if length > 16:
        return a, _tail_hash(address + 8, length - 8)
    return a, load_word(address + 8) & _low_bytes(length - head)


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
def home_slot(a, b, length, shift):
    """Where a token's search begins in a table of 2**(64 - shift) slots."""
    mixed = (a * MIX_A) ^ ((b + np.uint64(length)) * MIX_B)
    mixed ^= mixed >> U32
    return np.int64((mixed * MIX_B) >> np.uint64(shift))


@inlined
def find(a, b, start, length, table, shift, vocabulary, text):
    """(slot, entry) of a token: its own entry, or 0 and the free slot that is to hold it."""
    last = (np.int64(1) << (64 - shift)) - 1
    slot = home_slot(a, b, length, shift)
    while True:
        entry = np.int64(table[slot])
        same = (
            (vocabulary[ROW * entry + WORD_A] == a)
            & (vocabulary[ROW * entry + WORD_B] == b)
            & (vocabulary[ROW * entry + LENGTH] == np.uint64(length))
        )
        if (entry == 0) | same:
            if length <= 16 or entry == 0 or _same_tail(text, np.int64(vocabulary[ROW * entry + START]), start, length):
                return slot, entry
        slot = (slot + 1) & last


@inlined
def _same_tail(text, one, other, length):
    """Whether two tokens of the folded text agree beyond the first eight bytes."""
    for k in range(8, length):
        if text[one + k] != text[other + k]:
            return False
    return True


@inlined
def add(a, b, start, length, table, shift, vocabulary, slots, text, size):
    """The entry of a token, made if it is new; returns (entry, number of entries).

    Whether a word is new is a coin toss that no CPU predicts, so nothing branches on it: a known token is written again.
    """
    slot, known = find(a, b, start, length, table, shift, vocabulary, text)
    new = known == 0
    size += np.int64(new)
    entry = size if new else known
    first = np.uint64(start) if new else vocabulary[ROW * known + START]
    table[slot] = entry
    slots[entry] = slot
    vocabulary[ROW * entry + WORD_A], vocabulary[ROW * entry + WORD_B] = a, b
    vocabulary[ROW * entry + START], vocabulary[ROW * entry + LENGTH] = first, np.uint64(length)
    return entry, size


@inlined
def remove(table, slots, size, kept):
    """Take the entries beyond the first `kept` out of the table again, latest first."""
    for entry in range(size, kept, -1):
        table[slots[entry]] = 0


@inlined
def clear(table, shift, vocabulary):
    """Empty the first 2**(64 - shift) slots."""
    table[: np.int64(1) << (64 - shift)] = 0
    vocabulary[LENGTH] = NOBODY


@inlined
def rehash(table, shift, vocabulary, slots, size):
    """Lay the `size` entries of the vocabulary into an emptied table of 2**(64 - shift) slots."""
    clear(table, shift, vocabulary)
    last = (np.int64(1) << (64 - shift)) - 1
    for entry in range(1, size + 1):
        a, b = vocabulary[ROW * entry + WORD_A], vocabulary[ROW * entry + WORD_B]
        slot = home_slot(a, b, np.int64(vocabulary[ROW * entry + LENGTH]), shift)
        while table[slot] != 0:
            slot = (slot + 1) & last
        table[slot] = entry
        slots[entry] = slot
