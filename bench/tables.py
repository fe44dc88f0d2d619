"""Markdown tables, and figures as they stand in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(title: str, note: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A section with a table whose first column is text and whose others are figures."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"### {title}\n\n{note}\n\n{body}\n"


def times(value: float) -> str:
    """How many times as fast."""
    return f"{value:,.0f}x" if value >= 100 else f"{value:.1f}x"


def micro(seconds: float) -> str:
    """Seconds as microseconds."""
    return f"{seconds * 1e6:,.2f} µs"


def nano(seconds: float) -> str:
    """Seconds as nanoseconds."""
    return f"{seconds * 1e9:,.1f} ns"
