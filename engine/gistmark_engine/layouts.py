"""Arrow's layouts of strings and lists: what a column may be, where each of its strings lies, where each list begins and ends.

Everything takes time with the elements that are asked for, not with what they were cut from: a column is read range by range,
and neither the items of other lists nor a dictionary's other words are looked at.
"""

from __future__ import annotations

from typing import Any

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
_STRINGS = {pa.string().id: 4, pa.large_string().id: 8, pa.string_view().id: 16}
_ALL = np.empty(0, np.int64)
_DICTIONARY, _NOTHING, _UNSIGNED = pa.dictionary(pa.int8(), _ANY).id, pa.null().id, pa.uint64().id


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list of any layout."""
    return kind.id in _LISTS or kind.id in _LIST_VIEWS or kind.id == _FIXED


def list_depth(kind: pa.DataType) -> int:
    """How many lists lie around the elements."""
    return 1 + list_depth(kind.value_type) if is_list(kind) else 0


def is_shared(kind: pa.DataType) -> bool:
    """Whether lists of a type, at any depth, may hold the same items."""
    return kind.id in _LIST_VIEWS or (is_list(kind) and is_shared(kind.value_type))


def element_type(kind: pa.DataType) -> pa.DataType:
    """What lies within all lists around it, or in the dictionary there."""
    if is_list(kind):
        return element_type(kind.value_type)
    return kind.value_type if kind.id == _DICTIONARY else kind


def may_oversize(kind: pa.DataType) -> bool:
    """Whether what lies within the lists of a type may be integers that int64 cannot hold."""
    return bool(element_type(kind).id == _UNSIGNED)


def cast_to(values: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """The values as another type; by way of Python where pyarrow cannot, or, of list views, does it wrong."""
    try:
        if not is_shared(values.type):
            return values.cast(kind)
    except pa.ArrowNotImplementedError:  # of some dictionaries
        pass
    return pa.array(values.to_pylist(), kind)


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


def read_pieces(array: pa.Array, address: Ints, length: Ints) -> None:
    """Fill the address and the length of each element of a flat array: NULL for a null, INTEGER for an integer, which is its
    own address. Integers that do not fit are refused before (`arrow.find_oversized`)."""
    kind = array.type
    if kind.id == _NOTHING:
        address[:], length[:] = 0, NULL
    elif kind.id in _STRINGS:
        _read_strings(array, _ALL, address, length)
    elif kind.id != _DICTIONARY:
        address[:], length[:] = _numbers(_integers(array)), np.where(invalid(array), NULL, INTEGER)
    elif kind.value_type.id in _STRINGS:
        at = array.indices.cast(pa.int64()).fill_null(-1)
        _read_strings(array.dictionary, _numbers(at), address, length)
    else:
        read_pieces(array.dictionary_decode(), address, length)


def _read_strings(array: pa.Array, at: Ints, address: Ints, length: Ints) -> None:
    from gistmark_engine.kernels.strings import locate_strings

    *places, data = _places(array)
    buffers = np.array([buffer.address if buffer else 0 for buffer in data] or [0], np.int64)
    locate_strings(*places, buffers, at, address, length)


def _places(array: pa.Array) -> tuple[int, int, int, int, list[pa.Buffer | None]]:
    """Of an array of strings: bytes of an offset or view, where they lie, where the bitmap lies (0: all are there), the
    first of both, the buffers of the bytes."""
    bitmap, places, *data = array.buffers()
    return _STRINGS[array.type.id], places.address, bitmap.address if array.null_count else 0, array.offset, data


def add_sizes(array: pa.Array, sizes: Ints) -> None:
    """Add to the number of each element of a flat array its bytes and one more; an integer counts as eight."""
    if array.type.id in _STRINGS:
        from gistmark_engine.kernels.strings import add_lengths

        *places, _ = _places(array)
        add_lengths(*places, sizes)
        return
    address, length = np.empty_like(sizes), np.empty_like(sizes)
    read_pieces(array, address, length)
    sizes += np.abs(length) + 1


def oversized(array: pa.Array) -> Flags:
    """Which elements of a flat array of uint64, or of a dictionary of them, int64 cannot hold."""
    beyond: Flags = _seen(_integers(array.dictionary_decode() if array.type.id == _DICTIONARY else array)) < 0
    return beyond


def _integers(array: pa.Array) -> pa.Array:
    """Integers as int64, 0 for a null; a uint64 beyond that comes out negative."""
    whole = array.fill_null(0)
    return whole.view(pa.int64()) if whole.type.id == _UNSIGNED else whole.cast(pa.int64())


def list_bounds(array: pa.Array) -> tuple[Ints, Ints, pa.Array]:
    """First and last index of every list, an invalid one empty, in the array of their items."""
    kind, null = array.type, invalid(array) if array.null_count else None
    if kind.id in _LISTS:
        bounds = _numbers(array.offsets)
        low, high = (int(bounds[0]), int(bounds[-1])) if len(array) else (0, 0)
        first, last, items = bounds[:-1] - low, bounds[1:] - low, array.values.slice(low, high - low)
    elif kind.id == _FIXED:
        size = kind.list_size
        first = np.arange(len(array), dtype=np.int64) * size
        last, items = first + size, array.values.slice(array.offset * size, len(array) * size)
    else:
        first, sizes = _numbers(array.offsets)[: len(array)], _numbers(array.sizes)
        filled = sizes > 0 if null is None else (sizes > 0) & ~null
        low = int(first[filled].min(initial=len(array.values)))
        high = int((first + sizes)[filled].max(initial=low))
        first, last = np.where(filled, first - low, 0), np.where(filled, first + sizes - low, 0)
        return first, last, array.values.slice(low, high - low)
    return (first, last, items) if null is None else (np.where(null, 0, first), np.where(null, 0, last), items)


def has_nulls(array: pa.Array) -> bool:
    """Whether a flat array has a null, in itself or in its dictionary."""
    return bool(array.null_count or (array.type.id == _DICTIONARY and array.dictionary.null_count))


def invalid(array: pa.Array) -> Flags:
    """Which elements are null by the validity bitmap."""
    if not array.null_count:
        return np.zeros(len(array), np.bool_)
    bits = np.frombuffer(array.buffers()[0], np.uint8)[array.offset >> 3 : (array.offset + len(array) + 7) >> 3]
    shift = array.offset & 7
    null: Flags = np.unpackbits(bits, bitorder="little")[shift : shift + len(array)] == 0
    return null


def _numbers(array: pa.Array) -> Ints:
    """A copy, as int64, of an int32 or int64 array without nulls."""
    return _seen(array).astype(np.int64)


def _seen(array: pa.Array) -> NDArray[np.signedinteger[Any]]:
    """An int32 or int64 array without nulls as it lies; `to_numpy` would import pandas where it is installed."""
    if not len(array):
        return np.empty(0, np.int64)
    width = np.int32 if array.type.bit_width == 32 else np.int64
    numbers: NDArray[np.signedinteger[Any]] = np.frombuffer(array.buffers()[1], width)
    return numbers[array.offset : array.offset + len(array)]
