"""Scoring a table of any size into a folder of parts, here or on an engine that hands the parts out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import polars as pl

from gistmark.cli import job
from gistmark.estimates import Method
from gistmark.files import Source, sink
from gistmark.files.formats import STANDARD
from gistmark.files.parts import Part, plan, prepare
from gistmark.summary import summarise
from gistmark_bindings.stage import hold
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.job import opened
from gistmark_engine.metric import Metric

Each = Callable[["Scorer", Sequence[Part]], Iterator[int]]
"""Has every part scored by the scorer, somewhere, and tells how many rows each had."""


@dataclass(frozen=True)
class Scorer:
    """Scores parts; can be pickled, and does the same wherever it runs.

    head   the scored table without its rows
    batch  rows that are scored together
    """

    source: Source
    metrics: tuple[Metric, ...]
    columns: dict[str, str]
    signatures: tuple[str, ...]
    head: pl.DataFrame
    batch: int
    threads: int | None

    def __call__(self, part: Part) -> int:
        """Score one part and write it; returns its number of rows."""
        return sum(self.rows([part]))

    def opened(self) -> Scorer:
        """The same, for a process that scores many parts."""
        return replace(self, metrics=hold(self.metrics))

    def rows(self, parts: Sequence[Part]) -> Iterator[int]:
        """Score parts that follow each other, reading their input once; tells how many rows each batch had."""
        first, last = parts[0], parts[-1]
        batches = self.source.read(first.input, self.batch, first.start, last.stop)
        scored = job.scored_batches(batches, self.metrics, self.columns, self.threads, first.before + first.start)
        for part in parts:
            part.path.parent.mkdir(parents=True, exist_ok=True)
            with sink(part.path, self.head, signatures=self.signatures, metadata=part.metadata) as put:
                for batch in job.written(_take(scored, part.stop - part.start), put):
                    yield batch.height


def run(
    source: Source,
    metrics: Sequence[Metric],
    columns: dict[str, str],
    *,
    by: Sequence[str],
    folder: Path,
    resume: bool,
    batch: int | None,
    threads: int | None,
    advance: Callable[[int], object],
    each: Each | None = None,
    intervals: Method | None = None,
) -> pl.DataFrame:
    """Score `source` into parts below `folder`, those that are there already left out, and return the end table of all.

    batch  rows that are scored together; None: `job.ROWS`
    each   what hands parts to workers of another engine; None: they are scored here, one after the other

    Raises OptionError for a metric that needs all rows at once. What stops it once parts are being made has a note on how
    to go on.
    """
    for metric in metrics:
        if not metric.row_local:
            raise OptionError(f"metric {metric.name!r} needs all rows at once, so it cannot be scored in parts")
    head = job.first_look(source, metrics, columns, by)
    signatures = tuple(metric.signature for metric in metrics)
    batch = batch or job.ROWS
    with source.located():
        parts = plan(source, folder, columns, batch)
    todo = prepare(folder, parts, signatures, resume=resume)
    with _going_on(source, parts, resume):
        advance(sum(part.stop - part.start for part in parts) - sum(part.stop - part.start for part in todo))
        scorer = Scorer(source, tuple(metrics), columns, signatures, head, batch, threads or (1 if each else None))
        for rows in each(scorer, todo) if each else _here(scorer, todo):
            advance(rows)
        return summarise(pl.scan_parquet([part.path for part in parts], glob=False), metrics, by, intervals=intervals)


@contextmanager
def _going_on(source: Source, parts: Sequence[Part], resume: bool) -> Iterator[None]:
    """Note on whatever stops the job how many parts are there, and what goes on with them, if anything does: standard
    input comes once."""
    try:
        yield
    except BaseException as stop:
        done = f"{sum(part.path.exists() for part in parts)} of {len(parts)} parts are done"
        command = "the same command" if resume else "the same command with --resume"
        stop.add_note(f"{done}, and {command} goes on from there" if source.where != STANDARD else done)
        raise


def _here(scorer: Scorer, parts: Sequence[Part]) -> Iterator[int]:
    with opened(scorer.metrics) as ready:
        for together in _runs(parts):
            yield from replace(scorer, metrics=ready).rows(together)


def _runs(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts in lists of neighbours."""
    start = 0
    for at, (left, right) in enumerate(pairwise(parts), 1):
        if left.input is not right.input or left.stop != right.start:
            yield list(parts[start:at])
            start = at
    if parts:
        yield list(parts[start:])


def _take(batches: Iterator[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The next batches, `rows` rows together: parts are whole batches, but for the last of an input."""
    while rows > 0 and (batch := next(batches, None)) is not None:
        rows -= batch.height
        yield batch
    if rows:
        raise InputError("the input has changed since it was opened: it no longer has as many rows")
