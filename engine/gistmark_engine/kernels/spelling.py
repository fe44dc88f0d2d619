"""Words by number where tokens are characters: equal numbers are equal spellings, within a group of rows.

For chrF++, which compares characters and words of the same texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed, load_half, load_word
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.token import MIX_A, MIX_B, U29


class Words(NamedTuple):
    """Spans [rows, 2] and [references, 2] in `ids`, int32, which `vocabulary` bounds."""

    ids: np.ndarray
    summary: np.ndarray
    reference: np.ndarray
    vocabulary: int


class Spellings(NamedTuple):
    """The words of a group, numbered from 1: a table of numbers, 0 for none, whose size is a power of two; by number the
    word's hash, and the bounds of its characters where it came first."""

    table: np.ndarray
    hashes: np.ndarray
    starts: np.ndarray
    stops: np.ndarray


@kernel
def spell_words(cut, groups):
    """The words of all summaries and references of a cut by characters whose sentences are words."""
    most, total = np.int64(0), np.int64(0)
    for g in range(len(groups.offsets) - 1):
        count = _count_words(cut, groups, g)
        most, total = max(most, count), total + count
    words = np.empty(total, np.int32), np.zeros_like(cut.summary), np.zeros_like(cut.reference)
    spellings = Spellings(
        np.empty(_slots(most), np.uint32),
        np.empty(most + 1, np.uint64),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
    )
    vocabulary = _spell(cut, groups, spellings, words)
    return Words(words[0], words[1], words[2], vocabulary)


@inlined
def _slots(words):
    """Slots of a table for so many words: at least four a word among few, two among many."""
    slots = np.int64(64)
    while slots < (4 * words if words < 4096 else 2 * words):
        slots *= 2
    return slots


@inlined
def _count_words(cut, groups, g):
    """The sentences of a group's references and summaries."""
    count = np.int64(0)
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        count += cut.reference_sentences[k, 1] - cut.reference_sentences[k, 0]
    for m in range(groups.offsets[g], groups.offsets[g + 1]):
        row = groups.members[m]
        count += cut.summary_sentences[row, 1] - cut.summary_sentences[row, 0]
    return count


@inlined
def _spell(cut, groups, spellings, words):
    """Number the words of every group; returns the largest number of different ones."""
    cut, groups, spellings, words = borrowed(cut), borrowed(groups), borrowed(spellings), borrowed(words)
    ids, summary, reference = words
    count, largest = np.int64(0), np.int64(0)
    for g in range(len(groups.offsets) - 1):
        table = spellings.table[: _slots(_count_words(cut, groups, g))]
        table[:] = 0
        size = np.int64(0)
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            start = count
            count, size = _number(cut, cut.reference, cut.reference_sentences, k, table, size, spellings, ids, count)
            reference[k, 0], reference[k, 1] = start, count
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row, start = groups.members[m], count
            count, size = _number(cut, cut.summary, cut.summary_sentences, row, table, size, spellings, ids, count)
            summary[row, 0], summary[row, 1] = start, count
        largest = max(largest, size)
    return largest


@inlined
def _number(cut, texts, sentences, t, table, size, spellings, ids, count):
    """Append the words of one text to `ids`; returns how many words, and how many different ones, there are now."""
    start = texts[t, 0]
    for s in range(sentences[t, 0], sentences[t, 1]):
        stop = cut.sentence_stops[s]
        hashed = _hash(cut.ids, start, stop)
        slot, number = _find(hashed, start, stop, cut.ids, table, spellings)
        if number == 0:
            size += 1
            number = size
            table[slot], spellings.hashes[size] = size, hashed
            spellings.starts[size], spellings.stops[size] = start, stop
        ids[count] = number - 1
        count, start = count + 1, stop
    return count, size


@inlined
def _hash(characters, start, stop):
    """A hash of characters, two at a time."""
    at, value = characters.ctypes.data + 4 * start, np.uint64(stop - start)
    for _ in range((stop - start) >> 1):
        value = (value ^ load_word(at)) * MIX_A
        value ^= value >> U29
        at += 8
    if (stop - start) & 1:
        value = (value ^ np.uint64(load_half(at))) * MIX_A
        value ^= value >> U29
    return value * MIX_B


@inlined
def _find(hashed, start, stop, characters, table, spellings):
    """(slot, number) of a word: its own number, or 0 and the free slot that is to hold it."""
    last = np.uint64(len(table) - 1)
    slot = (hashed >> np.uint64(32)) & last
    while True:
        number = np.int64(table[slot])
        if number == 0 or (spellings.hashes[number] == hashed and _same(number, start, stop, characters, spellings)):
            return slot, number
        slot = (slot + np.uint64(1)) & last


@inlined
def _same(number, start, stop, characters, spellings):
    """Whether a word is spelled as the one with this number."""
    known = spellings.starts[number]
    if spellings.stops[number] - known != stop - start:
        return False
    for k in range(stop - start):
        if characters[known + k] != characters[start + k]:
            return False
    return True
