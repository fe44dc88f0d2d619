"""Files as bytes: decompressed as they come, and temporary copies of what cannot be read where it is."""

from __future__ import annotations

import atexit
import io
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

CHUNK = 1 << 20

_names: dict[Path, str] = {}


def open_bytes(path: Path) -> io.BufferedReader:
    """The file's bytes, decompressed if its name ends in `.gz` or `.zst`."""
    stream: Any = pa.input_stream(str(path))
    return io.BufferedReader(stream)


def spool(chunks: Iterable[bytes], name: str) -> Path:
    """Write `chunks` to a temporary file of JSON lines that errors call `name`; it is deleted when the process ends."""
    directory = Path(tempfile.mkdtemp(prefix="gistmark-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = directory / "copy.jsonl"
    with path.open("wb") as stream:
        stream.writelines(chunks)
    _names[path] = name
    return path


def spool_stream(stream: BinaryIO, name: str) -> Path:
    """Copy a stream that can be read only once to a temporary file; see `spool`."""
    return spool(iter(lambda: stream.read(CHUNK), b""), name)


def shown(path: Path) -> str:
    """What errors call a file: its path, or of which file or stream it is a copy."""
    return _names.get(path, str(path))
