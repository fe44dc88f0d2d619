"""The rows that a report can be leafed through, as one JSON object for the page's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from gistmark.report.columns import Column
from gistmark.spans import Span, marks

LISTS = pl.List(pl.String)
ROW = "gistmark row"


def browsable(frame: pl.DataFrame, limit: int, pair: str | None) -> pl.DataFrame:
    """At most `limit` rows, evenly taken over the table; documents stay whole, where `pair` names them."""
    if frame.height <= limit:
        return frame
    if pair is None:
        return frame[_even(frame.height, limit)]
    documents = frame[pair].unique(maintain_order=True)
    chosen = documents[_even(len(documents), limit * len(documents) // frame.height)]
    return frame.filter(pl.col(pair).is_in(chosen.implode()))


def _even(rows: int, wanted: int) -> list[int]:
    """So many places, evenly taken."""
    return [at * rows // wanted for at in range(wanted)]


def payload(frame: pl.DataFrame, columns: Sequence[Column], by: str | None, pair: str | None) -> dict[str, Any]:
    """What the page's script reads: every text once, numbers by column, and by row what to mark.

    frame  has a column `ROW`, the place in the whole table
    """
    texts = _Texts()
    scores = [column for column in columns if column.statistic]
    levels = [column for column in columns if column.spec.levels]
    lists = [column.name for column in columns if frame.schema[column.name] == LISTS]
    return {
        "row": frame[ROW].to_list(),
        "group": [] if by is None else frame[by].cast(pl.String).to_list(),
        "document": [] if pair is None or pair == "source" else frame[pair].cast(pl.String).to_list(),
        "summary": [texts.add(text) for text in _text(frame, "summary")],
        "source": [texts.add(text) for text in _text(frame, "source")],
        "references": [[texts.add(text) for text in each] for each in _references(frame)],
        "scores": {column.name: _numbers(frame[column.name]) for column in scores},
        "better": {column.name: column.spec.better for column in scores},
        "metric": {column.name: column.owner for column in scores},
        "levels": {column.name: frame[column.name].cast(pl.String).to_list() for column in levels},
        "lists": {name: frame[name].to_list() for name in lists},
        "marks": [_marks(*pair) for pair in zip(_text(frame, "summary"), _text(frame, "source"), strict=True)],
        "texts": texts.all,
    }


class _Texts:
    """Texts by number, each kept once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}

    def add(self, text: str | None) -> int | None:
        if text is None:
            return None
        if text not in self._numbers:
            self._numbers[text] = len(self.all)
            self.all.append(text)
        return self._numbers[text]


def _text(frame: pl.DataFrame, role: str) -> list[str | None]:
    """A role's texts, tokens or sentences with spaces between; None in every row where there is no such column."""
    kind = frame.schema.get(role)
    if kind == LISTS:
        return frame[role].list.join(" ").to_list()
    return frame[role].to_list() if kind == pl.String else [None] * frame.height


def _references(frame: pl.DataFrame) -> list[list[str | None]]:
    """The references of every row as a list."""
    kind = frame.schema.get("references")
    if kind == pl.String:
        return [[text] for text in frame["references"]]
    if kind != LISTS:
        return [[] for _ in range(frame.height)]
    return [list(each) if each is not None else [] for each in frame["references"]]


def _numbers(values: pl.Series) -> list[float | None]:
    """Six significant figures, which is what a reader sees."""
    return [None if value is None else float(f"{value:.6g}") for value in values]


def _marks(summary: str | None, source: str | None) -> Mapping[str, Any]:
    """Places in UTF-16 units, as the script counts: fragments as [summary start, stop, source start, stop, tokens]."""
    if summary is None or source is None:
        return {"fragments": [], "novel": {}}
    found, ours, theirs = marks(summary, source), _Units(summary), _Units(source)
    return {
        "fragments": [[*ours.of(one.summary), *theirs.of(one.source), one.tokens] for one in found.fragments],
        "novel": {order: [ours.of(span) for span in spans] for order, spans in found.novel.items()},
    }


class _Units:
    """A text's character positions as positions in UTF-16."""

    def __init__(self, text: str) -> None:
        self._beyond = [at for at, char in enumerate(text) if ord(char) > 0xFFFF]

    def of(self, span: Span) -> list[int]:
        return [at + sum(place < at for place in self._beyond) for at in span]
