"""Which rows are scored together: ranges of them, each of which reads its part of the columns itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from gistmark_engine.columns import Column
from gistmark_engine.inputs import Inputs, read_inputs
from gistmark_engine.layouts import Ints, is_shared
from gistmark_engine.signals import put_off
from gistmark_engine.sizes import ROW, row_ends
from gistmark_engine.threads import share_out

LARGEST, SMALLEST, MANY = 16 << 20, 9 << 19, 4
"""Bytes of text in a range of rows: few enough for its memory, enough to find the rows that share texts and to be worth a
thread; ranges a thread, of which there are several so that none has to wait long for another."""

FEW = 1 << 11
"""Rows that are read at once before it is asked how they are shared out: most often they are not."""


def for_each_range(act: Callable[[Inputs], None], columns: Mapping[str, Column], rows: int, threads: int) -> None:
    """Do it for all `rows` rows of the columns, range by range; what is raised for an earlier range comes first."""
    if rows == 0 or (rows <= FEW and not any(is_shared(column.values.type) for column in columns.values())):
        with put_off():
            whole = read_inputs(columns, 0, rows)
            if whole.size + ROW * rows <= (LARGEST if threads == 1 else SMALLEST):
                act(whole)
                return
    ranges = _ranges(row_ends(columns.values(), rows), threads)
    share_out(lambda bounds: act(read_inputs(columns, *bounds)), ranges, threads)


def _ranges(ends: Ints, threads: int) -> list[tuple[int, int]]:
    """(first row, rows) of ranges of about equal bytes, given how many each row and those before it have: one to four for
    each thread, more where they would be too large."""
    total = int(ends[-1]) if len(ends) else 0
    parts = -(-total // LARGEST)
    if threads > 1 and total > SMALLEST:
        parts = threads * max(-(-parts // threads), min(total // (threads * SMALLEST), MANY), 1)
    cuts = ends.searchsorted(total * np.arange(1, parts) // parts, side="right").tolist()
    bounds = sorted({0, *cuts, len(ends)})
    return [(first, last - first) for first, last in pairwise(bounds)]
