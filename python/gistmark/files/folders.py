"""Partitioned folders: what the names of folders say about the rows below them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import polars as pl

NULL = "__HIVE_DEFAULT_PARTITION__"


def scan(root: Path) -> Callable[[Path], pl.LazyFrame]:
    """Opens a Parquet file below `root` with its folders' values as further columns of text."""

    def scan_file(path: Path) -> pl.LazyFrame:
        frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        own = frame.collect_schema().names()
        said = {name: value for name, value in values(path.relative_to(root)).items() if name not in own}
        return frame.with_columns(pl.lit(value, pl.String).alias(name) for name, value in said.items())

    return scan_file


def values(path: Path) -> dict[str, str | None]:
    """Name → value of every folder `name=value` on the way to a file."""
    pairs = [part.partition("=") for part in path.parent.parts if "=" in part]
    return {unquote(name): None if value == NULL else unquote(value) for name, _, value in pairs}
