"""n-grams of all orders at once that two long texts share, by sorting what begins at each of their tokens.

The first `top` tokens from each place on, of both texts together, are packed into a word each, a letter a token, and the
words sorted. Then the places where an n-gram stands follow each other, for every n. A run of equal n-grams that comes a
times in the base and b times in the target adds |a − b| to the difference of its order, and what is shared is half of what
the difference leaves of all places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import leading_zeros
from gistmark_engine.jit import inlined
from gistmark_engine.lanes import LANES, moved, no_bits, put_lanes

U0, U1 = np.uint64(0), np.uint64(1)
BASE, TARGET = 0, 1
"""The lowest bit of a word: whose it is. The same numbers are the letters behind a text's end; every token of the target
that the base lacks is TARGET too: what holds one is in one text only."""

FEW, NARROW, WIDE = 8192, 9, 11
"""Bits that are sorted by at a time: up to NARROW where there are less than FEW words, up to WIDE otherwise."""


class Prefixes(NamedTuple):
    """`letters[id + 1]`: TARGET, or the letter of a token that the base at hand has; room for the words, twice; `starts`,
    where words with certain bits go, for all passes; `difference` of each order."""

    letters: np.ndarray
    words: np.ndarray
    sorted: np.ndarray
    starts: np.ndarray
    difference: np.ndarray


@inlined
def make_prefixes(vocabulary, longest):
    return Prefixes(
        np.full(vocabulary + 2, TARGET, np.int32),
        np.empty(longest, np.uint64),
        np.empty(longest, np.uint64),
        np.empty(8 << WIDE, np.int32),
        np.empty(LANES, np.int64),
    )


@inlined
def match_prefixes(base, target, top, prefixes):
    """Let `prefixes.difference` say, by order up to `top` (lane k for order k + 1), how many places of two texts, given as ids,
    hold no n-gram shared with the other. False where the base has so many different tokens that words cannot hold them."""
    letters, size = prefixes.letters, 2
    for i in range(len(base)):
        letter = letters[base[i] + 1]
        letters[base[i] + 1] = size if letter == TARGET else letter
        size += np.int64(letter == TARGET)
    bits = np.int64(64) - leading_zeros(np.uint64(size - 1))
    fits = top * bits < 64
    if fits:
        _pack(base, BASE, top, bits, letters, prefixes.words[: len(base)])
        _pack(target, TARGET, top, bits, letters, prefixes.words[len(base) :])
        count = len(base) + len(target)
        even = _sort(prefixes.words, prefixes.sorted, count, top * bits, prefixes.starts)
        _count_runs(prefixes.words if even else prefixes.sorted, count, top, bits, prefixes.difference)
    for i in range(len(base)):
        letters[base[i] + 1] = TARGET
    return fits


@inlined
def _pack(ids, owner, top, bits, letters, words):
    """The words of one text, from its end: the letter that comes in shifts the last one out."""
    word, shift, highest = U0, np.uint64(bits), np.uint64(bits * (top - 1))
    for _ in range(top):
        word = (word << shift) | np.uint64(owner)
    for i in range(len(ids) - 1, -1, -1):
        word = (word >> shift) | (np.uint64(letters[ids[i] + 1]) << highest)
        words[i] = (word << U1) | np.uint64(owner)


@inlined
def _sort(words, other, count, bits, starts):
    """Sort `count` words by the `bits` bits above the lowest, those of fewest weight first; False where they are in `other`
    at the end."""
    most = NARROW if count < FEW else WIDE
    passes = (bits + most - 1) // most
    width = (bits + passes - 1) // passes
    _count_digits(words, count, passes, width, starts)
    mask, size, shift = np.uint64((1 << width) - 1), np.int64(1) << width, U1
    for k in range(passes):
        places = starts[k * size : (k + 1) * size]
        for i in range(count):
            word = words[i]
            digit = (word >> shift) & mask
            place = places[digit]
            other[np.uint64(place)], places[digit] = word, place + 1
        words, other, shift = other, words, shift + np.uint64(width)
    return passes & 1 == 0


@inlined
def _count_digits(words, count, passes, width, starts):
    """For every pass, where the words with each digit begin."""
    mask, size = np.uint64((1 << width) - 1), np.int64(1) << width
    starts[: passes * size] = 0
    for i in range(count):
        word, row = words[i] >> U1, U0
        for _ in range(passes):
            starts[row + (word & mask)] += 1
            word, row = word >> np.uint64(width), row + np.uint64(size)
    for k in range(passes):
        before = np.int32(0)
        for digit in range(k * size, (k + 1) * size):
            starts[digit], before = before, before + starts[digit]


@inlined
def _count_runs(words, count, top, bits, difference):
    """The differences, from the sorted words. Two neighbours have as many tokens in common as letters from the top; a
    letter's share is multiplied by, since a division takes long."""
    since, total = no_bits(1), no_bits(1)
    unused, share = 63 - top * bits, 65536 // bits + 1
    balance = np.int64(0)
    for i in range(count):
        if i > 0:
            equal = leading_zeros((words[i] ^ words[i - 1]) | U1) - unused
            since, total = moved(since, total, (equal * share) >> 16, balance)
        balance += 1 - 2 * np.int64(words[i] & U1)
    since, total = moved(since, total, np.int64(0), balance)
    put_lanes(total, difference.ctypes.data)
