"""How much text rows hold, told without reading it: what a job is shared out by."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from gistmark_engine.arrow import before, chunks_of
from gistmark_engine.columns import Column
from gistmark_engine.layouts import Ints, add_sizes, is_list, list_bounds

ROW = 256
"""Bytes a row counts beside its text: about what is noted of it while it is scored."""


def row_ends(columns: Iterable[Column], rows: int) -> Ints:
    """Bytes of text in each row and all before it: ROW more for each row, one for each text and piece, eight for an integer."""
    sizes = np.full(rows, ROW, np.int64)
    for column in columns:
        first = 0
        for chunk in chunks_of(column):
            _add(chunk, sizes[first : first + len(chunk)])
            first += len(chunk)
    return np.cumsum(sizes, out=sizes)


def _add(array: pa.Array, sizes: Ints) -> None:
    if not is_list(array.type):
        add_sizes(array, sizes)
        return
    first, last, items = list_bounds(array)
    each = np.zeros(len(items), np.int64)
    _add(items, each)
    sums = before(each)
    sizes += sums[last] - sums[first] + 1
