"""The rows of a batch by the documents they summarise: what depends on a source alone is made once for all its summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from gistmark.models.chunks import spans
from gistmark.models.ragged import Ints, bounds_of
from gistmark.models.texts import read
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Batch

BLOCK = 1 << 20
"""Bytes of distinct text that are worked on at a time."""
SHARED = 16
"""How many times as many bytes its rows may have together, a shared source counted in each."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that are scored together.

    rows       int64 (rows,), their places in the batch
    sources    the distinct sources
    summaries  the distinct summaries
    pairs      int64 (pairs, 2), the distinct pairs of a source and a summary
    pair       int64 (rows,), which of them each row is
    """

    rows: Ints
    sources: list[str]
    summaries: list[str]
    pairs: Ints
    pair: Ints

    def blame(self, role: int, text: int, problem: str) -> InputError:
        """An error about a source (`role` 0) or summary (1), which names the first row that holds it."""
        value, column = (self.sources, "source") if role == 0 else (self.summaries, "summary")
        row = self.rows[self.pairs[self.pair, role] == text].min()
        return InputError(problem, column=column, row=int(row), value=value[text])


def blocks(batch: Batch, most: int = BLOCK) -> Iterator[Block]:
    """All rows that have both texts, those with the same source behind each other; `most` bytes of distinct text each, and
    `SHARED` times as many in all."""
    summaries, sources = read(batch, "summary"), read(batch, "source")
    rows = np.flatnonzero(~(summaries.null | sources.null))
    source = np.asarray(sources.values.take(pa.array(rows)).dictionary_encode().indices)
    order = np.argsort(source, kind="stable")
    rows, source = rows[order], source[order]
    first = np.diff(source, prepend=-1) != 0
    small, large = summaries.sizes[rows], sources.sizes[rows]
    for start, stop in _bounds(small + first * large, small + large, most):
        some = rows[start:stop]
        (left, x), (right, y) = (texts.take(some).distinct() for texts in (sources, summaries))
        codes, pair = np.unique(x * len(right) + y, return_inverse=True)
        yield Block(some, left, right, np.stack(np.divmod(codes, len(right)), 1), pair)


def _bounds(distinct: Ints, all_of: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows of both sizes."""
    for start, stop in spans(distinct, most):
        for low, high in spans(all_of[start:stop], SHARED * most):
            yield start + low, start + high


def cut(texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> tuple[list[str], Ints]:
    """All pieces of all texts, as `flat` gives them."""
    return flat([split(text) for text in texts])


def flat(texts: Sequence[Sequence[str]]) -> tuple[list[str], Ints]:
    """The pieces of all texts behind each other, and int64 (texts + 1,), where those of each text begin and end."""
    return list(chain.from_iterable(texts)), bounds_of(np.array([len(pieces) for pieces in texts], np.int64))
