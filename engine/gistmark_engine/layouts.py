"""Arrow's layouts of strings and lists as numbers: where each string lies and how long it is, where each list begins and ends.

Everything takes time with the elements that are asked for, not with what they were cut from: a column is read range by range,
and neither the items of other lists nor a dictionary's other words are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.kernels.records import INTEGER, NULL

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_ANY = pa.string()
_LISTS = {pa.list_(_ANY).id, pa.large_list(_ANY).id}
_FIXED = pa.list_(_ANY, 1).id
_LIST_VIEWS = {pa.list_view(_ANY).id, pa.large_list_view(_ANY).id}
_OFFSETS = {pa.string().id: np.int32, pa.large_string().id: np.int64}
_STRINGS = {*_OFFSETS, pa.string_view().id}
_DICTIONARY, _NOTHING = pa.dictionary(pa.int8(), _ANY).id, pa.null().id


@dataclass(frozen=True, slots=True)
class Pieces:
    """`address[k]`, `length[k]` (bytes; NULL for null, INTEGER for an integer) of each piece, what keeps them alive, and
    whether there can be a null among them."""

    address: Ints
    length: Ints
    owner: object
    nulls: bool = True


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list of any layout."""
    return kind.id in _LISTS or kind.id in _LIST_VIEWS or kind.id == _FIXED


def list_depth(kind: pa.DataType) -> int:
    """How many lists lie around the elements."""
    return 1 + list_depth(kind.value_type) if is_list(kind) else 0


def element_type(kind: pa.DataType) -> pa.DataType:
    """What lies within all lists around it."""
    return element_type(kind.value_type) if is_list(kind) else kind


def has_offsets(kind: pa.DataType) -> bool:
    """Whether a type's strings lie behind each other, each in a place of its own."""
    return kind.id in _OFFSETS


def check_type(column: Column, role: str) -> None:
    """Raise InputError for a column that cannot hold what its kind says."""
    kind, cut = column.values.type, column.kind != "text"
    if role == "references" and list_depth(kind) > cut:
        kind = kind.value_type
    if kind.id == _NOTHING:
        return
    if cut and not is_list(kind):
        raise InputError(f"{column.kind} must be lists, one a text", column=column.name, value=str(kind))
    kind = kind.value_type if cut else kind
    word = kind.value_type if kind.id == _DICTIONARY else kind
    integers = column.kind == "tokens" and pa.types.is_integer(word)
    if word.id not in _STRINGS and word.id != _NOTHING and not integers:
        wanted = "strings or integers" if column.kind == "tokens" else "text"
        raise InputError(f"a column of {wanted} is needed here", column=column.name, value=str(kind))


def read_pieces(array: pa.Array, column: Column) -> Pieces:
    """The elements of a flat array as pieces."""
    kind = array.type
    if kind.id == _NOTHING:
        return Pieces(np.zeros(len(array), np.int64), np.full(len(array), NULL), array)
    if kind.id == _DICTIONARY and kind.value_type.id in _STRINGS:
        return _words(array)
    if kind.id == _DICTIONARY:
        return read_pieces(array.dictionary_decode(), column)
    if kind.id in _STRINGS:
        address, length = _strings(array, slice(None))
        return Pieces(address, _nulled(length, array), array, array.null_count > 0)
    return _integers(array, column)


def string_lengths(array: pa.Array) -> Ints:
    """Bytes of each element of a flat array, for a null as many as its place has; an integer counts as eight."""
    kind = array.type
    if kind.id == _DICTIONARY:
        words = np.append(string_lengths(array.dictionary), 0)
        return words[_indices(array)]
    if kind.id in _OFFSETS:
        return _strings(array, slice(None))[1]
    if kind.id not in _STRINGS:
        return np.full(len(array), 8)
    lengths = _view_words(array)[:, 0].astype(np.int64)
    return np.where(invalid(array), 0, lengths) if array.null_count else lengths


def _integers(array: pa.Array, column: Column) -> Pieces:
    try:
        values = array.fill_null(0).cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise InputError(f"integer tokens must fit 64 bits with a sign ({error})", column=column.name) from None
    return Pieces(values, np.where(invalid(array), NULL, INTEGER), array)


