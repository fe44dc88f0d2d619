"""One file of a table that is to be scored, or the whole table where its format keeps no count of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
import pyarrow.parquet

from gistmark.files.formats import Format

STEP = 1 << 18
"""Rows read by one query: what a reader decodes ahead stays below this, or below a row group if that is larger."""


@dataclass(frozen=True)
class Input:
    """Rows that lie together.

    frame  the rows, with the columns of the whole table
    paths  the files they come from, as far as they are on this machine
    kind   "parquet" or "ipc", whose rows can be read from any one on; None for everything else
    name   what parts of it are called
    """

    frame: pl.LazyFrame
    paths: Sequence[Path] = ()
    kind: Format | None = None
    name: str = "part"

    @cached_property
    def rows(self) -> int:
        """How many there are; text formats are read through to tell."""
        return int(self.frame.select(pl.len()).collect().item())

    @property
    def key(self) -> list[tuple[int, int]]:
        """What changes when a file does: its bytes and the time it was written, in nanoseconds."""
        states = [path.stat() for path in self.paths]
        return [(state.st_size, state.st_mtime_ns) for state in states]

    def batches(self, rows: int, start: int = 0, stop: int | None = None) -> Iterator[pl.DataFrame]:
        """Rows start..stop in order, at most `rows` of them at a time, read ahead in the background but never whole."""
        for first, last in self._steps(rows, start, stop):
            frame = self.frame.slice(first, None if last is None else last - first)
            yield from frame.collect_batches(chunk_size=rows, maintain_order=True)

    def _steps(self, rows: int, start: int, stop: int | None) -> Iterator[tuple[int, int | None]]:
        """Bounds of what one query reads. Text formats have to be read from the top, so they get one."""
        if self.kind is None:
            yield start, stop
            return
        end = self.rows if stop is None else min(stop, self.rows)
        size = -(-max(STEP, self._largest_group()) // rows) * rows
        for first in range(start, end, size):
            yield first, min(first + size, end)

    def _largest_group(self) -> int:
        """Rows of the file's largest row group, which is decoded as one."""
        if self.kind != "parquet" or not self.paths:
            return 0
        metadata = pyarrow.parquet.read_metadata(self.paths[0])
        return max((metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)), default=0)
