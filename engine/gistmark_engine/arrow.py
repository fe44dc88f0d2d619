"""Any Arrow layout of text as addresses and lengths, so that one kernel serves them all and nothing is copied.

A *piece* is a run of UTF-8 bytes at an address. A *text* is a range of pieces: one piece for a string, one a sentence
for a list of sentences, one a token for a list of tokens the user has cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.kernels.records import NULL
from gistmark_engine.layouts import (
    Flags,
    Ints,
    has_nulls,
    invalid,
    is_list,
    list_bounds,
    list_depth,
    oversized,
    read_pieces,
)


@dataclass(frozen=True, slots=True)
class Texts:
    """All texts of some columns: text t is the pieces start[t]:stop[t], both NULL if it is null; piece p is length[p] bytes
    at address[p] (length NULL for a null, INTEGER for an integer). `owners` keep the bytes alive."""

    start: Ints
    stop: Ints
    address: Ints
    length: Ints
    owners: Sequence[pa.Array]


@dataclass(frozen=True, slots=True)
class Share:
    """What of the texts is one column's: row r has the texts first[r]:last[r]; `null`: which rows have none, None for none
    of them. A row whose list is empty is not null; one with nothing but nulls in its list is."""

    first: Ints
    last: Ints
    null: Flags | None


@dataclass(frozen=True, slots=True)
class _Chunk:
    """One array of a column, taken apart: the texts of each row and the pieces of each text (None: one each), which of
    either are null by their bitmaps, and the flat array of pieces."""

    rows: tuple[Ints, Ints] | None
    null_rows: Flags | None
    texts: tuple[Ints, Ints] | None
    null_texts: Flags | None
    leaf: pa.Array

    @property
    def count(self) -> int:
        """How many texts it has."""
        return len(self.texts[0]) if self.texts else len(self.leaf)


def read_texts(columns: Mapping[str, Column]) -> tuple[Texts, dict[str, Share]]:
    """The texts of all columns, given by role and of types that `check_type` takes, and the share of each role."""
    taken = {
        role: [_taken_apart(chunk, column, role) for chunk in chunks_of(column)] for role, column in columns.items()
    }
    chunks = [chunk for some in taken.values() for chunk in some]
    firsts = list(accumulate((chunk.count for chunk in chunks), initial=0))
    pieces = list(accumulate((len(chunk.leaf) for chunk in chunks), initial=0))
    number = np.arange(firsts[-1] + 1, dtype=np.int64)
    start, stop = number[:-1], number[1:]
    if any(chunk.texts or has_nulls(chunk.leaf) for chunk in chunks):
        start, stop = start.copy(), stop.copy()
    address, length = np.empty(pieces[-1], np.int64), np.empty(pieces[-1], np.int64)
    texts = Texts(start, stop, address, length, [chunk.leaf for chunk in chunks])
    null = [_fill(texts, chunk, t, p) for chunk, t, p in zip(chunks, pairwise(firsts), pairwise(pieces), strict=True)]
    shares, k = {}, 0
    for role, some in taken.items():
        shares[role] = _share(some, firsts[k : k + len(some) + 1], null[k : k + len(some)], number)
        k += len(some)
    return texts, shares


def find_oversized(column: Column, role: str) -> tuple[int, int] | None:
    """(row, value) of the first integer that int64 cannot hold in a column of them given as tokens, None if all fit."""
    row = 0
    for array in chunks_of(column):
        found = _first_oversized(_taken_apart(array, column, role))
        if found:
            return row + found[0], found[1]
        row += len(array)
    return None


def _first_oversized(chunk: _Chunk) -> tuple[int, int] | None:
    """The same of a chunk, sought in its items, then in its texts and rows: what lies in none of them is nobody's."""
    levels, flags = [lists for lists in (chunk.texts, chunk.rows) if lists], [oversized(chunk.leaf)]
    if not flags[0].any():
        return None
    for first, last in levels:
        sums = before(flags[-1])
        flags.append(sums[last] > sums[first])
    if not flags[-1].any():
        return None
    at = row = int(flags[-1].argmax())
    for (first, last), found in zip(reversed(levels), reversed(flags[:-1]), strict=True):
        at = int(first[at] + found[first[at] : last[at]].argmax())
    return row, chunk.leaf[at].as_py()


def chunks_of(column: Column) -> list[pa.Array]:
    """The arrays of a column, one at least."""
    values = column.values
    if isinstance(values, pa.ChunkedArray):
        return values.chunks or [pa.nulls(0, values.type)]
    return [values]


def _taken_apart(array: pa.Array, column: Column, role: str) -> _Chunk:
    rows = texts = null_rows = null_texts = None
    if role == "references" and list_depth(array.type) > (column.kind != "text"):
        null_rows = invalid(array) if array.null_count else None
        first, last, array = list_bounds(array)
        rows = first, last
    if is_list(array.type):
        null_texts = invalid(array) if array.null_count else None
        first, last, array = list_bounds(array)
        texts = first, last
    return _Chunk(rows, null_rows, texts, null_texts, array)


def _fill(texts: Texts, chunk: _Chunk, span: tuple[int, int], pieces: tuple[int, int]) -> Flags | None:
    """Put a chunk's texts and pieces where they belong; which of its texts are null, None for none of them."""
    (low, high), (first, last) = span, pieces
    read_pieces(chunk.leaf, texts.address[first:last], texts.length[first:last])
    null = chunk.null_texts
    if chunk.texts:
        texts.start[low:high], texts.stop[low:high] = chunk.texts[0] + first, chunk.texts[1] + first
    else:
        if first != low:
            texts.start[low:high] += first - low
            texts.stop[low:high] += first - low
        if has_nulls(chunk.leaf):
            null = texts.length[first:last] == NULL
    if null is not None:
        texts.start[low:high][null] = texts.stop[low:high][null] = NULL
    return null


def _share(chunks: Sequence[_Chunk], firsts: Sequence[int], null: Sequence[Flags | None], number: Ints) -> Share:
    """The rows of a column from those of its chunks, whose texts begin at `firsts`; `number`: 0, 1, …"""
    lost = [_null_rows(chunk, texts) for chunk, texts in zip(chunks, null, strict=True)]
    rows = [_rows(chunk, at, number) for chunk, at in zip(chunks, firsts[:-1], strict=True)]
    if len(chunks) == 1:
        return Share(*rows[0], lost[0])
    first, last = (np.concatenate([side[k] for side in rows]) for k in range(2))
    if all(flags is None for flags in lost):
        return Share(first, last, None)
    flags = [np.zeros(len(side[0]), np.bool_) if some is None else some for side, some in zip(rows, lost, strict=True)]
    return Share(first, last, np.concatenate(flags))


def _rows(chunk: _Chunk, at: int, number: Ints) -> tuple[Ints, Ints]:
    """The first text of each row of a chunk and that behind its last, the chunk's own first being `at`."""
    if chunk.rows:
        first, last = chunk.rows
        return first + at, last + at
    return number[at : at + chunk.count], number[at + 1 : at + chunk.count + 1]


def _null_rows(chunk: _Chunk, null: Flags | None) -> Flags | None:
    """Which rows of a chunk are null, given which of its texts are: those, or lists that are null or of nulls alone."""
    if chunk.rows is None or null is None:
        return null if chunk.rows is None else chunk.null_rows
    (first, last), filled = chunk.rows, before(~null)
    nothing: Flags = (last > first) & (filled[last] == filled[first])
    return nothing if chunk.null_rows is None else nothing | chunk.null_rows


def before(values: Ints | NDArray[np.bool_]) -> Ints:
    """The sum of the values before each, and of all."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums
