"""Texts kept within a limit: what is longer is refused, or cut and said so in the status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.layouts import cast_to
from gistmark_engine.limits import Limit
from gistmark_engine.script import first_invalid

Flags = NDArray[np.bool_]
Cut = Mapping[str, Flags]


def clip(columns: Mapping[str, Column], limit: Limit) -> tuple[dict[str, Column], Cut]:
    """The columns with no text longer than the limit, and by role in which rows one was cut.

    Raises InputError, naming column, row and length, for a long text where those are refused, and for columns whose
    texts are cut into tokens or sentences already.
    """
    within: dict[str, Column] = {}
    cut: dict[str, Flags] = {}
    for role, column in columns.items():
        if column.kind != "text":
            raise InputError(f"a limit of characters needs plain text, not {column.kind}", column=column.name)
        within[role], cut[role] = column, np.zeros(len(column.values), np.bool_)
        if not _is_struct(column.values.type) and _longest(column.values) > limit.length:
            within[role], cut[role] = _clip(column, limit)
    return within, cut


def _clip(column: Column, limit: Limit) -> tuple[Column, Flags]:
    try:
        strings, rows, offsets = _flat(column.values)
        lengths = pc.fill_null(pc.utf8_length(strings), 0).to_numpy()
        clipped = pc.utf8_slice_codeunits(strings, 0, limit.length)
    except pa.ArrowInvalid as error:
        row = first_invalid(column.values)
        raise InputError("the text is not UTF-8", column=column.name, row=row) from error
    long = np.flatnonzero(lengths > limit.length)
    if len(long) and limit.long == "refuse":
        problem = f"a text of {lengths[long[0]]} characters, where {limit.length} are the most"
        raise InputError(problem, column=column.name, row=int(rows[long[0]]))
    cut = np.zeros(len(column.values), np.bool_)
    cut[rows[long]] = True
    values = clipped if offsets is None else pa.LargeListArray.from_arrays(offsets, clipped)
    return Column(values, column.name), cut


def mark(status: pa.Array, cut: Cut, roles: Sequence[str]) -> pa.Array:
    """A status column with "truncated" for "ok" in the rows where a text of these roles was cut."""
    rows = np.logical_or.reduce([cut[role] for role in roles if role in cut])
    names = status.cast(pa.string())
    said = pc.if_else(pc.and_(pa.array(rows), pc.equal(names, "ok")), "truncated", names)
    codes = pc.index_in(said, status.dictionary).cast(pa.int8())
    return pa.DictionaryArray.from_arrays(codes, status.dictionary)


def _longest(values: pa.Array | pa.ChunkedArray) -> int:
    """An upper bound of the longest text's characters: its bytes."""
    strings = _flat(values)[0]
    return pc.max(pc.binary_length(strings)).as_py() or 0


def _flat(values: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64], pa.Array | None]:
    """All texts of a column, the row of each, and the bounds of each row's texts where rows hold lists."""
    listed = hasattr(values.type, "value_field")
    whole = cast_to(values, pa.large_list(pa.large_string()) if listed else pa.large_string())
    whole = whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    if not listed:
        return whole, np.arange(len(whole)), None
    strings = whole.flatten()
    counts = pc.fill_null(pc.list_value_length(whole), 0).to_numpy().astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    offsets = pa.array(bounds, pa.int64(), mask=np.append(pc.is_null(whole).to_numpy(zero_copy_only=False), False))
    return strings, np.repeat(np.arange(len(whole)), counts), offsets


def _is_struct(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind))
