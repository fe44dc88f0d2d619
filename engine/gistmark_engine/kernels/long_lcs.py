"""One LCS of two long sentences, as ROUGE-Lsum wants it, in memory that grows with the square root of the summary's.

The rows of bits of `kernels.summary_lcs` are kept for about sqrt(summary) tokens at a time and recomputed from checkpoints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.records import NULL

U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)
KEPT = 256
"""Rows kept at least; so a sentence of ordinary length needs no checkpoint."""


class Long(NamedTuple):
    """Per entry: the first place of its token in the reference sentence, `head`, and by place the next, `following`; the
    places that are united; rows kept, and rows before each block of them.

    mask   the bits of the token at hand, and behind them those of each frequent token
    lanes  per entry: where a frequent token's bits begin, 0 for the others
    """

    head: np.ndarray
    following: np.ndarray
    united: np.ndarray
    mask: np.ndarray
    lanes: np.ndarray
    rows: np.ndarray
    checkpoints: np.ndarray


@inlined
def make_long(vocabulary, reference, summary):
    """Room for sentences of so many tokens."""
    words, step = (reference >> 6) + 1, _step(summary)
    return Long(
        np.full(vocabulary + 2, NULL, np.int64), np.empty(reference + 1, np.int64), np.zeros(reference + 1, np.uint8),
        np.zeros(64 * words, np.uint64), np.zeros(vocabulary + 2, np.int64), np.empty((step + 1) * words, np.uint64),
        np.empty((summary // KEPT + step + 2) * words, np.uint64),
    )  # fmt: skip


@inlined
def learn_long(entries, start, stop, long):
    """Note where each token of the reference sentence entries[start:stop] stands."""
    for i in range(stop - start - 1, -1, -1):
        long.following[i] = long.head[entries[start + i]]
        long.head[entries[start + i]] = i
    _mark_frequent(entries, start, stop, True, long)


@inlined
def forget_long(entries, start, stop, long):
    _mark_frequent(entries, start, stop, False, long)
    for i in range(start, stop):
        long.head[entries[i]] = NULL
        long.united[i - start] = 0


@inlined
def _mark_frequent(entries, start, stop, value, long):
    """Set or clear the bits of each token that has more places than a row has words: fewer than 64 tokens do. To set them
    again and again for each token of the summary would take longer than the rows themselves."""
    words, lane = (stop - start + 63) >> 6, np.int64(0)
    for i in range(stop - start):
        entry = entries[start + i]
        if long.head[entry] == i and _occurs_more(i, words, long.following):
            lane += words
            long.lanes[entry] = lane if value else 0
            _mark(i, lane, long.mask, long.following, value)


@inlined
def _occurs_more(position, times, following):
    """Whether a token, from its first position on, has more than `times` positions."""
    while position != NULL and times > 0:
        position, times = following[position], times - 1
    return position != NULL


@inlined
def unite_long(reference, start, stop, summary, first, last, long):
    """Mark in `united` the places of the LCS of reference[start:stop], learned, and the sentence summary[first:last]."""
    words, count, step = (stop - start + 63) >> 6, last - first, _step(last - first)
    blocks = (count + step - 1) // step
    rows, checkpoints = long.rows, long.checkpoints
    for w in range(words):
        checkpoints[w] = ONES
    for block in range(1, blocks):
        _rows(summary, first + (block - 1) * step, step, (block - 1) * words, words, long)
        for w in range(words):
            checkpoints[block * words + w] = rows[step * words + w]
    i, block = stop - start, blocks - 1
    while block >= 0 and i > 0:
        at = block * step
        size = min(step, count - at)
        _rows(summary, first + at, size, block * words, words, long)
        i = _backtrack(reference, start, i, summary, first + at, size, words, long)
        block -= 1


@inlined
def _step(count):
    """How many tokens' rows are kept at a time, of `count`."""
    return np.int64(KEPT) if count <= KEPT else np.int64(np.sqrt(np.float64(count))) + KEPT


@inlined
def _rows(entries, first, size, before, words, long):
    """rows[j · words:]: the row of bits after j of the `size` summary tokens from `first` on; row 0 is the checkpoint there."""
    mask, head, rows, checkpoints = long.mask, long.head, long.rows, long.checkpoints
    for w in range(words):
        rows[w] = checkpoints[before + w]
    at = np.int64(NULL)
    for j in range(size):
        entry = entries[first + j]
        lane = long.lanes[entry]
        if lane == 0 and head[entry] != at:
            _mark(at, 0, mask, long.following, False)
            at = head[entry]
            _mark(at, 0, mask, long.following, True)
        carry, row = U0, j * words
        for w in range(words):
            bits = rows[row + w]
            common = bits & mask[lane + w]
            added = bits + common
            total = added + carry
            carry = np.uint64(added < bits) | np.uint64(total < added)
            rows[row + words + w] = total | (bits - common)
    _mark(at, 0, mask, long.following, False)


@inlined
def _mark(position, lane, mask, following, value):
    """Set or clear, in the bits that begin at `lane`, a token's positions in the reference sentence, from its first one on."""
    while position != NULL:
        if value:
            mask[lane + (position >> 6)] |= U1 << np.uint64(position & 63)
        else:
            mask[lane + (position >> 6)] = U0
        position = following[position]


@inlined
def _backtrack(reference, start, i, summary, first, j, words, long):
    """Walk back from reference position i and summary position j of a block; returns i when the block is left."""
    rows, united = long.rows, long.united
    while i > 0 and j > 0:
        if reference[start + i - 1] == summary[first + j - 1]:
            united[i - 1] = 1
            i -= 1
            j -= 1
        elif (rows[j * words + ((i - 1) >> 6)] >> np.uint64((i - 1) & 63)) & U1 == U0:
            j -= 1
        else:
            i -= 1
    return i
