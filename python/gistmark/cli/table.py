"""The end table as text: fields down, groups across, how many values each number stands on, the signatures below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

ACROSS = 8
"""Groups side by side; further ones start a new block."""

Line = tuple[str, list[str]]
Row = dict[str, Any]
Key = tuple[str, str, str, str | None]


def render(summary: pl.DataFrame, by: str | None) -> str:
    """A frame of `gistmark.summarise` as aligned text.

    Under the statistics of fields that stand on the same counts come those counts: n values and n_null nulls. Levels
    of an enum that never occur are left out.
    """
    by_group: dict[object, list[Row]] = {}
    for row in summary.iter_rows(named=True):
        by_group.setdefault(row[by] if by else "all", []).append(row)
    groups = list(by_group)
    starts = range(0, len(groups), ACROSS)
    blocks = [_block({group: by_group[group] for group in groups[start : start + ACROSS]}) for start in starts]
    signatures = dict.fromkeys(summary["signature"].to_list())
    return "\n\n".join([*blocks, "\n".join(signatures)])


def _block(by_group: Mapping[object, Sequence[Row]]) -> str:
    """The lines of some groups, every column as wide as its widest cell."""
    lines: list[Line] = [("", [str(group) for group in by_group]), *_lines(by_group)]
    label = max(len(name) for name, _ in lines)
    widths = [max(len(cells[at]) for _, cells in lines if cells) for at in range(len(by_group))]
    return "\n".join(
        f"{name:<{label}}  {'  '.join(f'{cell:>{width}}' for cell, width in zip(cells, widths, strict=False))}".rstrip()
        for name, cells in lines
    )


def _lines(by_group: Mapping[object, Sequence[Row]]) -> Iterator[Line]:
    """A heading for each metric, a line for each statistic, and two for the counts it stands on."""
    cells = [{_key(row): row for row in rows} for rows in by_group.values()]
    keys = [key for key in dict.fromkeys(key for group in cells for key in group) if _occurs(key, cells)]
    for metric, of_metric in groupby(keys, key=lambda key: key[0]):
        yield metric, []
        for counts, same in groupby(of_metric, key=lambda key: [_counts(group.get(key)) for group in cells]):
            for key in same:
                yield _label(key), [_number(group.get(key)) for group in cells]
            yield "    n", [n for n, _ in counts]
            yield "    n_null", [n_null for _, n_null in counts]


def _key(row: Row) -> Key:
    return row["metric"], row["field"], row["statistic"], row["level"]


def _occurs(key: Key, cells: Sequence[Mapping[Key, Row]]) -> bool:
    """Whether a line says anything: all do but those of an enum's level that no row has."""
    return key[3] in (None, "true", "false") or any(group[key]["value"] for group in cells if key in group)


def _label(key: Key) -> str:
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
