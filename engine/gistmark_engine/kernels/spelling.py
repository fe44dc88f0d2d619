"""Words by number where tokens are characters: equal numbers are equal spellings, within a group of rows.

For chrF++, which compares characters and words of the same texts. To the vocabulary a word is a token like any other: the
bytes of its characters' numbers.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.intern import Vocabulary, clear, learn
from gistmark_engine.kernels.token import table_shift


@kernel
def spell_words(cut, groups, letters, stops):
    """(numbers of all words, int32, where a cut has their stops; an upper bound of the numbers).

    cut      by characters, as `kernels.characters` makes it, its sentences words
    letters  the ids of the cut as bytes, equally many each, and 16 more
    stops    where in `letters` words stop, and so where the next ones start; int64
    """
    most = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        most = max(most, _count_words(cut, groups, g))
    numbers = np.empty(len(stops), np.int32)
    table = np.empty(np.int64(1) << (64 - _shift(most)), np.uint32)
    words, tails = np.empty(2 * most + 2, np.uint64), np.empty(2 * most + 2, np.int64)
    return numbers, _number_groups(cut, groups, letters, stops, table, words, tails, numbers)


@inlined
def _shift(words):
    """The shift of a table for so many words: six slots a word or more among few, two among many."""
    return table_shift(max(6 * words, 64) if words < 512 else max(2 * words, 4096))


@inlined
def _count_words(cut, groups, g):
    """Words of a group's references and summaries."""
    count = np.int64(0)
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        count += cut.reference_sentences[k, 1] - cut.reference_sentences[k, 0]
    for m in range(groups.offsets[g], groups.offsets[g + 1]):
        row = groups.members[m]
        count += cut.summary_sentences[row, 1] - cut.summary_sentences[row, 0]
    return count


@inlined
def _number_groups(cut, groups, letters, stops, table, words, tails, numbers):
    """Number the words of every group; returns the largest number of different ones."""
    cut, groups, letters, stops = borrowed(cut), borrowed(groups), borrowed(letters), borrowed(stops)
    table, words, tails, numbers = borrowed(table), borrowed(words), borrowed(tails), borrowed(numbers)
    largest = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        shift = _shift(_count_words(cut, groups, g))
        clear(table, shift)
        vocabulary = Vocabulary(table.ctypes.data, shift, words.ctypes.data, tails.ctypes.data)
        size = np.int64(0)
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            size = _number(cut.reference_sentences[k], vocabulary, size, letters, stops, numbers)
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            size = _number(cut.summary_sentences[row], vocabulary, size, letters, stops, numbers)
        largest = max(largest, size)
    return largest


@inlined
def _number(span, vocabulary, size, letters, stops, numbers):
    """Number the words of one text; returns the entries of the vocabulary."""
    count = span[1] - span[0]
    if count == 0:
        return size
    last = stops.ctypes.data + 8 * span[0]
    return learn(last - 8, last, count, numbers.ctypes.data + 4 * span[0], vocabulary, size, letters, None)
