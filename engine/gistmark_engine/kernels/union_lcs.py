"""The places of one reference sentence that the LCSs with the sentences of a summary unite, by rows of bits (ROUGE-Lsum).

The LCS is the one that `rouge_score` backtracks: from the end, diagonally on equal tokens, else back in the summary where
the table's left cell is strictly larger, else back in the reference. Left is larger exactly where bit i of the summary's
row is clear, so rows of bits replace the table, and the next step that is not back in the reference is found at once: the
highest bit that is set in the token's mask or clear in its row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import leading_zeros, load_word
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.lcs import Masks, make_masks
from gistmark_engine.kernels.places import PLACE_WORDS, by_width
from gistmark_engine.wide import complement, load, store, words_in

U0, U1, U63 = np.uint64(0), np.uint64(1), np.uint64(63)
ONES = ~np.uint64(0)
ROOM = 1 << 14
"""Words of rows kept for a sentence of the summary; longer ones go the way of long sentences."""


class Union(NamedTuple):
    """Masks of a reference sentence, the rows of a summary sentence, the united places."""

    masks: Masks
    rows: np.ndarray
    united: np.ndarray


@inlined
def make_union(vocabulary, longest):
    """Room for reference sentences of so many tokens, up to what PLACE_WORDS words hold."""
    masks = make_masks(vocabulary, min(longest, 64 * PLACE_WORDS), 0)
    return Union(masks, np.empty(ROOM, np.uint64), np.zeros(PLACE_WORDS, np.uint64))


@inlined
def _rows(nothing, first, last, entries, union):
    """The row of bits after each token of the summary sentence entries[first:last]."""
    row, width = complement(nothing), 8 * words_in(nothing)
    bits, to = union.masks.masks.ctypes.data, union.rows.ctypes.data
    for j in range(first, last):
        common = row & load(nothing, bits + width * entries[j])
        row = (row + common) | (row ^ common)
        store(row, to + width * (j - first))


_rows_of_width = by_width(_rows)


@inlined
def _backtrack(first, last, size, words, entries, union):
    """Mark the places of the LCS: from the last token on, the highest place below the one before where the token stands,
    which is taken, or where its row grows."""
    united, bits, rows, width = union.united, union.masks.masks.ctypes.data, union.rows.ctypes.data, 8 * words
    for j in range(last - 1, first - 1, -1):
        if size == 0:
            return
        w, limit = (size - 1) >> 6, ONES >> (U63 - np.uint64((size - 1) & 63))
        mask = load_word(bits + width * entries[j] + 8 * w)
        found = (mask | ~load_word(rows + width * (j - first) + 8 * w)) & limit
        while found == U0 and w > 0:
            w -= 1
            mask = load_word(bits + width * entries[j] + 8 * w)
            found = mask | ~load_word(rows + width * (j - first) + 8 * w)
        if found == U0:
            return
        place = 63 - leading_zeros(found)
        taken = mask & (U1 << np.uint64(place))
        united[w] |= taken
        size = 64 * w + place + np.int64(taken == U0)


@inlined
def unite(first, last, size, words, entries, union):
    """Unite the places of the LCS of a reference sentence of `size` tokens, masks learned, and entries[first:last]."""
    _rows_of_width(words, first, last, entries, union)
    _backtrack(first, last, size, words, entries, union)
