"""How a command prints what it found: as which format, or not at all."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import polars as pl

from gistmark import tables
from gistmark.cli.table import group_label, number
from gistmark.corrections import ADJUSTED
from gistmark.tables import FORMATS, Table
from gistmark_engine.metric import Metric

SIGNIFICANT = ((0.01, "‡"), (0.05, "†"))
"""Marks of a difference to the baseline, by the p below which they stand."""
MARKED = f"Difference to the baseline: {', '.join(f'{mark} p < {below}' for below, mark in reversed(SIGNIFICANT))}."

Row = dict[str, Any]


def add_to(parser: argparse.ArgumentParser, *, text: bool = False, quiet: bool = True) -> Any:
    """The options that choose; returns their group, of which only one can be given. `text`: there is a format of that name."""
    chosen = parser.add_mutually_exclusive_group()
    forms = ("text", *FORMATS) if text else FORMATS
    chosen.add_argument("--format", choices=forms, default=forms[0], help="of the printed table; default: %(default)s")
    if quiet:
        chosen.add_argument("--quiet", action="store_true", help="print nothing")
    return chosen


def show(page: str, options: argparse.Namespace) -> None:
    """Print a page of Markdown in the format asked for, unless nothing is."""
    if not options.quiet:
        print(page if options.format == "markdown" else tables.page(page, options.format), end="")


def emphasised(text: str, stream: TextIO) -> str:
    """The headings of an end table bold, if they go to a terminal that may have it so (see https://no-color.org)."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return "\n".join(f"\033[1m{line}\033[0m" if line and line[0] not in " |" else line for line in text.split("\n"))


def wide(
    found: pl.DataFrame, by: Sequence[str], metrics: Sequence[Metric], form: str, notes: Sequence[str] = ()
) -> str:
    """A frame of `gistmark.summarise` or `gistmark.compare` as a table a metric: groups down, fields across.

    Means, medians and corpus scores alone, with their intervals if there are any, the best of a column marked, and
    differences to a baseline by their corrected p; `notes` go below. CSV is the frame as it is.
    """
    if form == "csv":
        return found.write_csv().rstrip("\n")
    better = {name: spec.better for one in metrics for name, spec in one.columns.items() if spec.better}
    rows = [row for row in found.iter_rows(named=True) if row["statistic"] in ("mean", "median", "corpus")]
    names = dict.fromkeys(row["metric"] for row in rows)
    made = [tables.marked(_table(name, [row for row in rows if row["metric"] == name], by), better) for name in names]
    write = tables.latex if form == "latex" else tables.markdown
    notes = [*notes, *dict.fromkeys(f"`{text}`" for text in found["signature"])]
    return "\n\n".join([*map(write, made), *(note if form == "markdown" else f"% {note.strip('`')}" for note in notes)])


def _table(metric: str, rows: Sequence[Row], by: Sequence[str]) -> Table:
    """One metric's cells."""
    heads = list(dict.fromkeys(f"{row['field']} {row['statistic']}" for row in rows))
    groups: dict[str, dict[str, str]] = {}
    for row in rows:
        groups.setdefault(group_label(row, by), {})[f"{row['field']} {row['statistic']}"] = _cell(row)
    lines = [[name, *(cells.get(head, "–") for head in heads)] for name, cells in groups.items()]
    return Table(metric, [", ".join(by), *heads], lines)


def _cell(row: Mapping[str, Any]) -> str:
    """A number with the mark of its difference, and its interval."""
    if row["value"] is None:
        return "–"
    p = row.get(ADJUSTED)
    mark = next((mark for below, mark in SIGNIFICANT if p is not None and p < below), "")
    interval = f" [{number(row['low'])}, {number(row['high'])}]" if row.get("low") is not None else ""
    return f"{number(row['value'])}{mark}{interval}"


def legend(correction: str, family: str, method: str, replicates: int) -> str:
    """What p of a comparison is."""
    after = {"holm": "after Holm", "bh": "after Benjamini and Hochberg", "none": "not corrected"}[correction]
    over = "" if correction == "none" else f" over {'all of them' if family == 'all' else 'the systems of a field'}"
    return f"p: {method}, {replicates} replicates, {after}{over}."
