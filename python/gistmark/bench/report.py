"""The comparison as text: one line a peer, then every row that differs with both values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gistmark.bench.compare import Difference, Result, rows_of
from gistmark.studies.markdown import lines

SHOWN = 10
"""Rows of a peer that are shown with their values; further ones are named."""

NAMED = 200
"""Rows that are named; further ones are counted."""

HEADINGS = ("peer", "version", "rows", "differ", "peer, rows/s", "gistmark, rows/s", "ratio")


def render(results: Sequence[Result]) -> str:
    """A table of agreement and speed, the rows that differ, and the signature each peer was compared with."""
    rows = [HEADINGS, *(_cells(result) for result in results)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEADINGS))]
    table = [_align(row, widths) for row in rows]
    found = [text for result in results for text in _differing(result)]
    return "\n".join([*table, *found, "", *dict.fromkeys(_signature(result) for result in results)])


def as_page(results: Sequence[Result]) -> str:
    """The same as a page of Markdown."""
    table = lines([HEADINGS, ["---"] * len(HEADINGS), *(_cells(result) for result in results)])
    return "\n\n".join([table, *(text for result in results for text in _differing(result) if text)])


def _cells(result: Result) -> tuple[str, ...]:
    differ = sum(1 for _ in rows_of(result.differences))
    rates = f"{result.other:,.0f}", f"{result.gistmark:,.0f}"
    return (result.peer.name, result.peer.version or "-", f"{result.rows}", f"{differ}", *rates, f"{result.ratio:.1f}x")


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    left = [f"{cell:<{width}}" for cell, width in zip(cells[:2], widths[:2], strict=True)]
    right = [f"{cell:>{width}}" for cell, width in zip(cells[2:], widths[2:], strict=True)]
    return "  ".join([*left, *right])


def _differing(result: Result) -> Iterator[str]:
    """The rows that differ: the first with their values, then numbers alone, then how many more."""
    rows = list(rows_of(result.differences))
    if not rows:
        return
    shown = set(rows[:SHOWN])
    yield ""
    for difference in result.differences:
        if difference.row in shown:
            yield one(difference)
    if rows[SHOWN:]:
        named, more = rows[SHOWN:NAMED], len(rows[NAMED:])
        rest = f" and {more} more" if more else ""
        yield f"{result.peer.name}, rows {', '.join(map(str, named))}{rest} differ too"


def one(difference: Difference) -> str:
    """A value that differs, in words."""
    return (
        f"{difference.peer}, row {difference.row}: {difference.field} is {_value(difference.gistmark)} here, "
        f"{_value(difference.other)} there"
    )


def _value(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _signature(result: Result) -> str:
    peer = result.peer
    within = f" within {peer.tolerance:g}" if peer.tolerance else ""
    return f"{peer.name} = {peer.metric.signature}{within}"
