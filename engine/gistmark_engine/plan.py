"""The plan: many metrics over one batch.

Each column is read once and cut once per tokenizer, in ranges of rows on threads; the ranges' fields are joined in row
order. Nothing here knows a metric by name.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from gistmark_engine.arrow import INTEGER
from gistmark_engine.assemble import assemble
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.inputs import Inputs, read_inputs
from gistmark_engine.job import opened
from gistmark_engine.metric import STATUS_FIELD, Batch, Metric, Tokenizer, Values
from gistmark_engine.script import find_invalid_utf8, first_invalid, warn_untokenised
from gistmark_engine.tokens import Tokens, tokenise

LARGEST, SMALLEST = 8 << 20, 2 << 20
"""Bytes of text in a range of rows: large enough to find the rows that share texts, small enough to share out."""

Scores = Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class Cutting:
    """One way of cutting: the tokenizer, the roles it is wanted for, and the positions of the metrics that want it."""

    tokenizer: Tokenizer
    roles: tuple[str, ...]
    metrics: tuple[int, ...]


def score_batch(
    batch: pa.RecordBatch | pa.Table, metrics: Sequence[Metric], *, threads: int | None = None
) -> pa.RecordBatch:
    """Score an Arrow batch whose columns are named by role; returns the fields only, same rows, same order.

    Pure: free of Polars and of global state, safe in threads and in forked or spawned workers. `threads`: None for as
    many as there are cores. Raises as `score_columns` does.
    """
    columns = {name: Column(batch.column(name), name) for name in batch.schema.names}
    scored = score_columns(columns, metrics, threads=threads)
    return pa.RecordBatch.from_arrays(list(scored.values()), names=list(scored))


def score_columns(
    columns: Mapping[str, Column], metrics: Sequence[Metric], *, threads: int | None = None
) -> dict[str, pa.Array]:
    """Score columns given by role; returns every field of every metric under its column name.

    Raises InputError for a missing role, columns of unequal length, a wrong type or text that is not UTF-8, and
    OptionError for two metrics that would write the same column.
    """
    check_distinct(metrics)
    if any(metric.limit for metric in metrics):
        return _score_limited(columns, metrics, threads)
    inputs = read_inputs(columns, metrics)
    cuttings = _cuttings(tuple((metric.tokenizer, metric.inputs) for metric in metrics))
    count = _threads(threads)
    ranges = list(_ranges(inputs, count)) if cuttings else []
    scored: dict[str, pa.Array] = {}
    with opened(metrics) as ready:
        parts = _score_ranges(inputs, cuttings, ready, ranges, count)
        for k, metric in enumerate(ready):
            scored |= assemble(
                metric, [part[k] for part in parts] if metric.tokenizer else [_whole(inputs, metric, count)]
            )
    return scored


def _score_limited(
    columns: Mapping[str, Column], metrics: Sequence[Metric], threads: int | None
) -> dict[str, pa.Array]:
    """The fields of metrics of which some limit the length of their texts; those of one limit are scored together."""
    from gistmark_engine.clipping import clip, mark

    scored: dict[str, pa.Array] = {}
    for limit in dict.fromkeys(metric.limit for metric in metrics):
        alike = [metric for metric in metrics if metric.limit == limit]
        read = {role: column for role, column in columns.items() if any(role in metric.inputs for metric in alike)}
        within, cut = clip(read, limit) if limit else (read, {})
        scored |= score_columns(within, [replace(metric, limit=None) for metric in alike], threads=threads)
        for metric in alike if any(rows.any() for rows in cut.values()) else ():
            for name, field in metric.columns.items():
                if field == STATUS_FIELD:
                    scored[name] = mark(scored[name], cut, metric.inputs)
    return {name: scored[name] for metric in metrics for name in metric.columns}


def _score_ranges(
    inputs: Inputs,
    cuttings: Sequence[Cutting],
    metrics: Sequence[Metric],
    ranges: Sequence[tuple[int, int]],
    threads: int,
) -> list[dict[int, Scores]]:
    """All tokenised metrics on all ranges of rows, in order."""
    if threads == 1 or len(ranges) <= 1:
        return [_score_range(inputs, cuttings, metrics, *bounds) for bounds in ranges]
    pool = _pool(threads, os.getpid())
    return list(pool.map(lambda bounds: _score_range(inputs, cuttings, metrics, *bounds), ranges))


def _whole(inputs: Inputs, metric: Metric, threads: int) -> Scores:
    """A metric on raw strings, which gets all rows at once and shares them out itself."""
    texts = inputs.strings(metric.inputs)
    for role, values in texts.items():
        row = first_invalid(values)
        if row is not None:
            name = inputs.columns[role].name
            raise InputError("the text is not UTF-8", metric=metric.name, column=name, row=row)
    try:
        return metric.run(Batch(inputs.count, texts, threads=threads))
    except InputError as error:
        raise _named(error, inputs, metric) from error


def _named(error: InputError, inputs: Inputs, metric: Metric) -> InputError:
    """The error of a metric on raw strings, which knows its columns by their roles, for who knows them by their names."""
    column = inputs.columns.get(error.column or "")
    name = column.name if column else error.column
    return InputError(error.problem, metric=error.metric or metric.name, column=name, row=error.row, value=error.value)


def _cores() -> int:
    """Cores this process may use; not every system says."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads(wanted: int | None) -> int:
    if wanted is None:
        return _cores()
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
        raise OptionError(f"threads must be a positive integer, or None for all cores, not {wanted!r}")
    return wanted


