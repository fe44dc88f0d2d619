"""The rows of a batch in chunks that fit into memory, their texts tokenised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gistmark.models.ragged import Ints, bounds_of
from gistmark.models.texts import Texts
from gistmark.models.windows import Parts

BYTES = 4
"""Bytes of text that make a token, about."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows that are scored together, each with its pairs of summary and reference.

    rows    int64 (rows,)
    bounds  int64 (rows + 1,): row k has the pairs bounds[k]:bounds[k + 1], at least one
    left    int64 (pairs,), the summary of each pair among `parts.whole`
    right   int64 (pairs,), its reference
    parts   all texts of the chunk, and others
    pieces  int64 (texts,), how many word pieces each of those has, however many its part is left with
    """

    rows: Ints
    bounds: Ints
    left: Ints
    right: Ints
    parts: Parts
    pieces: Ints


def chunks(
    summaries: Texts, references: Texts, cut: Callable[[list[str]], tuple[Parts, Ints]], tokens: int
) -> Iterator[Chunk]:
    """All rows that have both texts, those with the same first reference behind each other.

    cut     tokenises distinct texts, and counts their word pieces; it gets about so many tokens' worth of them at a time
    tokens  the most of a chunk that has several rows, counting a text once a row
    """
    rows = np.flatnonzero(~(summaries.null | references.null))
    firsts = references.values.take(pa.array(references.bounds[rows])).dictionary_encode()
    rows = rows[np.argsort(np.asarray(firsts.indices), kind="stable")]
    sizes = summaries.sizes[rows] + references.sizes[rows]
    for start, stop in spans(sizes, BYTES * tokens):
        block = rows[start:stop]
        yield from _split(_tokenised(block, summaries.take(block), references.take(block), cut), tokens)


def spans(sizes: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges whose sizes add up to `most` at the most, or that have one element."""
    total = bounds_of(sizes)
    start = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(total, total[start] + most, side="right")) - 1, start + 1)
        yield start, stop
        start = stop


def _tokenised(
    rows: Ints, summaries: Texts, references: Texts, cut: Callable[[list[str]], tuple[Parts, Ints]]
) -> Chunk:
    """The rows as one chunk, however large."""
    texts, at = summaries.distinct(references)
    counts = np.diff(references.bounds)
    left = np.repeat(at[: len(rows)], counts)
    return Chunk(rows, references.bounds, left, at[len(rows) :], *cut(texts))


def _split(chunk: Chunk, tokens: int) -> Iterator[Chunk]:
    """Parts of a chunk, each with so many tokens."""
    lengths = chunk.parts.whole.lengths
    first = chunk.bounds[:-1]
    sizes = np.add.reduceat(lengths[chunk.right], first) + lengths[chunk.left[first]]
    for start, stop in spans(sizes, tokens):
        low, high = chunk.bounds[start], chunk.bounds[stop]
        bounds = chunk.bounds[start : stop + 1] - low
        pairs = slice(low, high)
        yield Chunk(chunk.rows[start:stop], bounds, chunk.left[pairs], chunk.right[pairs], chunk.parts, chunk.pieces)
