"""Any Arrow layout of text as addresses and lengths, so that one kernel serves them all and nothing is copied.

A *piece* is a run of UTF-8 bytes at an address. A *text* is a range of pieces: one piece for a string, one a sentence
for a list of sentences, one a token for a list of tokens the user has cut. Null texts have start -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError

Ints = NDArray[np.int64]

INTEGER = -8
"""Length of a piece that is an integer token: its address is the integer itself."""

NULL = -1
"""Length of a null piece, start of a null text."""

BREAK = -2
"""Length of a piece, at address 0, that stands where a sentence of tokens stops."""


@dataclass(frozen=True)
class Pieces:
    """`address[k]`, `length[k]` (bytes; NULL for null, INTEGER for an integer) of each piece, and what keeps them alive."""

    address: Ints
    length: Ints
    owner: object


@dataclass(frozen=True)
class Texts:
    """Text t is the pieces start[t]..stop[t]; start[t] = stop[t] = NULL where it is null."""

    start: Ints
    stop: Ints
    pieces: Pieces

    @cached_property
    def null(self) -> NDArray[np.bool_]:
        return self.start < 0


@dataclass(frozen=True)
class References:
    """Row r has the texts first[r]..last[r]; null[r] where there is no list or nothing but nulls in it."""

    first: Ints
    last: Ints
    null: NDArray[np.bool_]
    texts: Texts


def read_texts(column: Column) -> Texts:
    """The texts of a column in any role but references."""
    chunks = _chunks(column.values)
    return join([_texts(chunk, column) for chunk in chunks])


def read_references(column: Column) -> References:
    """The references of a column: a list of texts a row, or one text a row."""
    chunks = _chunks(column.values)
    depth = 1 if column.kind == "text" else 2
    parts = [_references(chunk, column, depth) for chunk in chunks]
    if len(parts) == 1:
        return parts[0]
    texts = join([part.texts for part in parts])
    shifts = np.cumsum([0] + [len(part.texts.start) for part in parts])[:-1]
    first = np.concatenate([part.first + shift for part, shift in zip(parts, shifts, strict=True)])
    last = np.concatenate([part.last + shift for part, shift in zip(parts, shifts, strict=True)])
    return References(first, last, np.concatenate([part.null for part in parts]), texts)


def _chunks(values: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    if isinstance(values, pa.ChunkedArray):
        return values.chunks or [pa.nulls(0, values.type)]
    return [values]


def _references(array: pa.Array, column: Column, depth: int) -> References:
    if pa.types.is_null(array.type) or _depth(array.type) < depth:
        texts = _texts(array, column)
        rows = np.arange(len(array), dtype=np.int64)
        return References(rows, rows + 1, texts.null, texts)
    first, last, items = _list_bounds(array)
    texts = _texts(items, column)
    filled = before(~texts.null)
    nothing = (last > first) & (filled[last] == filled[first])
    return References(first, last, _invalid(array) | nothing, texts)


def _texts(array: pa.Array, column: Column) -> Texts:
    """One text per element: a string, or a list of pieces where the column's kind says so."""
    if column.kind == "text" or pa.types.is_null(array.type):
        pieces = _pieces(array, column)
        rows = np.arange(len(array) + 1, dtype=np.int64)
        if not array.null_count and not pa.types.is_dictionary(array.type):
            return Texts(rows[:-1], rows[1:], pieces)
        null = pieces.length == NULL
        return Texts(np.where(null, NULL, rows[:-1]), np.where(null, NULL, rows[1:]), pieces)
    if not _is_list(array.type):
        raise InputError(f"{column.kind} must be lists, one a text", column=column.name, value=str(array.type))
    first, last, items = _list_bounds(array)
    null = _invalid(array)
    return Texts(np.where(null, NULL, first), np.where(null, NULL, last), _pieces(items, column))


