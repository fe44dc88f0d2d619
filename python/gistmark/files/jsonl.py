"""JSON lines: read by Polars, checked strictly, and a bad line found by its number.

Polars names no line in its errors, turns numbers or lists among strings into strings, and does not keep the order of
columns in large files. So the columns that hold texts are checked once more by Arrow's reader, which is strict, and only
when one of the two objects are the lines gone through one by one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NoReturn

import polars as pl
import pyarrow as pa
import pyarrow.json

from gistmark.files.raw import open_bytes, spool
from gistmark_engine.errors import InputError, shorten

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 24
PEEK = 1000
ARROW_TYPES = {pl.String(): pa.string(), pl.List(pl.String()): pa.list_(pa.string())}


def scan(path: Path, text: Collection[str]) -> pl.LazyFrame:
    """The file as a lazy frame, its schema taken from all lines, the columns in `text` strictly of one text type.

    Raises `InputError` with the number of the first line that cannot be read.
    """
    if starts_with_bom(path):
        path = spool(_lines(path), "copy.jsonl")
    try:
        frame = pl.scan_ndjson(path, infer_schema_length=None)
        schema = frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(first_problem(path, text) or f"{path}: {error}") from error
    if not _strict(path, {name: kind for name, kind in schema.items() if name in text}):
        found = first_problem(path, text)
        if found:
            raise InputError(found)
    return frame.select(_in_order(path, schema))


def keep_readable(path: Path, text: Collection[str]) -> tuple[Path, list[str]]:
    """A temporary copy of the lines that can be read, and what is wrong with each of the others.

    Raises `InputError` when no line can be read.
    """
    problems: list[str] = []

    def readable() -> Iterator[bytes]:
        shapes: dict[str, str] = {}
        for number, line in enumerate(_lines(path), 1):
            problem = _problem(line, text, shapes)
            if problem:
                problems.append(f"{path}, line {number}: {problem}")
            elif line.strip():
                yield line if line.endswith(b"\n") else line + b"\n"

    copy = spool(readable(), "copy.jsonl")
    if not copy.stat().st_size:
        raise InputError(f"{path}: no line can be read" + (f"; the first: {problems[0]}" if problems else ""))
    return copy, problems


def first_problem(path: Path, text: Collection[str]) -> str | None:
    """File, number and fault of the first line that cannot be read, or None."""
    shapes: dict[str, str] = {}
    blank = True
    for number, line in enumerate(_lines(path), 1):
        problem = _problem(line, text, shapes)
        if problem:
            return f"{path}, line {number}: {problem}"
        blank = blank and not line.strip()
    return f"{path}: the file holds no line" if blank else None


def _in_order(path: Path, names: Iterable[str]) -> list[str]:
    """Column names in the order of the file, which Polars loses; those that come late, by the alphabet, at the end."""
    seen: dict[str, None] = {}
    late = sorted(names)
    for line in islice(_lines(path), PEEK):
        row = json.loads(line) if line.strip() else {}
        seen |= dict.fromkeys(row if isinstance(row, dict) else ())
        if len(seen) == len(late):
            break
    return list(seen | dict.fromkeys(late))


def starts_with_bom(path: Path) -> bool:
    """Whether the file opens with UTF-8's byte order mark."""
    return next(_raw_lines(path), b"").startswith(BOM)


def _raw_lines(path: Path) -> Iterator[bytes]:
    with open_bytes(path) as stream:
        yield from stream


def _lines(path: Path) -> Iterator[bytes]:
    """The file's lines, decompressed, without a byte order mark."""
    for number, line in enumerate(_raw_lines(path)):
        yield line.removeprefix(BOM) if number == 0 else line


def _strict(path: Path, kinds: dict[str, pl.DataType]) -> bool:
    """Whether every value of these columns has, before any conversion, the type Polars gave the column."""
    present = {name: kind for name, kind in kinds.items() if kind != pl.Null}
    if any(kind.is_numeric() or kind in (pl.Boolean, pl.Struct) for kind in present.values()):
        return False
    wanted = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in present.items() if kind in ARROW_TYPES])
    parse = pyarrow.json.ParseOptions(explicit_schema=wanted, unexpected_field_behavior="ignore")
    try:
        for _ in pyarrow.json.open_json(path, pyarrow.json.ReadOptions(block_size=BLOCK), parse):
            pass
    except (pa.ArrowInvalid, OSError):
        return False
    return True


def _problem(line: bytes, text: Collection[str], shapes: dict[str, str]) -> str | None:
    """What is wrong with a line, or None; `shapes` collects what the text columns hold."""
    if not line.strip():
        return None
    try:
        row = json.loads(line.decode(), parse_constant=_no_number)
        if b"\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        return f"invalid UTF-8 at byte {error.start + 1} of the line (found {shorten(line[error.start : error.end])})"
    except UnicodeEncodeError:
        return "half a surrogate pair, which is no character"
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        return f"not JSON: {what}, character {error.pos + 1} (found {shorten(line.decode().strip())})"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(row, dict):
        return f"not a JSON object (found {shorten(row)})"
    return next((wrong for name in text if (wrong := _wrong_shape(name, row.get(name), shapes))), None)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; write null")


def _wrong_shape(name: str, value: object, shapes: dict[str, str]) -> str | None:
    """What is wrong with a text column's value, given what the column held before."""
    shape = _shape(value)
    expected = shapes.get(name, "")
    if shape in ("number", "boolean", "object") or "mixed" in shape:
        return f"column {name!r} holds type {shape} (found {shorten(value)}), not text"
    if expected.startswith(shape):
        return None
    if not shape.startswith(expected):
        return f"column {name!r} holds type {shape} (found {shorten(value)}) where earlier lines hold type {expected}"
    shapes[name] = shape
    return None


def _shape(value: object) -> str:
    """A value's type in words; empty for null. The words of an empty list begin those of every list."""
    if isinstance(value, list):
        inner = {_shape(item) for item in value} - {""}
        return f"list of {inner.pop()}" if len(inner) == 1 else "list of mixed types" if inner else "list"
    names = {str: "text", bool: "boolean", int: "number", float: "number", dict: "object"}
    return names.get(type(value), "")
