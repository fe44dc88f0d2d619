"""From the numbers of a metric's `run` to Arrow columns of the declared types: NaN becomes null, codes become names.

Arrays are made from buffers: `pa.array` would import pandas where it is installed, which takes longer than a first score.
"""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.metric import Block, Field, Metric, Scores

_FLOAT, _INTEGER, _CODE = pa.float64(), pa.int64(), pa.int8()


def arrow_type(field: Field) -> pa.DataType:
    """The Arrow type of a field's column."""
    if field.dtype == "enum":
        return pa.dictionary(pa.int8(), pa.string())
    if field.dtype == "list<string>":
        return pa.list_(pa.string())
    return {"float64": pa.float64(), "int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}[field.dtype]


class Assembly:
    """A metric's columns of `rows` rows, put in range by range in any order and by any thread."""

    def __init__(self, metric: Metric, rows: int) -> None:
        self._name, self._fields, self._prefix = metric.name, metric.fields, metric.prefix
        self._numbers: Block = np.empty((len(metric.fields), rows))
        self._nulls: list[tuple[int, int, NDArray[np.bool_]]] = []
        self._parts: dict[str, dict[int, pa.Array]] = {}

    def put(self, first: int, rows: int, values: Scores) -> None:
        """`rows` rows from `first` on, as a metric's `run` gives them; ValueError for a `run` that gives another number."""
        if isinstance(values, np.ndarray):
            self._check("all fields", values.shape, (len(self._fields), rows))
            self._put_numbers(first, 0, np.ascontiguousarray(values, np.float64))
            return
        for k, name in enumerate(self._fields):
            column = values[name]
            self._check(
                f"field {name!r}", np.shape(column) if isinstance(column, np.ndarray) else (len(column),), (rows,)
            )
            if isinstance(column, np.ndarray):
                self._put_numbers(first, k, column[None, :].astype(np.float64))
            else:
                self._parts.setdefault(name, {})[first] = column

    def _check(self, what: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        if shape != wanted:
            raise ValueError(f"metric {self._name!r}: its run gave {shape} values for {what}, not {wanted}")

    def _put_numbers(self, first: int, field: int, block: Block) -> None:
        """The values of one or more fields. A NaN is carried into the sum; one look at each value where there is none."""
        lost = np.flatnonzero(np.isnan(np.add.reduce(block, axis=1))).tolist()
        if lost:
            null = np.isnan(block)
            block = np.where(null, 0.0, block)
            self._nulls += [(field + k, first, null[k]) for k in lost]
        if block.shape == self._numbers.shape:
            self._numbers = block
        else:
            self._numbers[field : field + len(block), first : first + block.shape[1]] = block

    def arrays(self) -> dict[str, pa.Array]:
        """The columns under their final names, once all rows are there."""
        return {self._prefix + name: self._array(k, name) for k, name in enumerate(self._fields)}

    def _array(self, k: int, name: str) -> pa.Array:
        field, numbers = self._fields[name], self._numbers[k]
        if name in self._parts:
            parts = [part for _, part in sorted(self._parts[name].items(), key=lambda item: item[0])]
            return pa.concat_arrays([pa.array(part).cast(arrow_type(field)) for part in parts])
        validity = self._validity(k)
        if field.dtype == "float64":
            return _primitive(_FLOAT, numbers, validity)
        if field.dtype == "enum":
            codes = _primitive(_CODE, numbers.astype(np.int8), validity)
            return pa.DictionaryArray.from_arrays(codes, _levels(field.levels))
        if field.dtype == "bool":
            return _primitive(pa.bool_(), np.packbits(numbers != 0, bitorder="little"), validity, len(numbers))
        return _primitive(_INTEGER, numbers.astype(np.int64), validity)

    def _validity(self, k: int) -> pa.Buffer | None:
        """The bitmap of rows whose field `k` is not null, None if all are."""
        found = [(first, flags) for field, first, flags in self._nulls if field == k]
        if not found:
            return None
        null = np.zeros(self._numbers.shape[1], np.bool_)
        for first, flags in found:
            null[first : first + len(flags)] = flags
        return pa.py_buffer(np.packbits(~null, bitorder="little"))


@functools.cache
def _levels(names: tuple[str, ...]) -> pa.Array:
    """The names as a string array."""
    encoded = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(names), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def _primitive(
    kind: pa.DataType, values: NDArray[np.generic], validity: pa.Buffer | None, count: int | None = None
) -> pa.Array:
    """An Arrow array over the values' own memory; `count`: how many there are, if not one an element."""
    return pa.Array.from_buffers(kind, len(values) if count is None else count, [validity, pa.py_buffer(values)])
