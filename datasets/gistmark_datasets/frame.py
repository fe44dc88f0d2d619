"""The one table that every loader returns, read in batches as it is asked for."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry

OnError = Literal["fail", "skip"]

SCHEMA = {
    "corpus": pl.String(),
    "split": pl.String(),
    "doc_id": pl.String(),
    "system": pl.String(),
    "source": pl.String(),
    "source_sentences": pl.List(pl.String()),
    "summary": pl.String(),
    "references": pl.List(pl.String()),
    "human": pl.String(),
    "meta": pl.String(),
}
OF_SYSTEMS = ("system", "summary", "human")
"""Columns of a table that holds the output of systems; others have references only."""

ROWS = 512
"""Rows made at a time: a batch of whole articles takes some tens of megabytes."""


class Row(NamedTuple):
    """What a loader makes of an entry. `sentences` are those of the source, where the file tells them apart; `human`
    holds human scores by name, `meta` whatever else is kept."""

    doc_id: str
    source: str | None = None
    sentences: Sequence[str] | None = None
    references: Sequence[str] | None = None
    summary: str | None = None
    system: str | None = None
    human: Mapping[str, Any] = {}
    meta: Mapping[str, Any] = {}
    corpus: str | None = None
    split: str | None = None


class Part(NamedTuple):
    """Entries of one split, read anew whenever the function is called."""

    split: str | None
    entries: Callable[[], Iterable[Entry | DatasetError]]


def scan(
    corpus: str,
    parts: Sequence[Part],
    parse: Callable[[Entry], Row],
    on_error: OnError,
    without: Sequence[str] = OF_SYSTEMS,
) -> pl.LazyFrame:
    """A lazy table of SCHEMA, but for the columns in `without`, that reads no more of its files than is asked for.

    on_error  "fail": a DatasetError at the first entry that cannot be read; "skip": such entries are left out, counted
              and, when all are read, told in a warning
    """
    if on_error not in ("fail", "skip"):
        raise DatasetError("on_error", f"must be 'fail' or 'skip', not {on_error!r}")
    schema = {name: kind for name, kind in SCHEMA.items() if name not in without}

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        rows = islice(_rows(corpus, parts, parse, on_error), limit)
        while True:
            some = list(islice(rows, ROWS))
            frame = pl.DataFrame(some, SCHEMA, orient="row").select(columns or list(schema))
            yield frame if predicate is None else frame.filter(predicate)
            if len(some) < ROWS:
                return

    return pl.io.plugins.register_io_source(read, schema=schema)


def _rows(
    corpus: str, parts: Sequence[Part], parse: Callable[[Entry], Row], on_error: OnError
) -> Iterator[tuple[object, ...]]:
    """The rows of all parts in the order of SCHEMA."""
    skipped: list[DatasetError] = []
    for part in parts:
        for entry in part.entries():
            try:
                if isinstance(entry, DatasetError):
                    raise entry
                row = parse(entry)
            except DatasetError as error:
                if on_error == "fail":
                    raise
                skipped.append(error)
                continue
            yield _cells(row, corpus, part.split)
    if skipped:
        warnings.warn(f"{corpus}: skipped {len(skipped)} entries: {_tally(skipped)}", stacklevel=2)


def _tally(skipped: Sequence[DatasetError]) -> str:
    """How many entries were skipped for each reason, and where the first of them is."""
    reasons: dict[str, list[DatasetError]] = {}
    for error in skipped:
        reasons.setdefault(error.problem.partition(" (found ")[0], []).append(error)
    return "; ".join(f"{len(those)} × {reason} (first: {those[0].where})" for reason, those in reasons.items())


def _cells(row: Row, corpus: str, split: str | None) -> tuple[object, ...]:
    human, meta = (json.dumps(one, ensure_ascii=False) for one in (row.human, row.meta))
    where = row.corpus or corpus, row.split or split, row.doc_id, row.system
    return (*where, row.source, row.sentences, row.summary, row.references, human, meta)
