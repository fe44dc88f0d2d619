"""Lists in CSV: a JSON list in the cell, both ways."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path

import polars as pl

from gistmark_engine.errors import shorten

SURROGATE = re.compile(r"[\ud800-\udfff]")

PEEK = 1000


def scan(paths: list[Path], text: Collection[str]) -> pl.LazyFrame:
    """CSV files as a lazy frame of strings, columns of JSON lists as lists of strings.

    A column in `text` that begins with a JSON list of anything else cannot be read; other columns keep such cells.
    Every cell is a string, so that `007` stays `007`. An empty cell is null, a quoted empty cell ("") an empty string.
    """
    frame = pl.scan_csv(paths, infer_schema=False, glob=False)
    return frame.with_columns(
        pl.col(name).map_batches(_decode_all, return_dtype=pl.List(pl.String), is_elementwise=True)
        for name in list_columns(frame, text)
    )


def list_columns(frame: pl.LazyFrame, text: Collection[str]) -> list[str]:
    """The columns whose first cell that is not empty holds a JSON list: of strings, or in `text` of anything."""
    head = frame.head(PEEK).collect()
    firsts = {name: head[name].filter(head[name] != "").head(1).to_list() for name in head.columns}
    return [name for name, cells in firsts.items() if cells and begins_lists(cells[0], strict=name in text)]


def begins_lists(cell: str, *, strict: bool) -> bool:
    """Whether a column that begins with this cell holds lists; `strict`: also if it is a list of other than strings."""
    return is_list(cell) or (strict and isinstance(_json(cell), list))


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
