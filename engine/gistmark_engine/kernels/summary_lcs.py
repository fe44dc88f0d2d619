"""Union-LCS of two texts cut into sentences (ROUGE-Lsum): hits as `rouge_score` 0.1.2 counts them.

For each reference sentence one particular LCS with every sentence of the summary is found, the reference positions are
united, and a position counts while both texts still have an unused occurrence of its token. The LCS is the one that
`rouge_score` backtracks: from the end, diagonally on equal tokens, else back in the summary where the table's left
cell is strictly larger, else back in the reference. Left is larger exactly where bit i of the summary's row is clear, so
the bit rows replace the table. Rows are kept for about sqrt(summary) tokens at a time and recomputed from checkpoints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.arrow import NULL
from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel

U0, U1 = np.uint64(0), np.uint64(1)
ONES = ~np.uint64(0)
KEPT = 256
"""Rows kept at least; so a sentence of ordinary length needs no checkpoint."""


class Sentences(NamedTuple):
    """Texts [texts] as spans of `ids`, and spans of `stops`, which says where in `ids` each sentence stops."""

    ids: np.ndarray
    stops: np.ndarray
    text: np.ndarray
    sentence: np.ndarray


class UnionScratch(NamedTuple):
    """Per token id + 1: unused occurrences in both texts, and where it stands in the reference sentence (a linked list)."""

    reference_left: np.ndarray
    summary_left: np.ndarray
    head: np.ndarray
    following: np.ndarray
    united: np.ndarray
    mask: np.ndarray
    rows: np.ndarray
    checkpoints: np.ndarray


@kernel
def union_hits(references, reference_of, summaries, summary_of, vocabulary):
    """Hits of each pair (reference_of[p], summary_of[p]): int64 [pairs]; a null summary gives 0."""
    out = np.zeros(len(reference_of), np.int64)
    longest, other = longest_text(references), longest_text(summaries)
    words, step = (longest >> 6) + 1, _step(other)
    scratch = UnionScratch(
        np.zeros(vocabulary + 2, np.int32), np.zeros(vocabulary + 2, np.int32), np.full(vocabulary + 2, NULL, np.int64),
        np.empty(longest + 1, np.int64), np.zeros(longest + 1, np.uint8), np.zeros(words, np.uint64),
        np.empty((step + 1) * words, np.uint64), np.empty((other // KEPT + step + 2) * words, np.uint64),
    )  # fmt: skip
    _all_hits(references, reference_of, summaries, summary_of, scratch, out)
    return out


@inlined
def _all_hits(references, reference_of, summaries, summary_of, scratch, out):
    references, summaries, scratch, out = borrowed(references), borrowed(summaries), borrowed(scratch), borrowed(out)
    reference_of, summary_of = borrowed(reference_of), borrowed(summary_of)
    for p in range(len(out)):
        if summaries.text[summary_of[p], 0] != NULL:
            out[p] = _pair_hits(references, reference_of[p], summaries, summary_of[p], scratch)


@inlined
def longest_text(texts):
    longest = np.int64(0)
    for t in range(len(texts.text)):
        longest = max(longest, texts.text[t, 1] - texts.text[t, 0])
    return longest


@inlined
def _pair_hits(references, reference, summaries, summary, scratch):
    ids = references.ids
    count_tokens(ids, references.text[reference], scratch.reference_left, 1)
    count_tokens(ids, summaries.text[summary], scratch.summary_left, 1)
    hits, start = np.int64(0), references.text[reference, 0]
    for s in range(references.sentence[reference, 0], references.sentence[reference, 1]):
        stop = references.stops[s]
        if stop > start:
            hits += _sentence_hits(ids, start, stop, summaries, summary, scratch)
        start = stop
    count_tokens(ids, references.text[reference], scratch.reference_left, 0)
    count_tokens(ids, summaries.text[summary], scratch.summary_left, 0)
    return hits


@inlined
def count_tokens(ids, span, counts, step):
    """Count a text's tokens (step 1) or zero its counts (step 0)."""
    for i in range(span[0], span[1]):
        counts[ids[i] + 1] = counts[ids[i] + 1] + 1 if step else 0


