"""Frames as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def table(frame: pl.DataFrame) -> str:
    """A frame as a Markdown table."""
    lines = [frame.columns, ["---"] * frame.width, *(_cells(row) for row in frame.iter_rows())]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _cells(row: Sequence[object]) -> list[str]:
    """A row's values: four decimals, a dash for null."""
    return ["–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value) for value in row]
