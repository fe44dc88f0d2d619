"""Where in a file the fault lies that its reader only reported: line or row, column, value."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from gistmark.files.cells import decode, is_list, list_columns
from gistmark.files.formats import Format
from gistmark.files.jsonl import first_problem
from gistmark.files.raw import open_bytes, shown
from gistmark_engine.errors import GistmarkError, InputError, shorten

if TYPE_CHECKING:
    from _csv import Reader


READER_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, csv.Error)


@contextmanager
def located(locate: Callable[[Exception], InputError]) -> Iterator[None]:
    """Turns what a reader raises into what `locate` makes of it."""
    try:
        yield
    except GistmarkError:
        raise
    except READER_ERRORS as error:
        raise locate(error) from error


def locate(paths: Sequence[Path], kind: Format, text: Collection[str], references: str, error: Exception) -> InputError:
    """A reader's error as one that names file and line or row, as far as the fault can be found again."""
    for path in paths:
        try:
            fault = _csv_fault(path, paths, references) if kind == "csv" else _first_fault(path, kind, text)
        except (*READER_ERRORS, pa.ArrowException, EOFError, zlib.error) as unreadable:
            fault = InputError(f"{shown(path)}: not a readable {kind} file ({unreadable})")
        if fault:
            return fault
    return InputError(f"{shown(paths[0])}: {first_line(error)}")


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its name."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def _first_fault(path: Path, kind: Format, text: Collection[str]) -> InputError | None:
    if kind == "jsonl":
        problem = first_problem(path, text)
        return InputError(problem) if problem else None
    return _bad_string(path, kind)


def _csv_fault(path: Path, paths: Sequence[Path], references: str) -> InputError | None:
    """The first fault of one of several CSV files, which are read as one."""
    return _bad_line(path) or _bad_record(path) or _bad_cell(path, list_columns(paths, references), references)


def _bad_line(path: Path) -> InputError | None:
    """The first line that is not UTF-8."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                found = shorten(line[error.start : error.end])
                return InputError(f"{path}, line {number}: invalid UTF-8 at byte {error.start + 1} (found {found})")
    return None


def _bad_record(path: Path) -> InputError | None:
    """The first record that is no CSV or has more cells than the header."""
    with _records(path) as reader:
        try:
            width = len(next(reader, []))
            for row, record in enumerate(reader):
                if len(record) > width:
                    problem = f"{len(record)} cells under a header of {width}"
                    return InputError(f"{path}, line {reader.line_num}: {problem}", row=row)
        except csv.Error as error:
            return InputError(f"{path}, line {reader.line_num}: not CSV: {error}")
    return None


def _bad_cell(path: Path, lists: Collection[str], references: str) -> InputError | None:
    """The first cell that is no JSON list in a column of lists, or is one among references that are texts."""
    with _records(path) as reader:
        header: list[str] = next(reader, [])
        for row, record in enumerate(reader):
            for name, cell in zip(header, record, strict=False):
                problem = _problem(cell, name in lists) if name in (*lists, references) else None
                if problem:
                    return InputError(f"{problem} ({path}, line {reader.line_num})", column=name, row=row)
    return None


def _problem(cell: str, listed: bool) -> str | None:
    """What is wrong with a cell, in a column of lists or of texts."""
    try:
        _ = listed and decode(cell)
    except ValueError as error:
        return str(error)
    return f"a JSON list among texts (found {shorten(cell)})" if not listed and is_list(cell) else None


@contextmanager
def _records(path: Path) -> Iterator[Reader]:
    csv.field_size_limit(2**31 - 1)
    with open_bytes(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
        yield csv.reader(lines, strict=True)


def _bad_string(path: Path, kind: Format) -> InputError | None:
    """The first string that is not UTF-8, in any column that holds strings."""
    start = 0
    for batch in _batches(path, kind):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            row = _invalid_row(column)
            if row is not None:
                return InputError(f"invalid UTF-8 ({path})", column=name, row=start + row)
        start += batch.num_rows
    return None


def _batches(path: Path, kind: Format) -> Iterator[pa.RecordBatch]:
    if kind == "parquet":
        yield from pyarrow.parquet.ParquetFile(path).iter_batches()
        return
    with pyarrow.ipc.open_file(str(path)) as file:
        for index in range(file.num_record_batches):
            yield file.get_batch(index)


def _invalid_row(column: Any) -> int | None:
    """The first row whose value Arrow's own full validation refuses."""
    if _valid(column):
        return None
    return next(row for row in range(len(column)) if not _valid(column.slice(row, 1)))


def _valid(column: Any) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