def _words(array: pa.DictionaryArray) -> Pieces:
    """Strings that stand in a dictionary, of which only those that are named are looked at."""
    words = array.dictionary
    if len(words) == 0:
        return Pieces(np.zeros(len(array), np.int64), np.full(len(array), NULL), array)
    at = _indices(array)
    address, length = _strings(words, at)
    return Pieces(address, _nulled(np.where(_invalid_at(words, at), NULL, length), array.indices), array)


def _indices(array: pa.DictionaryArray) -> Ints:
    """Where in its dictionary each element stands, 0 for null."""
    return _numbers(array.indices.fill_null(0).cast(pa.int64()))


def _nulled(length: Ints, array: pa.Array) -> Ints:
    """Lengths with NULL where the array is null."""
    return np.where(invalid(array), NULL, length) if array.null_count else length


def _strings(array: pa.Array, at: slice | Ints) -> tuple[Ints, Ints]:
    """(address, length) of an array's strings at some places."""
    if array.type.id not in _OFFSETS:
        return _views(array, at)
    _, offsets, data = array.buffers()
    if offsets is None or len(array) == 0:
        return np.zeros(len(array), np.int64), np.zeros(len(array), np.int64)
    bounds = np.frombuffer(offsets, _OFFSETS[array.type.id])[array.offset : array.offset + len(array) + 1]
    start = bounds[:-1][at].astype(np.int64)
    length = bounds[1:][at] - start
    return start + (data.address if data is not None else 0), length


def _views(array: pa.Array, at: slice | Ints) -> tuple[Ints, Ints]:
    """A view is 16 bytes: length, then the text itself (up to 12 bytes) or a prefix, a buffer's number, an offset."""
    _, views, *data = array.buffers()
    words = _view_words(array)[at]
    length = words[:, 0].astype(np.int64)
    bases = np.array([buffer.address if buffer is not None else 0 for buffer in data] or [0], np.int64)
    outside = (length > 12) & ~_invalid_at(array, at) if array.null_count else length > 12
    if outside.all():
        return bases[words[:, 2]] + words[:, 3], length
    inline = views.address + 16 * (array.offset + np.arange(len(array), dtype=np.int64)[at]) + 4
    index = np.where(outside, words[:, 2], 0)
    return np.where(outside, bases[index] + words[:, 3], inline), length


def _view_words(array: pa.Array) -> NDArray[np.int32]:
    """The views as four numbers each."""
    views = array.buffers()[1] if len(array) else b""
    return np.frombuffer(views, np.int32)[4 * array.offset : 4 * (array.offset + len(array))].reshape(-1, 4)


def list_bounds(array: pa.Array) -> tuple[Ints, Ints, pa.Array]:
    """First and last index of every list, an invalid one empty, in the array of their items."""
    kind, null = array.type, invalid(array) if array.null_count else None
    if kind.id in _LISTS:
        bounds = _numbers(array.offsets)
        low, high = (int(bounds[0]), int(bounds[-1])) if len(array) else (0, 0)
        first, last, items = bounds[:-1] - low, bounds[1:] - low, array.values.slice(low, high - low)
    elif kind.id == _FIXED:
        first = np.arange(len(array), dtype=np.int64) * kind.list_size
        last, items = (
            first + kind.list_size,
            array.values.slice(array.offset * kind.list_size, len(array) * kind.list_size),
        )
    else:
        sizes = _numbers(array.sizes) if null is None else np.where(null, 0, _numbers(array.sizes))
        last = np.cumsum(sizes)
        return last - sizes, last, array.flatten()
    return (first, last, items) if null is None else (np.where(null, 0, first), np.where(null, 0, last), items)


def invalid(array: pa.Array) -> Flags:
    """Which elements are null by the validity bitmap."""
    return _invalid_at(array, np.arange(len(array)))


def _invalid_at(array: pa.Array, at: slice | Ints) -> Flags:
    """Which elements at some places are null."""
    places = np.arange(len(array))[at] if isinstance(at, slice) else at
    if array.null_count == 0:
        return np.zeros(len(places), np.bool_)
    bits, places = np.frombuffer(array.buffers()[0], np.uint8), places + array.offset
    null: Flags = bits[places >> 3] >> (places & 7) & 1 == 0
    return null


def _numbers(array: pa.Array) -> Ints:
    """An int32 or int64 array without nulls; `to_numpy` would import pandas where it is installed."""
    width = np.int32 if array.type.bit_width == 32 else np.int64
    return np.frombuffer(array.buffers()[1], width)[array.offset : array.offset + len(array)].astype(np.int64)
