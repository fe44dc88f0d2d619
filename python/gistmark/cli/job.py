"""Scoring a file of any size: read ahead in the background, score batch by batch, write on a thread of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from gistmark.estimates import Method
from gistmark.files import Source, sink
from gistmark.files.sink import Put
from gistmark.score import score
from gistmark.summary import summarise
from gistmark_engine.errors import InputError
from gistmark_engine.job import opened
from gistmark_engine.metric import Metric
from gistmark_engine.script import MOST, Untokenised

ROWS = 8192
"""Rows of a batch; three of them are in memory at a time, besides what the reader holds ready. A metric that is not
row-local gets all rows as one batch."""


def run(
    source: Source,
    metrics: Sequence[Metric],
    columns: dict[str, str],
    *,
    by: Sequence[str],
    output: str | None,
    batch: int | None,
    threads: int | None,
    advance: Callable[[int], object],
    intervals: Method | None = None,
) -> pl.DataFrame:
    """Score `source`, write it to `output` if that is given, and return the end table (see `gistmark.summarise`).

    Everything the schema shows is checked before the first row is read. The metrics' fields and the columns `by` are kept
    to the end, in a temporary file. `batch` is how many rows are scored together (None: `ROWS`); `advance` is told after
    every batch how many it had.
    """
    wanted = [*by, *(name for metric in metrics for name in metric.columns)]
    with opened(metrics) as ready, TemporaryDirectory(prefix="gistmark-") as folder:
        head = first_look(source, ready, columns, by)
        fields = Path(folder, "fields.arrow")
        local = all(metric.row_local for metric in metrics)
        batches = source.batches(batch or ROWS) if local else iter([source.load()])
        with _sink(output, head, [metric.signature for metric in metrics]) as put:
            with sink(fields, head.select(wanted)) as keep:
                for scored in written(scored_batches(batches, ready, columns, threads), put):
                    keep(scored.select(wanted))
                    advance(scored.height)
            return summarise(pl.scan_ipc(fields), metrics, by, intervals=intervals)


def first_look(source: Source, metrics: Sequence[Metric], columns: dict[str, str], by: Sequence[str]) -> pl.DataFrame:
    """The scored table without its rows; raises whatever the schema shows to be wrong, and runs no metric."""
    head = score(source.frame, metrics, columns).collect_schema().to_frame()
    summarise(head, metrics, by)
    return head


def written(batches: Iterable[pl.DataFrame], put: Put) -> Iterator[pl.DataFrame]:
    """The batches, each handed to `put` on a thread of its own that is at most one of them behind."""
    with ThreadPoolExecutor(1) as writer:
        done: Future[object] | None = None
        for batch in batches:
            if done:
                done.result()
            done = writer.submit(put, batch)
            yield batch
        if done:
            done.result()


def scored_batches(
    batches: Iterable[pl.DataFrame],
    metrics: Sequence[Metric],
    columns: dict[str, str],
    threads: int | None,
    start: int = 0,
) -> Iterator[pl.DataFrame]:
    """The batches in order with their scores; a row that cannot be scored is named by its place, the first being `start`.

    Texts without tokens are warned of once, after the last batch.
    """
    untokenised: dict[tuple[str, str], list[int]] = {}
    try:
        for batch in batches:
            with _noting(untokenised, start):
                scored = _scored(batch, metrics, columns, threads, start)
            yield scored
            start += batch.height
    finally:
        for names, rows in untokenised.items():
            warnings.warn(Untokenised(*names, rows), stacklevel=2)


def _scored(
    batch: pl.DataFrame, metrics: Sequence[Metric], columns: dict[str, str], threads: int | None, start: int
) -> pl.DataFrame:
    try:
        return score(batch, metrics, columns, threads=threads)
    except InputError as error:
        if error.row is None:
            raise
        raise InputError(
            error.problem, metric=error.metric, column=error.column, row=start + error.row, value=error.value
        ) from error


@contextmanager
def _noting(untokenised: dict[tuple[str, str], list[int]], start: int) -> Iterator[None]:
    """Keep the rows without tokens, by column and tokenizer, the first row of the batch being `start`; other warnings pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Untokenised)
        yield
    for each in caught:
        if isinstance(each.message, Untokenised):
            rows = untokenised.setdefault((each.message.column, each.message.tokenizer), [])
            rows += [start + row for row in each.message.rows[: MOST - len(rows)]]
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _sink(output: str | None, head: pl.DataFrame, signatures: Sequence[str]) -> AbstractContextManager[Put]:
    return sink(output, head, signatures=signatures) if output else nullcontext(lambda _: None)
