"""A table to be scored, wherever it lies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import polars as pl

from gistmark.files import cells, faults, folders, jsonl
from gistmark.files.formats import STANDARD, Format, expand, format_of
from gistmark.files.input import Input
from gistmark.files.raw import shown, spool_stream
from gistmark.files.skipped import Skipped
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import ROLES

OnError = Literal["fail", "skip"]

_SCAN: dict[Format, Callable[[Path], pl.LazyFrame]] = {
    "parquet": lambda path: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    "ipc": lambda path: pl.scan_ipc(path, hive_partitioning=False),
}


TEXT_ROLES = tuple(role for role in ROLES if role != "persona")
"""The roles that hold nothing but text; a persona may be a struct."""


@dataclass(frozen=True)
class Source:
    """A readable table: where it came from, its rows, how their faults are found, and the lines left out of it.

    where    what the caller named
    paths    the files, in the order of their rows; none where they are not on this machine or not tables
    kind     their format
    inputs   the rows: by file where the format says how many there are, else all in one
    locate   a reader's error → one that names file and line or row
    skipped  what was wrong with each line that was dropped (only with `on_error="skip"`)
    """

    where: str
    paths: list[Path]
    kind: Format
    inputs: list[Input]
    locate: Callable[[Exception], InputError]
    skipped: list[Skipped] = field(default_factory=list)

    @cached_property
    def frame(self) -> pl.LazyFrame:
        """All rows."""
        return pl.concat([each.frame for each in self.inputs])

    def rows(self) -> int | None:
        """How many rows there are where the files themselves say it, else None."""
        return sum(each.rows for each in self.inputs) if self.kind in ("parquet", "ipc") else None

    def batches(self, rows: int) -> Iterator[pl.DataFrame]:
        """The table in order, at most `rows` rows at a time, read ahead in the background but never whole.

        Raises `InputError` naming file and line or row where the data cannot be read.
        """
        for each in self.inputs:
            yield from self.read(each, rows)

    def read(self, part: Input, rows: int, start: int = 0, stop: int | None = None) -> Iterator[pl.DataFrame]:
        """Rows start..stop of one of the inputs; as `batches`."""
        with self.located():
            yield from part.batches(rows, start, stop)

    def load(self) -> pl.DataFrame:
        """The whole table in memory; raises as `batches` does."""
        with self.located():
            return self.frame.collect()

    def located(self) -> AbstractContextManager[None]:
        """Turns what a reader raises into an error that names file and line or row."""
        return faults.located(self.locate)


def open_source(
    path: str | PathLike[str],
    *,
    text: Collection[str] = TEXT_ROLES,
    references: str = "references",
    on_error: OnError = "fail",
) -> Source:
    """Open a table: Parquet, JSON lines, CSV, Arrow IPC, a glob of one of them, or `-`: JSON lines on standard input.

    text        the columns that must hold nothing but texts or lists of texts (checked where the format does not say)
    references  the column that in CSV holds texts or JSON lists of texts, one or the other
    on_error    "skip" drops lines of JSON lines files that cannot be read and lists them in `skipped`

    A folder is a partitioned table of Parquet files: folders called `name=value` below it become columns of text. A URL
    (`s3://`, `gs://`, `az://`, `https://`, …) names Parquet files that Polars reads where they lie.

    Raises `InputError` for files that cannot be read, `OptionError` for a format that is not known.
    """
    where = str(path)
    if "://" in where:
        return _remote(where)
    paths = [spool_stream(sys.stdin.buffer, "standard input")] if where == STANDARD else expand(path)
    kinds = {format_of(file) for file in paths}
    if len(kinds) > 1:
        raise OptionError(f"{path}: files of several formats: {', '.join(sorted(kinds))}")
    kind = kinds.pop()
    locate = partial(faults.locate, paths, kind, text, references)
    with faults.located(locate):
        if kind in ("parquet", "ipc"):
            return Source(where, paths, kind, _by_file(paths, kind, Path(where)), locate)
        frame, skipped = _jsonl(paths, text, on_error) if kind == "jsonl" else (cells.scan(paths, references), [])
        frame.collect_schema()
        return Source(where, paths, kind, [Input(paths, kind, frame)], locate, skipped)


def read(path: str | PathLike[str]) -> pl.LazyFrame:
    """The table at `path` as a lazy frame; see `open_source` for what a path may be and what it raises."""
    return open_source(path).frame


def load(path: str | PathLike[str]) -> pl.DataFrame:
    """The table at `path` in memory; errors name file and line or row."""
    return open_source(path).load()


def _remote(url: str) -> Source:
    """Parquet files that are not on this machine."""
    if not urlsplit(url).path.endswith((".parquet", ".pq")):
        raise OptionError(f"{url}: of what lies elsewhere only Parquet is read; copy other files here first")
    locate = partial(_elsewhere, url)
    with faults.located(locate):
        frame = pl.scan_parquet(url)
        frame.collect_schema()
    return Source(url, [], "parquet", [Input([], "parquet", frame)], locate)


def _elsewhere(url: str, error: Exception) -> InputError:
    return InputError(f"{url}: {faults.first_line(error)}")


def _by_file(paths: list[Path], kind: Format, named: Path) -> list[Input]:
    """An input a file, all with the columns of the first; `named` is the folder, if one was named."""
    scan = folders.scan(named) if named.is_dir() else _SCAN[kind]
    frames = [scan(path) for path in paths]
    schema = frames[0].collect_schema()
    for path, frame in zip(paths, frames, strict=True):
        found = frame.collect_schema()
        for name in [*schema, *found]:
            if found.get(name) != schema.get(name):
                there, here = schema.get(name, "absent"), found.get(name, "absent")
                raise InputError(f"{here} in {path} but {there} in {paths[0]}", column=name)
    return [Input([path], kind, frame.select(schema.names())) for path, frame in zip(paths, frames, strict=True)]


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
