"""JSON lines: read by Polars, checked strictly, and a bad line found by its number.

Polars names no line in its errors, turns values of several types into those of one (a number among strings into a
string, a number among lists into a list), and does not keep the order of columns in large files. So every column is
checked once more by Arrow's reader, which is strict, and only when one of the two objects are the lines gone through
one by one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import polars as pl
import pyarrow as pa
import pyarrow.json

from gistmark.files.raw import open_bytes, shown, spool
from gistmark.files.shapes import Shapes, wrong_shape
from gistmark.files.skipped import Skipped
from gistmark_engine.errors import InputError, shorten

BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 24
PEEK = 1000
ARROW_TYPES = {
    pl.String(): pa.string(),
    pl.Boolean(): pa.bool_(),
    pl.Int64(): pa.int64(),
    pl.Float64(): pa.float64(),
    pl.Null(): pa.null(),
}
TEXTS = (pa.string(), pa.list_(pa.string()), pa.list_(pa.null()), pa.null())


def scan(path: Path, text: Collection[str]) -> pl.LazyFrame:
    """The file as a lazy frame, its schema taken from all lines; columns hold values of one type, those in `text` texts
    or lists of texts.

    Raises `InputError` with the number of the first line that cannot be read.
    """
    if starts_with_bom(path):
        path = spool(_lines(path), shown(path))
    try:
        frame = pl.scan_ndjson(path, infer_schema_length=None)
        schema = frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(first_problem(path, text) or f"{shown(path)}: {error}") from error
    if not _strict(path, schema, text):
        found = first_problem(path, text)
        if found:
            raise InputError(found)
    return frame.select(_in_order(path, schema))


def keep_readable(path: Path, text: Collection[str]) -> tuple[Path, list[Skipped]]:
    """A temporary copy of the lines that can be read, and what is wrong with each of the others.

    Raises `InputError` when no line can be read.
    """
    problems: list[Skipped] = []

    def readable() -> Iterator[bytes]:
        shapes: Shapes = {}
        for number, line in enumerate(_lines(path), 1):
            problem = _problem(line, text, shapes)
            if problem:
                problems.append(Skipped(f"{shown(path)}, line {number}", problem))
            elif line.strip():
                yield line if line.endswith(b"\n") else line + b"\n"

    copy = spool(readable(), shown(path))
    if not copy.stat().st_size:
        raise InputError(f"{shown(path)}: no line can be read" + (f"; the first: {problems[0]}" if problems else ""))
    return copy, problems


def first_problem(path: Path, text: Collection[str]) -> str | None:
    """File, number and fault of the first line that cannot be read, or None."""
    shapes: Shapes = {}
    blank = True
    for number, line in enumerate(_lines(path), 1):
        problem = _problem(line, text, shapes)
        if problem:
            return f"{shown(path)}, line {number}: {problem}"
        blank = blank and not line.strip()
    return f"{shown(path)}: there is no line" if blank else None


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


def _strict(path: Path, schema: pl.Schema, text: Collection[str]) -> bool:
    """Whether every value has, before any conversion, the type Polars gave its column; False where that is not sure."""
    kinds = {name: _arrow_type(kind) for name, kind in schema.items()}
    if any(kind is None for kind in kinds.values()) or any(kinds[name] not in TEXTS for name in text if name in kinds):
        return False
    parse = pyarrow.json.ParseOptions(explicit_schema=pa.schema(list(kinds.items())), unexpected_field_behavior="error")
    try:
        for _ in pyarrow.json.open_json(path, pyarrow.json.ReadOptions(block_size=BLOCK), parse):
            pass
    except (pa.ArrowException, OSError):
        return False
    return True


def _arrow_type(kind: pl.DataType) -> pa.DataType | None:
    """The type under which Arrow's reader takes nothing but such values; None where there is none."""
    if isinstance(kind, pl.List):
        inner = _arrow_type(kind.inner)  # type: ignore[arg-type]
        return None if inner is None else pa.list_(inner)
    if isinstance(kind, pl.Struct):
        fields = [(field.name, _arrow_type(field.dtype)) for field in kind.fields]  # type: ignore[arg-type]
        return None if any(inner is None for _, inner in fields) else pa.struct(fields)
    return ARROW_TYPES.get(kind)


def _problem(line: bytes, text: Collection[str], shapes: Shapes) -> str | None:
    """What is wrong with a line, or None; see `wrong_shape`."""
    if not line.strip():
        return None
    try:
        row = json.loads(line.decode(), parse_constant=_no_number, object_pairs_hook=distinct)
        if b"\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        return f"invalid UTF-8 at byte {error.start + 1} of the line (found {shorten(line[error.start : error.end])})"
    except UnicodeEncodeError:
        return "half a surrogate pair, which is no character"
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        return f"not JSON: {what}, character {error.pos + 1} (found {shorten(line.decode().strip())})"
    except RecursionError as error:
        return f"not JSON: {error}"
    except ValueError as error:
        return str(error)
    if not isinstance(row, dict):
        return f"not a JSON object (found {shorten(row)})"
    return wrong_shape(row, text, shapes)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"not JSON: {name} is no JSON number; write null")


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as `json.loads` hands it over; ValueError for a key that occurs twice, of which readers keep either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} occurs twice in one object")
    return found
