"""Pictures for notebooks: what a summary copies from its source.

The figures of studies are functions beside them that return matplotlib figures (extra `studies`; see docs/report.md):
`gistmark.studies.robustness_figures`, `preference_figures`, `abstraction_figures`, `human_figures`.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from gistmark.spans import ORDERS, Fragment, Marks, Span, marks
from gistmark_engine.errors import InputError, OptionError

_DEPTHS = ((5, 0.75), (2, 0.45), (1, 0.18))
"""Tokens of a run, and how deep its colour is from there on."""


@dataclass(frozen=True, slots=True)
class Fragments:
    """A summary beside its source, copied runs and new n-grams marked; notebooks show it as HTML."""

    summary: str
    source: str
    marks: Marks
    order: int

    def _repr_html_(self) -> str:
        runs = self.marks.fragments
        texts = (
            ("summary", self.summary, [(one.summary, one) for one in runs], self.marks.novel[self.order]),
            ("source", self.source, [(one.source, one) for one in runs], ()),
        )
        panes = "".join(f"<div style='flex:1;min-width:18em'>{_pane(*text)}</div>" for text in texts)
        return f"<div style='display:flex;flex-wrap:wrap;gap:1.5em;line-height:1.6'>{panes}</div>"


def fragments(row: Mapping[str, Any] | pl.DataFrame, order: int = 1) -> Fragments:
    """The copied fragments of one pair, for a notebook to show: those behind `coverage` and `density` of `datastats`.

    row    a mapping with the texts `summary` and `source`, such as `frame.row(0, named=True)`, or a table of one row
    order  1, 2 or 3: n-grams that the source lacks are underlined in the summary

    Deeper colour: a longer run. Raises InputError for a row without the two texts.
    """
    if order not in ORDERS:
        raise OptionError(f"order must be one of {', '.join(map(str, ORDERS))}, not {order!r}")
    if isinstance(row, pl.DataFrame):
        if row.height != 1:
            raise InputError(f"one row is shown at a time, and this table has {row.height}")
        row = row.row(0, named=True)
    summary, source = (_text(row, role) for role in ("summary", "source"))
    return Fragments(summary, source, marks(summary, source), order)


def _text(row: Mapping[str, Any], role: str) -> str:
    text = row.get(role)
    if not isinstance(text, str):
        raise InputError("fragments are those of a text, and there is none", column=role, value=text)
    return text


def _pane(title: str, text: str, runs: Sequence[tuple[Span, Fragment]], new: Sequence[Span]) -> str:
    """A text cut at every border of a run or a new part; where runs overlap in the source, the longest shows."""
    borders = sorted({0, len(text), *(at for span, _ in runs for at in span), *(at for span in new for at in span)})
    ordered = sorted(runs, key=lambda run: -run[1].tokens)
    pieces = []
    for start, stop in pairwise(borders):
        piece = html.escape(text[start:stop])
        if any(a <= start and stop <= b for a, b in new):
            piece = f"<span style='text-decoration:underline 2px #0a7f5a'>{piece}</span>"
        run = next((one for (a, b), one in ordered if a <= start and stop <= b), None)
        pieces.append(_coloured(piece, run.tokens) if run else piece)
    body = "".join(pieces)
    return f"<b>{title}</b><div dir='auto' style='white-space:pre-wrap;unicode-bidi:isolate'>{body}</div>"


def _coloured(piece: str, tokens: int) -> str:
    depth = next(depth for least, depth in _DEPTHS if tokens >= least)
    unit = "token" if tokens == 1 else "tokens"
    return f"<span title='{tokens} {unit}' style='background:rgba(247,201,72,{depth})'>{piece}</span>"
