"""How much text a column holds, told without reading it: what a job is shared out by."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.arrow import before
from gistmark_engine.layouts import element_type, has_offsets, is_list, list_bounds, string_lengths

Ints = NDArray[np.int64]


def size_bound(values: pa.Array | pa.ChunkedArray) -> int:
    """Bytes of text in a column, or some more; of views and dictionaries, which may name the same bytes many times, each
    time."""
    if has_offsets(element_type(values.type)):
        return int(values.nbytes)
    if isinstance(values, pa.ChunkedArray):
        return sum(map(size_bound, values.chunks))
    items = list_bounds(values)[2] if is_list(values.type) else values
    return size_bound(items) if is_list(items.type) else int(string_lengths(items).sum())


def row_sizes(values: pa.Array | pa.ChunkedArray) -> Ints:
    """Bytes of text in each row, one more a text or piece; an integer counts as eight."""
    if isinstance(values, pa.ChunkedArray):
        return np.concatenate([np.zeros(0, np.int64), *map(row_sizes, values.chunks)])
    if is_list(values.type):
        first, last, items = list_bounds(values)
        sums = before(row_sizes(items))
        sizes: Ints = sums[last] - sums[first] + 1
        return sizes
    return string_lengths(values) + 1
