"""From the numbers of a metric's `run` to Arrow columns of the declared types: NaN becomes null, codes become names.

Arrays are made from buffers: `pa.array` would import pandas where it is installed, which takes longer than a first score.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.metric import Field, Metric, Values

_FLOAT = pa.float64()


def arrow_type(field: Field) -> pa.DataType:
    """The Arrow type of a field's column."""
    if field.dtype == "enum":
        return pa.dictionary(pa.int8(), pa.string())
    if field.dtype == "list<string>":
        return pa.list_(pa.string())
    return {"float64": pa.float64(), "int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}[field.dtype]


def assemble(metric: Metric, parts: Sequence[Mapping[str, Values]]) -> dict[str, pa.Array]:
    """The metric's columns under their final names, its row ranges joined in order."""
    return {
        metric.prefix + name: _column(field, [part[name] for part in parts]) for name, field in metric.fields.items()
    }


def _column(field: Field, parts: Sequence[Values]) -> pa.Array:
    if not parts:
        return pa.array([], type=arrow_type(field))
    if not isinstance(parts[0], np.ndarray):
        return pa.concat_arrays([pa.array(part).cast(arrow_type(field)) for part in parts])
    values = np.concatenate(parts) if len(parts) > 1 else np.ascontiguousarray(parts[0])
    total = np.add.reduce(values)
    if total == total:  # a NaN is carried into the sum; one look at each value where there is none
        return _typed(field, values, None)
    null = np.isnan(values)
    return _typed(field, np.where(null, 0.0, values), null)


def _typed(field: Field, values: NDArray[np.float64], null: NDArray[np.bool_] | None) -> pa.Array:
    if field.dtype == "float64":
        return _primitive(_FLOAT, values, null)
    if field.dtype == "enum":
        codes = _primitive(pa.int8(), values.astype(np.int8), null)
        return pa.DictionaryArray.from_arrays(codes, _levels(field.levels))
    if field.dtype == "bool":
        return _primitive(pa.bool_(), np.packbits(values != 0, bitorder="little"), null, len(values))
    return _primitive(pa.int64(), values.astype(np.int64), null)


@functools.cache
def _levels(names: tuple[str, ...]) -> pa.Array:
    """The names as a string array."""
    encoded = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(names), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def _primitive(
    kind: pa.DataType, values: NDArray[np.generic], null: NDArray[np.bool_] | None, count: int | None = None
) -> pa.Array:
    """An Arrow array over the values' own memory; `count`: how many there are, if not one an element."""
    validity = None if null is None else pa.py_buffer(np.packbits(~null, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values) if count is None else count, [validity, pa.py_buffer(values)])
