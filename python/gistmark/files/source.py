"""A table to be scored, wherever it lies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import polars as pl

from gistmark.files import cells, faults, jsonl
from gistmark.files.formats import STANDARD, Format, expand, format_of
from gistmark.files.raw import shown, spool_stream
from gistmark.files.skipped import Skipped
from gistmark_engine.errors import GistmarkError, InputError, OptionError
from gistmark_engine.metric import ROLES

OnError = Literal["fail", "skip"]
READER_ERRORS = (pl.exceptions.PolarsError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class Source:
    """A readable table: its rows as a lazy frame, how their faults are found, and the lines left out of it.

    frame    the rows
    locate   a reader's error → one that names file and line or row
    counted  whether the files themselves say how many rows they hold
    skipped  what was wrong with each line that was dropped (only with `on_error="skip"`)
    """

    frame: pl.LazyFrame
    locate: Callable[[Exception], InputError]
    counted: bool = False
    skipped: list[Skipped] = field(default_factory=list)

    def rows(self) -> int | None:
        """How many rows there are where the files themselves say it, else None."""
        return self.frame.select(pl.len()).collect().item() if self.counted else None

    def batches(self, rows: int) -> Iterator[pl.DataFrame]:
        """The table in order, `rows` rows at a time, read ahead in the background but never whole.

        Raises `InputError` naming file and line or row where the data cannot be read.
        """
        try:
            yield from self.frame.collect_batches(chunk_size=rows, maintain_order=True)
        except READER_ERRORS as error:
            raise self.locate(error) from error

    def load(self) -> pl.DataFrame:
        """The whole table in memory; raises as `batches` does."""
        try:
            return self.frame.collect()
        except READER_ERRORS as error:
            raise self.locate(error) from error


def open_source(
    path: str | PathLike[str],
    *,
    text: Collection[str] = ROLES,
    references: str = "references",
    on_error: OnError = "fail",
) -> Source:
    """Open a table: Parquet, JSON lines, CSV, Arrow IPC, a glob of one of them, or `-`: JSON lines on standard input.

    text        the columns that must hold nothing but texts or lists of texts (checked where the format does not say)
    references  the column that in CSV holds texts or JSON lists of texts, one or the other
    on_error    "skip" drops lines of JSON lines files that cannot be read and lists them in `skipped`

    Raises `InputError` for files that cannot be read, `OptionError` for a format that is not known.
    """
    paths = [spool_stream(sys.stdin.buffer, "standard input")] if str(path) == STANDARD else expand(path)
    kinds = {format_of(file) for file in paths}
    if len(kinds) > 1:
        raise OptionError(f"{path}: files of several formats: {', '.join(sorted(kinds))}")
    kind = kinds.pop()
    locate = partial(faults.locate, paths, kind, text, references)
    try:
        frame, skipped = _jsonl(paths, text, on_error) if kind == "jsonl" else (_scan(paths, kind, references), [])
        frame.collect_schema()
    except GistmarkError:
        raise
    except READER_ERRORS as error:
        raise locate(error) from error
    return Source(frame, locate, kind in ("parquet", "ipc"), skipped)


def read(path: str | PathLike[str]) -> pl.LazyFrame:
    """The table at `path` as a lazy frame; see `open_source` for what a path may be and what it raises."""
    return open_source(path).frame


def load(path: str | PathLike[str]) -> pl.DataFrame:
    """The table at `path` in memory; errors name file and line or row."""
    return open_source(path).load()


def _scan(paths: list[Path], kind: Format, references: str) -> pl.LazyFrame:
    """Files of a format that carries its own schema, or none, as one lazy frame."""
    if kind == "parquet":
        return pl.scan_parquet(paths, glob=False, hive_partitioning=False)
    if kind == "ipc":
        return pl.concat([pl.scan_ipc(path, hive_partitioning=False) for path in paths])
    return cells.scan(paths, references)


def _jsonl(paths: list[Path], text: Collection[str], on_error: OnError) -> tuple[pl.LazyFrame, list[Skipped]]:
    """JSON lines files as one lazy frame, and the lines that were dropped."""
    frames: list[pl.LazyFrame] = []
    skipped: list[Skipped] = []
    for path in paths:
        copy, problems = jsonl.keep_readable(path, text) if on_error == "skip" else (path, [])
        frames.append(jsonl.scan(copy, text))
        skipped += problems
    _check_alike(paths, frames)
    return pl.concat(frames, how="diagonal_relaxed"), skipped


def _check_alike(paths: list[Path], frames: list[pl.LazyFrame]) -> None:
    """Raise `InputError` when a column has one type in one file and another in the next."""
    first: dict[str, tuple[Path, pl.DataType]] = {}
    for path, frame in zip(paths, frames, strict=True):
        for name, kind in frame.collect_schema().items():
            where, known = first.setdefault(name, (path, kind))
            if not _alike(kind, known):
                raise InputError(f"{kind} in {shown(path)} but {known} in {shown(where)}", column=name)
            if known == pl.Null:
                first[name] = path, kind


def _alike(one: Any, other: Any) -> bool:
    """Whether values of both types can stand in one column as they are; null stands in any."""
    if isinstance(one, pl.List) and isinstance(other, pl.List):
        return _alike(one.inner, other.inner)
    if isinstance(one, pl.Struct) and isinstance(other, pl.Struct):
        fields, others = one.to_schema(), other.to_schema()
        return all(_alike(fields[name], others[name]) for name in fields.keys() & others.keys())
    return pl.Null in (one, other) or one == other or (one.is_numeric() and other.is_numeric())
