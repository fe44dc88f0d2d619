"""Files as bytes: decompressed as they come, and temporary copies of what cannot be read where it is."""

from __future__ import annotations

import atexit
import io
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa


def open_bytes(path: Path) -> io.BufferedReader:
    """The file's bytes, decompressed if its name ends in `.gz` or `.zst`."""
    stream: Any = pa.input_stream(str(path))
    return io.BufferedReader(stream)


def spool(chunks: Iterable[bytes]) -> Path:
    """Write `chunks` to a temporary `.jsonl` file that is deleted when the process ends."""
    handle, name = tempfile.mkstemp(prefix="gistmark-", suffix=".jsonl")
    path = Path(name)
    atexit.register(path.unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as stream:
        stream.writelines(chunks)
    return path


def spool_stream(stream: BinaryIO) -> Path:
    """Copy a stream that can be read only once to a temporary file."""
    path = spool(())
    with path.open("wb") as copy:
        shutil.copyfileobj(stream, copy)
    return path
