"""The plan: many metrics over one batch.

Ranges of rows go to threads: each reads its part of the columns, cuts it once per tokenizer and puts what the metrics make of
it into columns that are there already. Nothing here knows a metric by name.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from gistmark_engine.assemble import Assembly
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.inputs import Inputs, check_columns, cut_columns, strings
from gistmark_engine.job import opened
from gistmark_engine.kernels.records import INTEGER
from gistmark_engine.metric import STATUS_FIELD, Batch, Metric, Scores, Tokenizer
from gistmark_engine.ranges import for_each_range
from gistmark_engine.script import Untokenised, find_invalid_utf8, find_untokenised, first_invalid
from gistmark_engine.threads import count_threads
from gistmark_engine.tokens import Tokens, tokenise


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
    wanted, count = check_columns(columns, metrics), count_threads(threads)
    rows = next((len(column.values) for column in wanted.values()), 0)
    assemblies = [Assembly(metric, rows) for metric in metrics]
    with opened(metrics) as ready:
        _score_ranges(wanted, rows, ready, assemblies, count)
        for metric, assembly in zip(ready, assemblies, strict=True):
            if not metric.tokenizer:
                assembly.put(0, rows, _whole(wanted, metric, rows, count))
    return {name: values for assembly in assemblies for name, values in assembly.arrays().items()}


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
    columns: Mapping[str, Column],
    rows: int,
    metrics: Sequence[Metric],
    assemblies: Sequence[Assembly],
    threads: int,
) -> None:
    """All tokenised metrics on all ranges of rows; what they find goes into the assemblies."""
    cuttings = _cuttings(tuple((metric.tokenizer, metric.inputs) for metric in metrics))
    if not cuttings:
        return
    read, untokenised = cut_columns(columns, metrics), set[tuple[str, int]]()

    def score(inputs: Inputs) -> None:
        for cutting in cuttings:
            tokens = _cut(inputs, cutting, metrics)
            untokenised.update((cutting.tokenizer.name, row) for row in find_untokenised(inputs, tokens))
            for k in cutting.metrics:
                assemblies[k].put(inputs.first, inputs.count, metrics[k].run(Batch(inputs.count, {}, tokens)))

    for_each_range(score, read, rows, threads)
    for name, found in groupby(sorted(untokenised), key=itemgetter(0)):
        warnings.warn(Untokenised(read["summary"].name, name, [row for _, row in found]), stacklevel=3)


def _whole(columns: Mapping[str, Column], metric: Metric, rows: int, threads: int) -> Scores:
    """A metric on raw strings, which gets all rows at once and shares them out itself."""
    texts = strings(columns, metric.inputs)
    for role, values in texts.items():
        row = first_invalid(values)
        if row is not None:
            raise InputError("the text is not UTF-8", metric=metric.name, column=columns[role].name, row=row)
    try:
        return metric.run(Batch(rows, texts, threads=threads))
    except InputError as error:
        raise _named(error, columns, metric) from error


def _named(error: InputError, columns: Mapping[str, Column], metric: Metric) -> InputError:
    """The error of a metric on raw strings, which knows its columns by their roles, for who knows them by their names."""
    column = columns.get(error.column or "")
    name = column.name if column else error.column
    return InputError(error.problem, metric=error.metric or metric.name, column=name, row=error.row, value=error.value)


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


def _cut(inputs: Inputs, cutting: Cutting, metrics: Sequence[Metric]) -> Tokens:
    rows = inputs.rows(cutting.roles)
    given = any(inputs.columns[role].kind == "tokens" for role in cutting.roles if role in inputs.columns)
    if given and cutting.tokenizer.rewrites:
        name = metrics[cutting.metrics[0]].name
        raise OptionError(
            f"{name}: stem, normalize and casefold need text; these columns hold tokens that are cut already"
        )
    if given and cutting.tokenizer.words and (rows.length == INTEGER).any():
        raise InputError("it reads words; these tokens are integers", metric=metrics[cutting.metrics[0]].name)
    tokens = tokenise(rows, cutting.tokenizer, given=given, null=inputs.null)
    if tokens is None:
        column, row = find_invalid_utf8(inputs, cutting.roles)
        name = metrics[cutting.metrics[0]].name
        raise InputError("the text is not UTF-8", metric=name, column=column, row=row)
    return tokens
