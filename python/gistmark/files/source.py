"""A table to be scored, wherever it lies."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal

import polars as pl

from gistmark.files import cells, faults, jsonl
from gistmark.files.formats import STANDARD, Format, expand, format_of
from gistmark.files.raw import spool_stream
from gistmark_engine.errors import GistmarkError, InputError, OptionError
from gistmark_engine.metric import ROLES

READER_ERRORS = (pl.exceptions.PolarsError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Source:
    """A readable table: where it came from, its rows as a lazy frame, and the lines left out of it.

    paths    the files, in the order of their rows
    kind     their format
    text     the columns that must hold texts or lists of texts
    frame    their rows
    skipped  what was wrong with each line that was dropped (only with `on_error="skip"`)
    """

    paths: list[Path]
    kind: Format
    text: Collection[str]
    frame: pl.LazyFrame
    skipped: list[str] = field(default_factory=list)

    def rows(self) -> int | None:
        """How many rows there are where the files themselves say it, else None."""
        return self.frame.select(pl.len()).collect().item() if self.kind in ("parquet", "ipc") else None

    def batches(self, rows: int) -> Iterator[pl.DataFrame]:
        """The table in order, `rows` rows at a time, read ahead in the background but never whole.

        Raises `InputError` naming file and line or row where the data cannot be read.
        """
        try:
            yield from self.frame.collect_batches(chunk_size=rows, maintain_order=True)
        except READER_ERRORS as error:
            raise faults.locate(self.paths, self.kind, self.text, error) from error

    def load(self) -> pl.DataFrame:
        """The whole table in memory; raises as `batches` does."""
        try:
            return self.frame.collect()
        except READER_ERRORS as error:
            raise faults.locate(self.paths, self.kind, self.text, error) from error


def open_source(
    path: str | PathLike[str], *, text: Collection[str] = ROLES, on_error: Literal["fail", "skip"] = "fail"
) -> Source:
    """Open a table: Parquet, JSON lines, CSV, Arrow IPC, a glob of one of them, or `-`: JSON lines on standard input.

    text      the columns that must hold nothing but texts or lists of texts (checked where the format does not say)
    on_error  "skip" drops lines of JSON lines files that cannot be read and lists them in `skipped`

    Raises `InputError` for files that cannot be read, `OptionError` for a format that is not known.
    """
    paths = [spool_stream(sys.stdin.buffer, "stdin.jsonl")] if str(path) == STANDARD else expand(path)
    kinds = {format_of(file) for file in paths}
    if len(kinds) > 1:
        raise OptionError(f"{path}: files of several formats: {', '.join(sorted(kinds))}")
    kind = kinds.pop()
    try:
        frame, skipped = _jsonl(paths, text, on_error) if kind == "jsonl" else (_scan(paths, kind, text), [])
        frame.collect_schema()
    except GistmarkError:
        raise
    except READER_ERRORS as error:
        raise faults.locate(paths, kind, text, error) from error
    return Source(paths, kind, text, frame, skipped)


def read(path: str | PathLike[str]) -> pl.LazyFrame:
    """The table at `path` as a lazy frame; see `open_source` for what a path may be and what it raises."""
    return open_source(path).frame


def load(path: str | PathLike[str]) -> pl.DataFrame:
    """The table at `path` in memory; errors name file and line or row."""
    return open_source(path).load()


def _scan(paths: list[Path], kind: Format, text: Collection[str]) -> pl.LazyFrame:
    """Files of a format that carries its own schema, or none, as one lazy frame."""
    if kind == "parquet":
        return pl.scan_parquet(paths, glob=False, hive_partitioning=False)
    if kind == "ipc":
        return pl.concat([pl.scan_ipc(path, hive_partitioning=False) for path in paths])
    return cells.scan(paths, text)


def _jsonl(
    paths: list[Path], text: Collection[str], on_error: Literal["fail", "skip"]
) -> tuple[pl.LazyFrame, list[str]]:
    """JSON lines files as one lazy frame, and the lines that were dropped."""
    frames: list[pl.LazyFrame] = []
    skipped: list[str] = []
    for path in paths:
        copy, problems = jsonl.keep_readable(path, text) if on_error == "skip" else (path, [])
        frames.append(jsonl.scan(copy, text))
        skipped += problems
    _check_alike(paths, frames, text)
    return pl.concat(frames, how="diagonal_relaxed"), skipped


def _check_alike(paths: list[Path], frames: list[pl.LazyFrame], text: Collection[str]) -> None:
    """Raise `InputError` when a text column has one type in one file and another in the next."""
    first: dict[str, tuple[Path, pl.DataType]] = {}
    for path, frame in zip(paths, frames, strict=True):
        for name, kind in frame.collect_schema().items():
            if name not in text or kind == pl.Null:
                continue
            where, known = first.setdefault(name, (path, kind))
            if kind != known:
                raise InputError(f"{kind} in {path} but {known} in {where}", column=name)
