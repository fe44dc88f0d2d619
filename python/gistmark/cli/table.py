"""The end table as text: fields down, groups across, how many values each number stands on, the signatures below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from gistmark.corrections import ADJUSTED

ACROSS = 8
"""Groups side by side; further ones start a new block."""

Line = tuple[str, list[str]]
Row = dict[str, Any]
Key = tuple[str, str, str, str | None]
Cells = Sequence[Mapping[Key, Row]]


def render(summary: pl.DataFrame, by: Sequence[str] = ()) -> str:
    """A frame of `gistmark.summarise`, grouped by the columns `by`, as aligned text.

    Under the statistics of a metric come the counts they stand on: n values and n_null nulls, of most of its fields and
    then, by name, of those that differ. Left out are an enum's levels that never occur, and the share of flags not set.
    """
    by_group: dict[str, list[Row]] = {}
    for row in summary.iter_rows(named=True):
        by_group.setdefault(group_label(row, by), []).append(row)
    groups = list(by_group)
    starts = range(0, len(groups), ACROSS)
    blocks = [_block({group: by_group[group] for group in groups[start : start + ACROSS]}) for start in starts]
    signatures = dict.fromkeys(summary["signature"].to_list())
    return "\n\n".join([*blocks, "\n".join(signatures)])


def compared(found: pl.DataFrame, by: Sequence[str]) -> str:
    """A frame of `gistmark.compare` as aligned text: a heading a metric, under it every field system by system."""
    by_number: dict[tuple[str, str, str], list[Row]] = {}
    for row in found.iter_rows(named=True):
        by_number.setdefault((row["metric"], row["field"], row["statistic"]), []).append(row)
    lines: list[Line] = [("", ["value", "difference", "p", ADJUSTED, "n", "n_null"])]
    for metric, numbers in groupby(by_number.items(), key=lambda item: item[0][0]):
        lines.append((metric, []))
        for (_, field, statistic), rows in numbers:
            lines.append((f"  {field} {statistic}", []))
            lines += [(f"    {group_label(row, by)}", _differing(row)) for row in rows]
    return "\n".join([_aligned(lines), "", *dict.fromkeys(found["signature"])])


def _differing(row: Row) -> list[str]:
    difference = {"value": row["difference"], "low": row["difference_low"], "high": row["difference_high"]}
    numbers = number(row["p"]), number(row[ADJUSTED]), str(row["n"]), str(row["n_null"])
    return [_cell(row), _cell(difference), *numbers]


def group_label(row: Row, by: Sequence[str]) -> str:
    """What a group of rows is called: by its keys, without what would move a terminal's cursor; "all" without keys."""
    return ", ".join(_shown(row[key]) for key in by) if by else "all"


def _shown(key: object) -> str:
    """A key as text on one line; a null one apart from the text "None", an empty one apart from nothing."""
    if key is None or key == "":
        return "(null)" if key is None else "(empty)"
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(key))


def _block(by_group: Mapping[str, Sequence[Row]]) -> str:
    """The lines of some groups."""
    return _aligned([("", list(by_group)), *_lines(by_group)])


def _aligned(lines: Sequence[Line]) -> str:
    """Labels and cells in columns, the first line's cells as headings, every column as wide as its widest cell."""
    label = max(len(name) for name, _ in lines)
    widths = [max(len(cells[at]) for _, cells in lines if cells) for at in range(len(lines[0][1]))]
    return "\n".join(
        f"{name:<{label}}  {'  '.join(f'{cell:>{width}}' for cell, width in zip(cells, widths, strict=False))}".rstrip()
        for name, cells in lines
    )


def _lines(by_group: Mapping[str, Sequence[Row]]) -> Iterator[Line]:
    """A heading for each metric, a line for each statistic, and the counts that these stand on."""
    cells = [{_key(row): row for row in rows} for rows in by_group.values()]
    keys = [key for key in dict.fromkeys(key for group in cells for key in group) if _occurs(key, cells)]
    for metric, of_metric in groupby(keys, key=lambda key: key[0]):
        same = list(of_metric)
        yield metric, []
        yield from _alarm(metric, cells)
        for key in same:
            yield _label(key), [_cell(group.get(key)) for group in cells]
        yield from _count_lines(same, cells)


def _alarm(metric: str, cells: Cells) -> Iterator[Line]:
    """A line that marks a metric of which too many of a group's rows have no or only part of an answer."""
    rows = [next((row for key, row in group.items() if key[0] == metric), None) for group in cells]
    if any(row and row["marked"] for row in rows):
        rates = [None if row is None else row["failure_rate"] for row in rows]
        yield "  ! failed or truncated", ["-" if rate is None else f"{100 * rate:.1f}%" for rate in rates]


def _count_lines(keys: Sequence[Key], cells: Cells) -> Iterator[Line]:
    """Values and nulls behind most fields of a metric, then those behind each set of fields that has others."""
    fields: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for key in keys:
        names = fields.setdefault(tuple(_counts(group.get(key)) for group in cells), [])
        names += [key[1]] if key[1] not in names else []
    for place, (counts, names) in enumerate(sorted(fields.items(), key=lambda item: -len(item[1]))):
        of = f" of {', '.join(names)}" if place else ""
        yield f"  n{of}", [n for n, _ in counts]
        yield f"  n_null{of}", [n_null for _, n_null in counts]


def _key(row: Row) -> Key:
    return row["metric"], row["field"], row["statistic"], row["level"]


def _occurs(key: Key, cells: Cells) -> bool:
    """Whether a line says anything new: not a level that no row has, nor the share of a flag that is not set."""
    level = key[3]
    return level in (None, "true") or (level != "false" and any(group[key]["value"] for group in cells if key in group))


def _label(key: Key) -> str:
    _, field, statistic, level = key
    return f"  {field} {statistic}" if level is None else f"  {field} {statistic} of {level}"


def _counts(row: Row | None) -> tuple[str, str]:
    return ("-", "-") if row is None else (str(row["n"]), str(row["n_null"]))


def _cell(row: Row | None) -> str:
    """A number, with its interval where it has one; a dash for null."""
    if row is None:
        return "-"
    if row.get("low") is None:
        return number(row["value"])
    return f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"


def number(value: float | None) -> str:
    """Four decimals, or six figures where the number is large; a dash for null."""
    if value is None:
        return "-"
    return f"{value:.4f}" if abs(value) < 1000 else f"{value:.6g}"
