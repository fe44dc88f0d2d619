"""Where scored tables go: written under a temporary name, renamed when complete, removed when anything goes wrong."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from gistmark.files import cells
from gistmark.files.formats import STANDARD, format_of
from gistmark.files.leftovers import temporary
from gistmark_engine.errors import OptionError

KEY = b"gistmark_signatures"

NOTHING: Mapping[bytes, bytes] = MappingProxyType({})

Put = Callable[[pl.DataFrame], object]


def write(frame: pl.DataFrame, path: str | PathLike[str], *, signatures: Sequence[str] = ()) -> None:
    """Write a table in the format its path's ending says (Parquet, JSON lines, CSV, Arrow IPC), whole or not at all.

    signatures  kept in the schema metadata of Parquet and Arrow IPC files; the text formats have no place for them
    """
    with sink(path, frame.clear(), signatures=signatures) as put:
        put(frame)


@contextmanager
def sink(
    path: str | PathLike[str],
    head: pl.DataFrame,
    *,
    signatures: Sequence[str] = (),
    metadata: Mapping[bytes, bytes] = NOTHING,
) -> Iterator[Put]:
    """A function that appends frames shaped like `head` (its rows are not written) to the file that appears at the end.

    signatures  kept, as `metadata` is, in the schema metadata of Parquet and Arrow IPC files

    On any exception, an interrupt included, the file at `path` stays what it was. The path `-` is standard output,
    which gets JSON lines as they come. Raises `OptionError` when `path` cannot be written.
    """
    if str(path) == STANDARD:
        yield lambda frame: sys.stdout.buffer.write(frame.write_ndjson().encode())
        return
    target = check_output(path)
    with temporary(target) as unfinished:
        with ExitStack() as stack:
            about = {KEY: json.dumps(list(signatures), ensure_ascii=False).encode(), **metadata}
            yield _opened(unfinished, target, head, about, stack)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())  # a name must not outlive a power cut that its bytes did not
        os.replace(unfinished, target)


def check_output(path: str | PathLike[str]) -> Path:
    """The file to be written, links followed; raises `OptionError` when it cannot be written."""
    target = check_place(path, "output")
    if format_of(target) and target.suffix == ".zst":
        raise OptionError(f"output {path}: text formats are written plain or as .gz")
    return target


def check_place(path: str | PathLike[str], option: str) -> Path:
    """The file named by `option`, links followed; raises `OptionError` where no file can be written."""
    target = Path(path).resolve()
    if str(path).endswith(os.sep):
        raise OptionError(f"{option} {path} is called as a folder; name a file, without the {os.sep} at its end")
    if target.is_dir():
        raise OptionError(f"{option} {path} is a directory")
    if not target.parent.is_dir():
        raise OptionError(f"{option} {path}: directory {target.parent} does not exist")
    if not os.access(target.parent, os.W_OK):
        raise OptionError(f"{option} {path}: directory {target.parent} cannot be written")
    return target


def signatures(path: str | PathLike[str]) -> list[str]:
    """The signatures that a Parquet or Arrow IPC file carries; empty for other files."""
    kind = format_of(Path(path))
    if kind == "parquet":
        schema = pyarrow.parquet.read_schema(Path(path))
    elif kind == "ipc":
        with pyarrow.ipc.open_file(str(path)) as file:
            schema = file.schema
    else:
        return []
    return list(json.loads((schema.metadata or {}).get(KEY, b"[]")))


def _opened(path: Path, target: Path, head: pl.DataFrame, metadata: Mapping[bytes, bytes], stack: ExitStack) -> Put:
    """The function that appends a frame to `path` in the format of `target`; `stack` closes it."""
    kind = format_of(target)
    stream = stack.enter_context(_open(path, target))
    if kind == "jsonl":
        return lambda frame: frame.write_ndjson(stream)
    if kind == "csv":
        cells.encode(head).write_csv(stream)
        return lambda frame: cells.encode(frame).write_csv(stream, include_header=False)
    schema = head.to_arrow().schema.with_metadata(metadata)
    writer: Any = (
        pyarrow.parquet.ParquetWriter(stream, schema, compression="zstd")
        if kind == "parquet"
        else pyarrow.ipc.new_file(stream, schema)
    )
    stack.enter_context(writer)
    return lambda frame: writer.write_table(pa.table(frame.to_arrow().columns, schema=schema))


def _open(path: Path, target: Path) -> Any:
    """A file opened for writing, compressed if the target's name says so."""
    if target.suffix.lower() == ".gz":
        return gzip.open(path, "wb", compresslevel=6)
    return path.open("wb")
