"""The end table as text: fields down, groups across, how many values each number stands on, the signatures below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import polars as pl

ACROSS = 8
"""Groups side by side; further ones start a new block."""

Line = tuple[str, list[str]]
Row = dict[str, Any]


def render(summary: pl.DataFrame, by: str | None) -> str:
    """A frame of `gistmark.summarise` as aligned text.

    Under the statistics of fields that stand on the same counts come those counts: n values and n_null nulls. Levels
    of an enum that never occur are left out.
    """
    groups = summary[by].unique(maintain_order=True).to_list() if by else ["all"]
    rows = [row | {"group": row[by] if by else "all"} for row in summary.iter_rows(named=True)]
    blocks = [_block(rows, groups[start : start + ACROSS]) for start in range(0, len(groups), ACROSS)]
    signatures = dict.fromkeys(summary["signature"].to_list())
    return "\n\n".join([*blocks, "\n".join(signatures)])


def _block(rows: Sequence[Row], groups: Sequence[object]) -> str:
    """The lines of some groups, every column as wide as its widest cell."""
    head: Line = ("", [str(group) for group in groups])
    lines = [head, *_lines([row for row in rows if row["group"] in groups], groups)]
    label = max(len(name) for name, _ in lines)
    widths = [max(len(cells[at]) for _, cells in lines if cells) for at in range(len(groups))]
    return "\n".join(
        f"{name:<{label}}  {'  '.join(f'{cell:>{width}}' for cell, width in zip(cells, widths, strict=False))}".rstrip()
        for name, cells in lines
    )


def _lines(rows: Sequence[Row], groups: Sequence[object]) -> Iterator[Line]:
    """A heading for each metric, a line for each statistic, and two for the counts it stands on."""
    cells = {(row["group"], *_key(row)): row for row in rows}
    keys = [key for key in dict.fromkeys(_key(row) for row in rows) if _occurs(key, cells, groups)]
    for metric, of_metric in groupby(keys, key=lambda key: key[0]):
        yield metric, []
        for counts, same in groupby(of_metric, key=lambda key: [_counts(cells.get((g, *key))) for g in groups]):
            for key in same:
                yield _label(key), [_number(cells.get((group, *key))) for group in groups]
            yield "    n", [n for n, _ in counts]
            yield "    n_null", [n_null for _, n_null in counts]


def _key(row: Row) -> tuple[str, str, str, str | None]:
    return row["metric"], row["field"], row["statistic"], row["level"]


def _occurs(key: tuple[str, str, str, str | None], cells: dict[Any, Row], groups: Sequence[object]) -> bool:
    """Whether a line says anything: all do but those of a level that no row has."""
    found = [cells[group, *key]["value"] for group in groups if (group, *key) in cells]
    return key[3] is None or any(found) or key[3] == "true"


def _label(key: tuple[str, str, str, str | None]) -> str:
    _, field, statistic, level = key
    return f"  {field} {statistic}" if level is None else f"  {field} {statistic} of {level}"


def _counts(row: Row | None) -> tuple[str, str]:
    return ("-", "-") if row is None else (str(row["n"]), str(row["n_null"]))


def _number(row: Row | None) -> str:
    """Four decimals, or six figures where the number is large; a dash for null."""
    value = None if row is None else row["value"]
    if value is None:
        return "-"
    return f"{value:.4f}" if abs(value) < 1000 else f"{value:.6g}"
