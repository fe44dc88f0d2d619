"""Frames as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def table(frame: pl.DataFrame, *, number: str = ".4f", null: str = "–") -> str:
    """A frame as a Markdown table: floats in the format `number`, nulls as `null`."""
    return lines([frame.columns, ["---"] * frame.width, *(_cells(row, number, null) for row in frame.iter_rows())])


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as the lines of a table."""
    return "\n".join("| " + " | ".join(_one_line(cell) for cell in cells) + " |" for cells in rows)


def _one_line(cell: str) -> str:
    """A cell that ends neither its line nor itself."""
    return " ".join(cell.split("\n")).replace("|", r"\|")


def _cells(row: Sequence[object], number: str, null: str) -> list[str]:
    return [
        null if value is None else format(value, number) if isinstance(value, float) else str(value) for value in row
    ]
