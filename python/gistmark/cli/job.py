"""Scoring a file of any size: read ahead in the background, score batch by batch, write on a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext

import polars as pl

from gistmark.estimates import Method
from gistmark.files import Source, sink
from gistmark.files.sink import Put
from gistmark.score import score
from gistmark.summarise import summarise
from gistmark_engine.errors import InputError
from gistmark_engine.job import opened
from gistmark_engine.metric import Metric

ROWS = 8192
"""Rows of a batch; three of them are in memory at a time, besides what the reader holds ready."""


def run(
    source: Source,
    metrics: Sequence[Metric],
    columns: dict[str, str],
    *,
    by: Sequence[str],
    output: str | None,
    threads: int | None,
    advance: Callable[[int], object],
    intervals: Method | None = None,
) -> pl.DataFrame:
    """Score `source`, write it to `output` if that is given, and return the end table (see `gistmark.summarise`).

    Everything the schema shows is checked before the first row is read. Kept in memory to the end: the metrics'
    fields and the columns `by`. `advance` is told after every batch how many rows it had.
    """
    wanted = [*by, *(name for metric in metrics for name in metric.columns)]
    signatures = [metric.signature for metric in metrics]
    with opened(metrics) as ready:
        head = score(source.frame.collect_schema().to_frame(), ready, columns, threads=threads)
        summarise(head, metrics, by)
        kept = [head.select(wanted)]
        with sink(output, head, signatures=signatures) if output else nullcontext(_drop) as put:
            for scored in _written(_scored(source, ready, columns, threads), put):
                kept.append(scored.select(wanted))
                advance(scored.height)
            return summarise(pl.concat(kept), metrics, by, intervals=intervals)


def _written(batches: Iterator[pl.DataFrame], put: Put) -> Iterator[pl.DataFrame]:
    """The batches, each handed to `put` on a thread of its own that is at most one of them behind."""
    with ThreadPoolExecutor(1) as writer:
        written: Future[object] | None = None
        for batch in batches:
            if written:
                written.result()
            written = writer.submit(put, batch)
            yield batch
        if written:
            written.result()


def _scored(
    source: Source, metrics: Sequence[Metric], columns: dict[str, str], threads: int | None
) -> Iterator[pl.DataFrame]:
    """The batches in order with their scores; a row that cannot be scored is named by its place in the whole."""
    start = 0
    for batch in source.batches(ROWS):
        try:
            yield score(batch, metrics, columns, threads=threads)
        except InputError as error:
            if error.row is None:
                raise
            raise InputError(
                error.problem, metric=error.metric, column=error.column, row=start + error.row, value=error.value
            ) from error
        start += batch.height


def _drop(_: pl.DataFrame) -> None:
    """Where scores go that nobody wants to keep."""