@inlined
def _sentence_hits(ids, start, stop, summaries, summary, scratch):
    """Hits of one reference sentence ids[start:stop] against all sentences of the summary."""
    for i in range(stop - start - 1, -1, -1):
        scratch.following[i] = scratch.head[ids[start + i] + 1]
        scratch.head[ids[start + i] + 1] = i
    first = summaries.text[summary, 0]
    for s in range(summaries.sentence[summary, 0], summaries.sentence[summary, 1]):
        last = summaries.stops[s]
        if last > first:
            _unite(ids, start, stop, first, last, scratch)
        first = last
    hits = np.int64(0)
    for i in range(stop - start):
        entry = ids[start + i] + 1
        scratch.head[entry] = NULL
        if scratch.united[i] and scratch.reference_left[entry] > 0 and scratch.summary_left[entry] > 0:
            scratch.reference_left[entry] -= 1
            scratch.summary_left[entry] -= 1
            hits += 1
        scratch.united[i] = 0
    return hits


@inlined
def _step(count):
    """How many tokens' rows are kept at a time, of `count`."""
    return np.int64(KEPT) if count <= KEPT else np.int64(np.sqrt(np.float64(count))) + KEPT


@inlined
def _unite(ids, start, stop, first, last, scratch):
    """Mark in `united` the reference positions of the LCS of ids[start:stop] and the summary sentence ids[first:last]."""
    words, count, step = (stop - start + 63) >> 6, last - first, _step(last - first)
    blocks = (count + step - 1) // step
    rows, checkpoints = scratch.rows, scratch.checkpoints
    for w in range(words):
        checkpoints[w] = ONES
    for block in range(1, blocks):
        _rows(ids, first + (block - 1) * step, step, (block - 1) * words, words, scratch)
        for w in range(words):
            checkpoints[block * words + w] = rows[step * words + w]
    i, block = stop - start, blocks - 1
    while block >= 0 and i > 0:
        at = block * step
        size = min(step, count - at)
        _rows(ids, first + at, size, block * words, words, scratch)
        i = _backtrack(ids, start, i, first + at, size, words, scratch)
        block -= 1


@inlined
def _rows(ids, first, size, before, words, scratch):
    """rows[j · words:]: the bit row after j of the `size` summary tokens from `first` on; row 0 is the checkpoint there."""
    mask, head, rows, checkpoints = scratch.mask, scratch.head, scratch.rows, scratch.checkpoints
    for w in range(words):
        rows[w] = checkpoints[before + w]
    at = np.int64(NULL)
    for j in range(size):
        if head[ids[first + j] + 1] != at:
            _mark(at, mask, scratch.following, False)
            at = head[ids[first + j] + 1]
            _mark(at, mask, scratch.following, True)
        carry, row = U0, j * words
        for w in range(words):
            bits = rows[row + w]
            common = bits & mask[w]
            added = bits + common
            total = added + carry
            carry = np.uint64(added < bits) | np.uint64(total < added)
            rows[row + words + w] = total | (bits - common)
    _mark(at, mask, scratch.following, False)


@inlined
def _mark(position, mask, following, value):
    """Set or clear the bits of a token's positions in the reference sentence, from its first one on."""
    while position != NULL:
        if value:
            mask[position >> 6] |= U1 << np.uint64(position & 63)
        else:
            mask[position >> 6] = U0
        position = following[position]


@inlined
def _backtrack(ids, start, i, first, j, words, scratch):
    """Walk back from reference position i and summary position j of a block; returns i when the block is left."""
    rows, united = scratch.rows, scratch.united
    while i > 0 and j > 0:
        if ids[start + i - 1] == ids[first + j - 1]:
            united[i - 1] = 1
            i -= 1
            j -= 1
        elif (rows[j * words + ((i - 1) >> 6)] >> np.uint64((i - 1) & 63)) & U1 == U0:
            j -= 1
        else:
            i -= 1
    return i
