"""How much text a column holds, told without reading it: what a job is shared out by."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.arrow import before
from gistmark_engine.columns import Column
from gistmark_engine.layouts import is_list, list_bounds, read_pieces

Ints = NDArray[np.int64]


def row_sizes(column: Column) -> Ints:
    """Bytes of text in each row, some more for each text or piece; an integer counts as eight."""
    values = column.values
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return np.concatenate([np.zeros(0, np.int64), *(_sizes(chunk, column.name) for chunk in chunks)])


def _sizes(array: pa.Array, name: str) -> Ints:
    if is_list(array.type):
        first, last, items = list_bounds(array)
        sums = before(_sizes(items, name))
        sizes: Ints = sums[last] - sums[first] + 1
        return sizes
    address, length = np.empty(len(array), np.int64), np.empty(len(array), np.int64)
    read_pieces(array, name, address, length)
    return np.abs(length) + 1
