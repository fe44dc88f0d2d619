"""Lists in CSV: a JSON list in the cell, both ways."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from gistmark.files.raw import open_bytes
from gistmark_engine.errors import InputError, shorten

SURROGATE = re.compile(r"[\ud800-\udfff]")
LIKE_A_LIST = r"^\s*\["
BOM = b"\xef\xbb\xbf"


def scan(paths: Sequence[Path], references: str) -> pl.LazyFrame:
    """CSV files as a lazy frame of strings, columns of JSON lists as lists of strings.

    Every cell is a string, so that `007` stays `007`. An empty cell is null, a quoted empty cell ("") an empty string.
    The column `references` holds lists or texts by its first cell that is not empty; ValueError where others differ.
    """
    for path in paths:
        _check_header(path)
    frame, lists = _cells(paths), list_columns(paths, references)
    if references in frame.collect_schema() and references not in lists:
        like = frame.select(pl.col(references).filter(pl.col(references).str.contains(LIKE_A_LIST))).collect()
        if any(is_list(cell) for cell in like[references]):
            raise ValueError(f"{references}: a JSON list among texts")
    return frame.with_columns(
        pl.col(name).map_batches(_decode_all, return_dtype=pl.List(pl.String), is_elementwise=True) for name in lists
    )


def list_columns(paths: Sequence[Path], references: str) -> list[str]:
    """The columns of JSON lists: where no cell is anything else, or, for `references`, where the first cell is one."""
    frame = _cells(paths)
    found = frame.select(_looked_at(name) for name in frame.collect_schema().names()).collect()
    lists = []
    for name, cell in found.row(0, named=True).items():
        value = _json(cell["first"]) if cell["first"] else None
        if isinstance(value, list) if name == references else cell["no_list"] == 0 and _strings(value) is not None:
            lists.append(name)
    return lists


def _cells(paths: Sequence[Path]) -> pl.LazyFrame:
    return pl.scan_csv(list(paths), infer_schema=False, glob=False)


def _looked_at(name: str) -> pl.Expr:
    """Of a column's cells that are not empty, the first, and how many do not begin as a list does."""
    cells = pl.col(name).filter(pl.col(name) != "")
    no_list = (~cells.str.contains(LIKE_A_LIST)).sum()
    return pl.struct(cells.first().alias("first"), no_list.alias("no_list")).alias(name)


def _check_header(path: Path) -> None:
    """Raise `InputError` where two columns have one name, of which Polars would rename one."""
    with open_bytes(path) as stream:
        header = next(csv.reader(line.removeprefix(BOM).decode(errors="replace") for line in stream), [])
    for name in header:
        if header.count(name) > 1:
            raise InputError(f"{path}, line 1: {header.count(name)} columns are called so", column=name)


def is_list(cell: str) -> bool:
    """Whether a cell holds a JSON list of strings (or nulls)."""
    return _strings(_json(cell)) is not None


def decode(cell: str | None) -> list[str | None] | None:
    """The strings of a cell that holds a JSON list; null for an empty cell. Raises `ValueError` for anything else."""
    if not cell:
        return None
    found = _strings(_json(cell))
    if found is None:
        raise ValueError(f"not a JSON list of strings (found {shorten(cell)})")
    if any(item and not item.isascii() and SURROGATE.search(item) for item in found):
        raise ValueError(f"half a surrogate pair, which is no text (found {shorten(cell)})")
    return found


def encode(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every nested column as JSON text, ready for CSV."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return frame.with_columns(
        pl.Series(name, [_to_json(value) for value in frame[name].to_list()], dtype=pl.String) for name in nested
    )


def _strings(value: object) -> list[str | None] | None:
    """The value if it is a list of strings or nulls."""
    return value if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value) else None


def _json(cell: str) -> object:
    """What a cell holds as JSON; None if it is none."""
    try:
        return json.loads(cell)
    except (json.JSONDecodeError, RecursionError):
        return None


def _to_json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _decode_all(cells: pl.Series) -> pl.Series:
    return pl.Series(cells.name, [decode(cell) for cell in cells.to_list()], dtype=pl.List(pl.String))
