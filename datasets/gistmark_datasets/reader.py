"""The records of a file, whatever it is written in: JSON lines, a JSON array, CSV, Parquet, plain text."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from gistmark_datasets.entry import DatasetError, Entry, shorten

BOM = b"\xef\xbb\xbf"

Entries = Iterator[Entry | DatasetError]
"""Records, and errors in the place of those that cannot be read, so that a loader may go on after them."""


def entries(path: Path) -> Entries:
    """The records of a file: Parquet and CSV by their ending; else one JSON array, or JSON lines (also `.gz`)."""
    ending = path.suffix.lower()
    if ending in (".parquet", ".csv"):
        return _parquet(path) if ending == ".parquet" else _csv(path)
    first = next((line for line in _lines(path) if line.strip()), b"")
    if not first:
        raise DatasetError(path, "the file is empty")
    return _array(path) if first.lstrip().startswith(b"[") else _objects(path)


def text_file(path: Path) -> Entry | DatasetError:
    """A file of plain text: its name without ending as `id`, its contents as `text`."""
    try:
        return Entry(str(path), path.stem, {"id": path.stem, "text": path.read_text(encoding="utf-8-sig")})
    except (OSError, UnicodeDecodeError) as error:
        return DatasetError(path, f"cannot be read ({error})")


def json_file(path: Path) -> Any:
    """What a file of JSON holds."""
    try:
        return _decode(b"".join(_lines(path)))
    except ValueError as error:
        raise DatasetError(path, str(error)) from None


def _lines(path: Path) -> Iterator[bytes]:
    """The file's lines without a byte order mark."""
    try:
        with cast("BinaryIO", gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")) as stream:
            for number, line in enumerate(stream):
                yield line if number else line.removeprefix(BOM)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(path, f"cannot be read ({error})") from None


def _objects(path: Path) -> Entries:
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            try:
                value = _decode(line.strip())
            except ValueError as error:
                yield DatasetError(f"{path}, line {number}", str(error))
            else:
                yield _object(path, "line", number, value)


def _array(path: Path) -> Entries:
    for number, value in enumerate(json_file(path), 1):
        yield _object(path, "item", number, value)


def _object(path: Path, unit: str, number: int, value: object) -> Entry | DatasetError:
    where = f"{path}, {unit} {number}"
    if isinstance(value, dict):
        return Entry(where, f"{path.stem}-{number}", value)
    return DatasetError(where, f"not a JSON object (found {shorten(value)})")


def _decode(text: bytes) -> Any:
    """JSON in UTF-8, strictly; ValueError in plain words for anything else."""
    try:
        value = json.loads(text.decode(), parse_constant=_no_number, object_pairs_hook=_distinct)
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise ValueError(f"invalid UTF-8 at byte {error.start + 1}") from None
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair, which is no character") from None
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if b"\n" in text else ""
        raise ValueError(f"not JSON: {error.msg.removesuffix(' at')}, {line}character {error.colno}") from None
    except RecursionError:
        raise ValueError("not JSON: too many brackets") from None
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's keys and values; ValueError for a key that occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice in one object")
    return found


def _csv(path: Path) -> Entries:
    """Rows under a header; an empty cell is null."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader((line.decode() for line in _lines(path)), strict=True)
    try:
        header = next(reader, [])
        twice = [name for name in header if header.count(name) > 1]
        if twice or not header:
            raise DatasetError(f"{path}, line 1", f"two columns called {twice[0]!r}" if twice else "no header")
        for number, cells in enumerate(filter(None, reader), 1):
            where = f"{path}, line {reader.line_num}"
            if len(cells) == len(header):
                named = {key: cell or None for key, cell in zip(header, cells, strict=True)}
                yield Entry(where, f"{path.stem}-{number}", named)
            else:
                yield DatasetError(where, f"{len(cells)} cells under a header of {len(header)}")
    except csv.Error as error:
        raise DatasetError(f"{path}, line {reader.line_num}", f"not CSV: {error}") from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}, line {reader.line_num + 1}", f"invalid UTF-8 at byte {error.start + 1}") from None


def _parquet(path: Path) -> Entries:
    import pyarrow as pa
    import pyarrow.parquet

    start = 0
    try:
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(1024):
            rows = batch.to_pylist()
            for row, fields in enumerate(rows, start):
                yield Entry(f"{path}, row {row}", f"{path.stem}-{row}", fields)
            start += len(rows)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise DatasetError(path, f"not a readable Parquet file ({error})") from None
