"""Second pass over a text: give every token a number, equal for equal tokens of a row.

A token is two words. Up to fifteen bytes they are the token itself: its first eight bytes, the rest, and its length in
the top byte. Of a longer token the second word is a hash, marked by a top byte no length can have, and equality is
settled byte by byte. Entry e of the vocabulary is token id e - 1; an empty slot of the table holds 0.

Whether a word is new is a coin toss that no CPU predicts, so nothing here branches on it: the search makes entry 0 look
like the token it looks for, and a known token is written again. Everything is reached by its address, since an index
that might be negative costs numba two instructions each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed, load_byte, load_half, load_word, store_half, store_word
from gistmark_engine.jit import called, inlined
from gistmark_engine.kernels.memo import stemmed
from gistmark_engine.kernels.token import SHORT, home_slot, token_words


class Vocabulary(NamedTuple):
    """Where a vocabulary lies: a uint32 table of 2**(64 - shift) slots; two words an entry; start and length in the folded
    text (int64) of each long entry."""

    table: int
    shift: int
    words: int
    tails: int


@called
def learn(first, last, count, ids, vocabulary, size, folded, memo):
    """Write the int32 ids of the `count` tokens whose starts and ends in the folded text lie, int64 each, at `first` and
    `last`; a token not seen before gets the next id. Returns the entries of the vocabulary, `size` before."""
    folded, memo = borrowed(folded), borrowed(memo)
    text = folded.ctypes.data
    for k in range(count):
        start = np.int64(load_word(first + 8 * k))
        a, b = token_words(text + start, np.int64(load_word(last + 8 * k)) - start)
        a, b, length = stemmed(a, b, np.int64(load_word(last + 8 * k)) - start, start, folded, memo)
        entry, size = add(a, b, start, length, vocabulary, size, text)
        store_half(ids + 4 * k, entry - 1)
    return size


@called
def look_up(first, last, count, ids, vocabulary, folded, memo):
    """As `learn`, but a token not seen before gets -1 and leaves no trace."""
    folded, memo = borrowed(folded), borrowed(memo)
    text = folded.ctypes.data
    for k in range(count):
        start = np.int64(load_word(first + 8 * k))
        a, b = token_words(text + start, np.int64(load_word(last + 8 * k)) - start)
        a, b, length = stemmed(a, b, np.int64(load_word(last + 8 * k)) - start, start, folded, memo)
        _, entry = _find(a, b, start, length, vocabulary, text)
        store_half(ids + 4 * k, entry - 1)


@inlined
def add(a, b, start, length, vocabulary, size, text):
    """The entry of a token, made if it is new; returns (entry, number of entries)."""
    slot, known = _find(a, b, start, length, vocabulary, text)
    new = known == 0
    size += np.int64(new)
    entry = size if new else known
    store_half(vocabulary.table + 4 * slot, entry)
    store_word(vocabulary.words + 16 * entry, a)
    store_word(vocabulary.words + 16 * entry + 8, b)
    if length > SHORT and new:
        store_word(vocabulary.tails + 16 * entry, np.uint64(start))
        store_word(vocabulary.tails + 16 * entry + 8, np.uint64(length))
    return entry, size


@inlined
def _find(a, b, start, length, vocabulary, text):
    """(slot, entry) of a token: its own entry, or 0 and the free slot that is to hold it."""
    table, words = vocabulary.table, vocabulary.words
    last = (np.int64(1) << (64 - vocabulary.shift)) - 1
    slot = home_slot(a, b, vocabulary.shift)
    store_word(words, a)
    store_word(words + 8, b)
    while True:
        entry = load_half(table + 4 * slot)
        if (load_word(words + 16 * entry) ^ a) | (load_word(words + 16 * entry + 8) ^ b) == 0:
            if length <= SHORT or entry == 0 or _same_tail(vocabulary.tails + 16 * entry, start, length, text):
                return slot, entry
        slot = (slot + 1) & last


@inlined
def _same_tail(tail, start, length, text):
    """Whether a long token is the long entry it looks like: same length, same bytes beyond the first eight."""
    if np.int64(load_word(tail + 8)) != length:
        return False
    known = text + np.int64(load_word(tail))
    for k in range(8, length):
        if load_byte(known + k) != load_byte(text + start + k):
            return False
    return True


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