@functools.cache
def _pool(count: int, process: int) -> ThreadPoolExecutor:
    """The threads of a process, kept between jobs with what they remember; a forked child makes its own."""
    return ThreadPoolExecutor(count, thread_name_prefix=f"gistmark-{process}")


def check_distinct(metrics: Sequence[Metric]) -> None:
    """Two metrics of one job must not write the same column."""
    owner: dict[str, Metric] = {}
    for metric in metrics:
        for column in metric.columns:
            if column in owner:
                raise OptionError(
                    f"{owner[column].signature} and {metric.signature} would both write the column {column!r}; "
                    f"give one of them a prefix, as in {metric.name}(prefix='second_')"
                )
            owner[column] = metric


@functools.lru_cache
def _cuttings(metrics: Sequence[tuple[Tokenizer | None, tuple[str, ...]]]) -> list[Cutting]:
    """The metrics, given by tokenizer and roles, by what they want their texts cut by; one cutting serves all that agree
    on the tokens."""
    wanted: dict[Tokenizer, list[int]] = {}
    for k, (tokenizer, _) in enumerate(metrics):
        if tokenizer:
            wanted.setdefault(tokenizer.cutting, []).append(k)
    cuttings = []
    for positions in wanted.values():
        tokenizers = [tokenizer for k in positions if (tokenizer := metrics[k][0])]
        merged = replace(
            tokenizers[0],
            sentences=any(tokenizer.sentences for tokenizer in tokenizers),
            whole=any(tokenizer.whole for tokenizer in tokenizers),
        )
        roles = tuple(dict.fromkeys(role for k in positions for role in metrics[k][1]))
        cuttings.append(Cutting(merged, roles, tuple(positions)))
    return cuttings


def _ranges(inputs: Inputs, threads: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows of about equal bytes: for several threads four each, if that makes them neither tiny nor huge."""
    if inputs.size <= (LARGEST if threads == 1 else SMALLEST):
        yield 0, inputs.count
        return
    total = np.cumsum(inputs.weights())
    size = LARGEST if threads == 1 else min(max(int(total[-1]) // (4 * threads), SMALLEST), LARGEST)
    start = 0
    while start < len(total):
        before = int(total[start - 1]) if start else 0
        stop = max(int(total.searchsorted(before + size, side="right")), start + 1)
        yield start, stop
        start = stop


def _score_range(
    inputs: Inputs, cuttings: Sequence[Cutting], metrics: Sequence[Metric], start: int, stop: int
) -> dict[int, Scores]:
    """All tokenised metrics on rows start..stop, by their position."""
    scores: dict[int, Scores] = {}
    for cutting in cuttings:
        tokens = _cut(inputs, cutting, metrics, start, stop)
        batch = Batch(stop - start, {}, tokens)
        for k in cutting.metrics:
            scores[k] = metrics[k].run(batch)
    return scores


def _cut(inputs: Inputs, cutting: Cutting, metrics: Sequence[Metric], start: int, stop: int) -> Tokens:
    rows = inputs.rows(cutting.roles, start, stop)
    given = any(inputs.columns[role].kind == "tokens" for role in cutting.roles if role in inputs.columns)
    if given and cutting.tokenizer.rewrites:
        name = metrics[cutting.metrics[0]].name
        raise OptionError(
            f"{name}: stem, normalize and casefold need text; these columns hold tokens that are cut already"
        )
    if given and cutting.tokenizer.words and (rows.length == INTEGER).any():
        raise InputError("it reads words; these tokens are integers", metric=metrics[cutting.metrics[0]].name)
    tokens = tokenise(rows, cutting.tokenizer, given=given, null=inputs.null(start, stop))
    if tokens is None:
        column, row = find_invalid_utf8(inputs, cutting.roles, start, stop)
        name = metrics[cutting.metrics[0]].name
        raise InputError("the text is not UTF-8", metric=name, column=column, row=row)
    if not given:
        warn_untokenised(inputs, tokens, cutting.tokenizer.name, start)
    return tokens
