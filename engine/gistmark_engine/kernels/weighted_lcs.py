"""Weighted LCS of two texts cut into sentences (ROUGE-W): hits as ROUGE-1.5.5 counts them.

A run of k words that follow each other in both texts weighs k^WEIGHT. For each sentence of the reference the subsequence of
the largest weight with every sentence of the summary is found, the reference positions are united, and runs are weighed
over the united positions while both texts still have an unused occurrence of each word. The table is filled a row at a
time; its steps are kept for a block of rows, and blocks before the last are filled again from checkpoints, so that memory
grows with the sum of the lengths times a square root. A sentence that the summary repeats is looked at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.distinct import Distinct, distinct_sentences, make_distinct
from gistmark_engine.kernels.records import NULL
from gistmark_engine.kernels.spans import longest
from gistmark_engine.kernels.summary_lcs import count_tokens

WEIGHT = 1.2
KEPT = 64
"""Rows of steps kept at least."""

DIAGONAL, UP, LEFT = range(3)


class WeightedScratch(NamedTuple):
    """weights[k] = k^WEIGHT; per token id + 1: unused occurrences in both texts; `united`: positions of the sentence;
    `score`, `run`: the row at hand; `steps`: those of a block; `scores`, `runs`: the rows before each block."""

    weights: np.ndarray
    reference_left: np.ndarray
    summary_left: np.ndarray
    united: np.ndarray
    score: np.ndarray
    run: np.ndarray
    steps: np.ndarray
    scores: np.ndarray
    runs: np.ndarray
    distinct: Distinct


@kernel
def weighted_hits(references, reference_of, summaries, summary_of, vocabulary):
    """Weight of the hits of each pair (reference_of[p], summary_of[p]): float64 [pairs]; a null summary gives 0.

    references, summaries   as for `kernels.summary_lcs.union_hits`
    """
    out = np.zeros(len(reference_of))
    rows, columns = longest(references.text), longest(summaries.text)
    block, blocks = _block(rows), rows // _block(rows) + 1
    scratch = WeightedScratch(
        _weights(max(rows, columns) + 2), np.zeros(vocabulary + 2, np.int32), np.zeros(vocabulary + 2, np.int32),
        np.zeros(rows + 1, np.bool_), np.empty(columns, np.float64), np.empty(columns, np.int64),
        np.empty((min(block, rows), columns), np.int8), np.empty((blocks, columns)), np.empty((blocks, columns), np.int64),
        make_distinct(summaries),
    )  # fmt: skip
    _all_hits(references, reference_of, summaries, summary_of, scratch, out)
    return out


@kernel
def weighted_lengths(texts):
    """Sum over the sentences of each text of length^WEIGHT: float64 [texts]."""
    weights, out = _weights(longest(texts.text) + 1), np.zeros(len(texts.text))
    for t in range(len(out)):
        start = texts.text[t, 0]
        for s in range(texts.sentence[t, 0], texts.sentence[t, 1]):
            out[t] += weights[texts.stops[s] - start]
            start = texts.stops[s]
    return out


@inlined
def _block(rows):
    """How many rows of steps are kept of a table of `rows` rows at most."""
    return max(np.int64(KEPT), np.int64(np.sqrt(np.float64(rows))))


@inlined
def _weights(count):
    weights = np.empty(count)
    for k in range(count):
        weights[k] = np.float64(k) ** WEIGHT
    return weights


@inlined
def _all_hits(references, reference_of, summaries, summary_of, scratch, out):
    references, summaries, scratch, out = borrowed(references), borrowed(summaries), borrowed(scratch), borrowed(out)
    reference_of, summary_of = borrowed(reference_of), borrowed(summary_of)
    for p in range(len(out)):
        if summaries.text[summary_of[p], 0] != NULL:
            out[p] = _pair_hits(references, reference_of[p], summaries, summary_of[p], scratch)


@inlined
def _pair_hits(references, reference, summaries, summary, scratch):
    ids = references.ids
    count_tokens(ids, references.text[reference], scratch.reference_left, 1)
    count_tokens(ids, summaries.text[summary], scratch.summary_left, 1)
    sentences = distinct_sentences(summaries, summary, scratch.distinct)
    hits, start = 0.0, references.text[reference, 0]
    for s in range(references.sentence[reference, 0], references.sentence[reference, 1]):
        stop = references.stops[s]
        if stop > start:
            scratch.united[: stop - start] = False
            for k in range(sentences):
                _unite(ids, start, stop, scratch.distinct.spans[k, 0], scratch.distinct.spans[k, 1], scratch)
            hits = _weigh(ids, start, stop, hits, scratch)
        start = stop
    count_tokens(ids, references.text[reference], scratch.reference_left, 0)
    count_tokens(ids, summaries.text[summary], scratch.summary_left, 0)
    return hits


@inlined
def _weigh(ids, start, stop, hits, scratch):
    """Add the weights of the united runs to `hits`, in the program's way: a word without unused occurrences lengthens no run
    and ends none, so that a run goes on behind it, and is lost if it is not ended by a word that counts."""
    run = 0
    for i in range(start, stop):
        entry, k = ids[i] + 1, i - start
        if scratch.united[k] and scratch.reference_left[entry] > 0 and scratch.summary_left[entry] > 0:
            scratch.reference_left[entry] -= 1
            scratch.summary_left[entry] -= 1
            run += 1
            if i + 1 == stop or not scratch.united[k + 1]:
                hits += scratch.weights[run]
                run = 0
    return hits


@inlined
def _unite(ids, start, stop, first, last, scratch):
    """Mark the positions of ids[start:stop] on the heaviest common subsequence with ids[first:last]."""
    block, count = len(scratch.steps), last - first
    blocks = (stop - start + block - 1) // block
    scratch.score[:count] = 0.0
    scratch.run[:count] = 0
    for b in range(blocks):
        scratch.scores[b, :count] = scratch.score[:count]
        scratch.runs[b, :count] = scratch.run[:count]
        _fill(ids, start + b * block, min(start + (b + 1) * block, stop), first, last, scratch)
    column = count
    for b in range(blocks - 1, -1, -1):
        top, bottom = start + b * block, min(start + (b + 1) * block, stop)
        if b < blocks - 1:
            scratch.score[:count] = scratch.scores[b, :count]
            scratch.run[:count] = scratch.runs[b, :count]
            _fill(ids, top, bottom, first, last, scratch)
        column = _walk(top - start, bottom - top, column, scratch)


@inlined
def _fill(ids, top, bottom, first, last, scratch):
    """Advance the row at hand over the reference positions top..bottom, keeping the steps."""
    weights, score, run = scratch.weights, scratch.score, scratch.run
    for i in range(top, bottom):
        steps = scratch.steps[i - top]
        before, length, left = 0.0, np.int64(0), 0.0
        for j in range(last - first):
            up, following = score[j], run[j]
            if ids[first + j] == ids[i]:
                left = before + weights[length + 1] - weights[length]
                run[j], steps[j] = length + 1, DIAGONAL
            elif up >= left:
                left = up
                run[j], steps[j] = 0, UP
            else:
                run[j], steps[j] = 0, LEFT
            score[j] = left
            before, length = up, following


@inlined
def _walk(top, rows, column, scratch):
    """Walk back through a block that begins at position `top`; returns the column where it is left."""
    while rows > 0 and column > 0:
        step = scratch.steps[rows - 1, column - 1]
        if step == DIAGONAL:
            scratch.united[top + rows - 1] = True
        rows -= step != LEFT
        column -= step != UP
    return column
