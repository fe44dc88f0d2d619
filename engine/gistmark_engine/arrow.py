"""Any Arrow layout of text as addresses and lengths, so that one kernel serves them all and nothing is copied.

A *piece* is a run of UTF-8 bytes at an address. A *text* is a range of pieces: one piece for a string, one a sentence
for a list of sentences, one a token for a list of tokens the user has cut. Null texts have start -1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.kernels.records import NULL
from gistmark_engine.layouts import Flags, Ints, Pieces, invalid, list_bounds, list_depth, read_pieces


@dataclass(frozen=True, slots=True)
class Texts:
    """Text t is the pieces start[t]..stop[t]; start[t] = stop[t] = NULL where it is null. `null`: which are, None for none."""

    start: Ints
    stop: Ints
    pieces: Pieces
    null: Flags | None


@dataclass(frozen=True, slots=True)
class References:
    """Row r has the texts first[r]..last[r]; null[r] where there is no list or nothing but nulls in it, None for nowhere."""

    first: Ints
    last: Ints
    null: Flags | None
    texts: Texts


def read_texts(column: Column) -> Texts:
    """The texts of a column in any role but references; a type that `check_type` takes."""
    return join([_texts(chunk, column) for chunk in _chunks(column.values)])


def read_references(column: Column) -> References:
    """The references of a column: a list of texts a row, or one text a row."""
    parts = [_references(chunk, column) for chunk in _chunks(column.values)]
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0] + [len(part.texts.start) for part in parts])[:-1]
    first = np.concatenate([part.first + shift for part, shift in zip(parts, shifts, strict=True)])
    last = np.concatenate([part.last + shift for part, shift in zip(parts, shifts, strict=True)])
    null = _joined([(part.null, len(part.first)) for part in parts])
    return References(first, last, null, join([part.texts for part in parts]))


def _chunks(values: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    if isinstance(values, pa.ChunkedArray):
        return values.chunks or [pa.nulls(0, values.type)]
    return [values]


def _references(array: pa.Array, column: Column) -> References:
    if list_depth(array.type) <= (column.kind != "text"):
        texts = _texts(array, column)
        rows = np.arange(len(array) + 1, dtype=np.int64)
        return References(rows[:-1], rows[1:], texts.null, texts)
    first, last, items = list_bounds(array)
    texts = _texts(items, column)
    null = invalid(array) if array.null_count else None
    if texts.null is not None:
        filled = before(~texts.null)
        null = invalid(array) | (last > first) & (filled[last] == filled[first])
    return References(first, last, null, texts)


def _texts(array: pa.Array, column: Column) -> Texts:
    """One text per element: a string, or a list of pieces where the column's kind says so."""
    if list_depth(array.type):
        first, last, items = list_bounds(array)
        null, pieces = invalid(array) if array.null_count else None, read_pieces(items, column)
    else:
        pieces, rows = read_pieces(array, column), np.arange(len(array) + 1, dtype=np.int64)
        null = pieces.length == NULL if pieces.nulls else None
        first, last = rows[:-1], rows[1:]
    if null is not None:
        first, last = np.where(null, NULL, first), np.where(null, NULL, last)
    return Texts(first, last, pieces, null)


def join(parts: list[Texts]) -> Texts:
    """Several lots of texts as one, without touching their bytes."""
    if len(parts) == 1:
        return parts[0]
    moved, count = [], 0
    for part in parts:
        moved.append(_moved(part, count))
        count += len(part.pieces.address)
    pieces = Pieces(
        np.concatenate([part.pieces.address for part in parts]),
        np.concatenate([part.pieces.length for part in parts]),
        [part.pieces.owner for part in parts],
    )
    null = _joined([(part.null, len(part.start)) for part in parts])
    return Texts(
        np.concatenate([start for start, _ in moved]), np.concatenate([stop for _, stop in moved]), pieces, null
    )


def _joined(parts: list[tuple[Flags | None, int]]) -> Flags | None:
    """Flags of so many elements each behind each other, None for none that is set."""
    if all(flags is None for flags, _ in parts):
        return None
    return np.concatenate([np.zeros(count, np.bool_) if flags is None else flags for flags, count in parts])


def _moved(texts: Texts, shift: int) -> tuple[Ints, Ints]:
    """Where the texts start and stop with so many pieces before theirs."""
    if shift == 0:
        return texts.start, texts.stop
    if texts.null is None:
        return texts.start + shift, texts.stop + shift
    return np.where(texts.null, NULL, texts.start + shift), np.where(texts.null, NULL, texts.stop + shift)


def before(values: Ints | NDArray[np.bool_]) -> Ints:
    """The sum of the values before each, and of all."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums
