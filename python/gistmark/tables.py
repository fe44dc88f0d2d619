"""Pages of tables in the formats of papers: a page is written once, as Markdown, and read from there for the others."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from gistmark.catalogue import catalogue

Format = Literal["markdown", "latex", "csv"]
FORMATS: tuple[Format, ...] = ("markdown", "latex", "csv")

_ESCAPED = {
    **{char: "\\" + char for char in "&%$#_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "°": r"$^\circ$",
    "ρ": r"$\rho$", "α": r"$\alpha$", "τ": r"$\tau$", "κ": r"$\kappa$", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    "≥": r"$\geq$", "≤": r"$\leq$", "−": "$-$", "≈": r"$\approx$", "<": "$<$", ">": "$>$",
    "†": r"$^\dagger$", "‡": r"$^\ddagger$",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, under a heading; `best` holds the places (line, column) to be marked."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]] = frozenset()


def page(text: str, form: Format) -> str:
    """A page of Markdown in another format, the best value of every column marked whose field says what is better.

    Markdown keeps all text; LaTeX has the tables (for the package booktabs), text as comments; CSV has the tables, unmarked,
    with an empty line between.
    """
    parts = [marked(part) if isinstance(part, Table) else part for part in _parts(text)]
    if form == "markdown":
        return "\n\n".join(part if isinstance(part, str) else markdown(part) for part in parts) + "\n"
    if form == "latex":
        return "\n\n".join(_comment(part) if isinstance(part, str) else latex(part) for part in parts) + "\n"
    return "\n".join(_csv(part) for part in parts if isinstance(part, Table))


def marked(table: Table, directions: Mapping[str, str] | None = None) -> Table:
    """The table with the best values of its columns marked; `directions` says which fields beside ours are better how."""
    known = _directions() | dict(directions or {})
    best: set[tuple[int, int]] = set()
    for at, name in enumerate(table.head):
        values = [_leading(line[at]) for line in table.lines]
        there = [value for value in values if value is not None]
        if name.split(" ")[0] in known and len(there) > 1:
            top = (max if known[name.split(" ")[0]] == "higher" else min)(there)
            best |= {(line, at) for line, value in enumerate(values) if value == top}
    return replace(table, best=frozenset(best))


def markdown(table: Table) -> str:
    """The table in Markdown, the best values bold."""
    bold = [[f"**{cell}**" if (i, j) in table.best else cell for j, cell in enumerate(row)] for i, row in _each(table)]
    rows = [table.head, ["---"] * len(table.head), *bold]
    lines = "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)
    return f"## {table.title}\n\n{lines}" if table.title else lines


def latex(table: Table) -> str:
    """The table for LaTeX with booktabs, the best values bold."""
    rows = [[_tex(cell, (i, j) in table.best) for j, cell in enumerate(row)] for i, row in _each(table)]
    numeric = [
        all(_leading(row[at]) is not None or row[at] in "–-" for row in table.lines) for at in range(len(table.head))
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{_tex(table.title)}}}"] if table.title else []),
        rf"\begin{{tabular}}{{{''.join('r' if each else 'l' for each in numeric)}}}",
        r"\toprule",
        " & ".join(_tex(name) for name in table.head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _parts(text: str) -> list[Table | str]:
    """Tables, each with the heading above it, and what stands between them."""
    parts: list[Table | str] = []
    for block in re.split(r"\n{2,}", text.strip("\n")):
        rows = block.split("\n")
        if not (len(rows) > 1 and all(row.startswith("|") for row in rows)):
            parts.append(block)
            continue
        title = str(parts.pop()).lstrip("# ") if parts and str(parts[-1]).startswith("##") else ""
        head, _, *lines = [_cells(row) for row in rows]
        parts.append(Table(title, head, lines))
    return parts


def _cells(row: str) -> list[str]:
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def _each(table: Table) -> list[tuple[int, Sequence[str]]]:
    return list(enumerate(table.lines))


def _leading(cell: str) -> float | None:
    """The number that a cell starts with, whatever comes after it."""
    found = re.match(r"[-−+]?\d+(\.\d+)?(e[-+]?\d+)?(?![\w.])", cell)
    return float(found[0].replace("−", "-")) if found else None


def _tex(text: str, bold: bool = False) -> str:
    escaped = "".join(_ESCAPED.get(char, char) for char in text)
    return rf"\textbf{{{escaped}}}" if bold else escaped


def _comment(text: str) -> str:
    return "\n".join(f"% {line}" for line in text.split("\n"))


def _csv(table: Table) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([table.head, *table.lines])
    return target.getvalue()


@cache
def _directions() -> dict[str, str]:
    """What is better, by the name of a field of ours; where neither is, it is not there."""
    return {
        name: spec.better for metric in catalogue().values() for name, spec in metric.columns.items() if spec.better
    }