def _pieces(array: pa.Array, column: Column) -> Pieces:
    """The elements of a flat array as pieces."""
    kind = array.type
    if pa.types.is_null(kind):
        return Pieces(np.zeros(len(array), np.int64), np.full(len(array), NULL), array)
    if pa.types.is_dictionary(kind):
        return _dictionary_pieces(array, column)
    if pa.types.is_integer(kind) and column.kind == "tokens":
        try:
            values = array.fill_null(0).cast(pa.int64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid as error:
            raise InputError(f"integer tokens must fit 64 bits with a sign ({error})", column=column.name) from None
        return Pieces(values, np.where(_invalid(array), NULL, INTEGER), array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        address, length = _offset_strings(array, np.int32 if pa.types.is_string(kind) else np.int64)
    elif pa.types.is_string_view(kind):
        address, length = _view_strings(array)
    else:
        wanted = "strings or integers" if column.kind == "tokens" else "text"
        raise InputError(f"a column of {wanted} is needed here", column=column.name, value=str(kind))
    return Pieces(address, _nulled(length, array), array)


def _nulled(length: Ints, array: pa.Array) -> Ints:
    """Lengths with NULL where the array is null."""
    return np.where(_invalid(array), NULL, length) if array.null_count else length


def _dictionary_pieces(array: pa.DictionaryArray, column: Column) -> Pieces:
    words = _pieces(array.dictionary, column)
    if len(words.address) == 0:
        return Pieces(np.zeros(len(array), np.int64), np.full(len(array), NULL), array)
    indices = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    length = np.where(_invalid(array.indices), NULL, words.length[indices])
    return Pieces(words.address[indices], length, array)


def _offset_strings(array: pa.Array, width: type) -> tuple[Ints, Ints]:
    _, offsets, data = array.buffers()
    if offsets is None or len(array) == 0:
        return np.zeros(len(array), np.int64), np.zeros(len(array), np.int64)
    bounds = np.frombuffer(offsets, width)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    return bounds[:-1] + (data.address if data is not None else 0), bounds[1:] - bounds[:-1]


def _view_strings(array: pa.Array) -> tuple[Ints, Ints]:
    """A view is 16 bytes: length, then the text itself (up to 12 bytes) or a prefix, a buffer's number, an offset."""
    _, views, *data = array.buffers()
    if len(array) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    words = np.frombuffer(views, np.int32)[4 * array.offset : 4 * (array.offset + len(array))].reshape(-1, 4)
    length = words[:, 0].astype(np.int64)
    bases = np.array([buffer.address if buffer is not None else 0 for buffer in data] or [0], np.int64)
    outside = (length > 12) & ~_invalid(array) if array.null_count else length > 12
    if outside.all():
        return bases[words[:, 2]] + words[:, 3], length
    inline = views.address + 16 * (array.offset + np.arange(len(array), dtype=np.int64)) + 4
    index = np.where(outside, words[:, 2], 0)
    return np.where(outside, bases[index] + words[:, 3], inline), length


def _list_bounds(array: pa.Array) -> tuple[Ints, Ints, pa.Array]:
    """First and last index of every list in the array of all items; an invalid list is empty."""
    kind = array.type
    if pa.types.is_fixed_size_list(kind):
        first = (array.offset + np.arange(len(array), dtype=np.int64)) * kind.list_size
        last = first + kind.list_size
    elif pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        first = _numbers(array.offsets)[: len(array)]
        last = first + _numbers(array.sizes)
    else:
        bounds = _numbers(array.offsets)
        first, last = bounds[:-1], bounds[1:]
    null = _invalid(array)
    return np.where(null, 0, first), np.where(null, 0, last), array.values


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def element_type(kind: pa.DataType) -> pa.DataType:
    """What lies within all lists around it."""
    while _is_list(kind):
        kind = kind.value_type
    return kind


def _depth(kind: pa.DataType) -> int:
    """How many lists lie around the elements."""
    depth = 0
    while _is_list(kind):
        kind, depth = kind.value_type, depth + 1
    return depth


def _invalid(array: pa.Array) -> NDArray[np.bool_]:
    """Which elements are null by the validity bitmap."""
    if array.null_count == 0:
        return np.zeros(len(array), np.bool_)
    nulls = array.is_null()
    bits = np.unpackbits(np.frombuffer(nulls.buffers()[1], np.uint8), bitorder="little")
    return bits[nulls.offset : nulls.offset + len(array)].astype(np.bool_)


def _numbers(array: pa.Array) -> Ints:
    """An int32 or int64 array without nulls; `to_numpy` would import pandas where it is installed."""
    width = np.int32 if array.type.bit_width == 32 else np.int64
    return np.frombuffer(array.buffers()[1], width)[array.offset : array.offset + len(array)].astype(np.int64)


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
    return Texts(np.concatenate([start for start, _ in moved]), np.concatenate([stop for _, stop in moved]), pieces)


def _moved(texts: Texts, shift: int) -> tuple[Ints, Ints]:
    """Where the texts start and stop with so many pieces before theirs."""
    if shift == 0:
        return texts.start, texts.stop
    if not texts.null.any():
        return texts.start + shift, texts.stop + shift
    return np.where(texts.null, NULL, texts.start + shift), np.where(texts.null, NULL, texts.stop + shift)


def before(values: Ints | NDArray[np.bool_]) -> Ints:
    """The sum of the values before each, and of all."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums
