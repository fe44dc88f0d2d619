"""Which rows are scored together, and on which threads.

Ranges of rows go to the threads of a pool, each of which reads its part of the columns itself. Few rows are read as a whole
first, since most often they are one range.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.columns import Column
from gistmark_engine.errors import OptionError
from gistmark_engine.inputs import Inputs, read_inputs
from gistmark_engine.layouts import is_shared
from gistmark_engine.sizes import row_sizes

LARGEST, SMALLEST, MANY = 8 << 20, 4 << 20, 4
"""Bytes of text in a range of rows: few enough for its memory, enough to find the rows that share texts and to be worth a
thread; ranges a thread, of which there are several so that none has to wait long for another."""

POOL = "gistmark-"
"""How the names of the pool's threads begin."""

FEW = 1 << 11
"""Rows that are read at once before it is asked how they are shared out: most often they are not."""


def for_each_range(act: Callable[[Inputs], None], columns: Mapping[str, Column], rows: int, threads: int) -> None:
    """Do it for all `rows` rows of the columns, range by range; what is raised for an earlier range comes first."""
    if rows == 0 or (rows <= FEW and not any(is_shared(column.values.type) for column in columns.values())):
        whole = read_inputs(columns, 0, rows)
        if whole.size <= (LARGEST if threads == 1 else SMALLEST):
            act(whole)
            return
    ends = np.cumsum(sum(map(row_sizes, columns.values()), np.ones(rows, np.int64)))
    ranges = _ranges(ends, threads)
    run = _pool(threads, os.getpid()).map if threads > 1 and len(ranges) > 1 and not _is_within() else map
    for _ in run(lambda bounds: act(read_inputs(columns, *bounds)), ranges):
        pass


def _ranges(ends: NDArray[np.int64], threads: int) -> list[tuple[int, int]]:
    """(first row, rows) of ranges of about equal bytes, given how many each row and those before it have: one to four for
    each thread, more where they would be too large."""
    total = int(ends[-1]) if len(ends) else 0
    parts = -(-total // LARGEST)
    if threads > 1 and total > SMALLEST:
        parts = max(parts, threads * min(max(total // (threads * SMALLEST), 1), MANY))
    cuts = ends.searchsorted(total * np.arange(1, parts) // parts, side="right").tolist()
    bounds = sorted({0, *cuts, len(ends)})
    return [(first, last - first) for first, last in pairwise(bounds)]


def _cores() -> int:
    """Cores this process may use; not every system says."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_threads(wanted: int | None) -> int:
    """How many threads a job is to use; OptionError for what is no number of them."""
    if wanted is None:
        return _cores()
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
        raise OptionError(f"threads must be a positive integer, or None for all cores, not {wanted!r}")
    return wanted


@functools.cache
def _pool(count: int, process: int) -> ThreadPoolExecutor:
    """The threads of a process, kept between jobs with what they remember; a forked child makes its own."""
    return ThreadPoolExecutor(count, thread_name_prefix=f"{POOL}{process}")


def _is_within() -> bool:
    """Whether this is a thread of the pool, as where a metric scores within its run: it must not wait for itself."""
    return threading.current_thread().name.startswith(POOL)
