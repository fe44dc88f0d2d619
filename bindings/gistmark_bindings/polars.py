"""Metrics as Polars expressions: the only place that knows `map_batches`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache, partial

import polars as pl
import pyarrow as pa

from gistmark_bindings.roles import column
from gistmark_engine.columns import Column, Kind
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.job import held
from gistmark_engine.metric import Field, Metric
from gistmark_engine.plan import score_columns

_DTYPES: Mapping[str, pl.DataType] = {
    "float64": pl.Float64(),
    "int64": pl.Int64(),
    "bool": pl.Boolean(),
    "string": pl.String(),
    "list<string>": pl.List(pl.String()),
}


def expression(
    metrics: Sequence[Metric],
    inputs: Mapping[str, pl.Expr],
    *,
    kinds: Mapping[str, Kind] | None = None,
    threads: int | None = None,
) -> pl.Expr:
    """One struct column with every field of `metrics`, from one expression a role.

    inputs   role → expression; those of length 1 (literals, aggregates) are repeated to the length of the others
    kinds    role → "tokens" or "sentences" where the texts are already cut
    threads  threads of one batch; None: the engine's choice

    The schema is declared, nothing runs before the query does. Elementwise when every metric is row-local, so that it
    streams and runs once over all groups of a `group_by`. A query does not say when it is over: what a metric opens at
    its first batch stays open as long as the expression lives.
    """
    check_fork()
    roles = [(role, _name(expr, role), (kinds or {}).get(role, "text")) for role, expr in inputs.items()]
    return pl.map_batches(
        list(inputs.values()),
        partial(_compute, metrics=held(metrics), roles=roles, threads=threads),
        return_dtype=struct_dtype(metrics),
        is_elementwise=all(metric.row_local for metric in metrics),
    )


def check_fork() -> None:
    """Refuse to use Polars in the child of a process that has used it: the child would wait forever for its threads."""
    if _owner() != os.getpid():
        raise OptionError(
            "this process was forked from one that uses Polars, which does not survive a fork: start processes by "
            "'spawn' (multiprocessing.get_context('spawn')), or score Arrow data with gistmark.score_batch"
        )


@cache
def _owner() -> int:
    """The process that used Polars first."""
    return os.getpid()


def struct_dtype(metrics: Sequence[Metric]) -> pl.Struct:
    """The struct that holds the fields of `metrics` under their prefixed names."""
    return pl.Struct({name: field_dtype(spec) for metric in metrics for name, spec in metric.columns.items()})


def field_dtype(spec: Field) -> pl.DataType:
    """The Polars type of a field; an enum keeps its levels and their order."""
    return pl.Enum(spec.levels) if spec.dtype == "enum" else _DTYPES[spec.dtype]


def to_arrow(series: pl.Series) -> pa.ChunkedArray:
    """`series` as Arrow without copying the text; refuses Python objects."""
    if series.dtype == pl.Object:
        raise InputError("a column of Python objects cannot be scored; cast it to String", column=series.name)
    try:
        return pa.chunked_array(series)
    except pa.ArrowException as error:
        raise InputError(f"cannot be handed over as Arrow data: {error}", column=series.name) from error


class _Exported:
    """An Arrow array that Polars does not know for one of pyarrow's, for which it would import `pyarrow.compute`, slowly."""

    def __init__(self, values: pa.Array) -> None:
        self.__arrow_c_array__ = values.__arrow_c_array__


def to_series(name: str, values: pa.Array, dtype: pl.DataType) -> pl.Series:
    """An output column of the engine as a Polars series of the type its field declares."""
    return pl.Series(_Exported(values)).alias(name).cast(dtype)


def _name(expr: pl.Expr, role: str) -> str:
    """What an error calls this input: its output name, or its role where it has none of its own."""
    name = expr.meta.output_name(raise_if_undetermined=False)
    return role if name is None or expr.meta.is_literal() else name


def _compute(
    series: Sequence[pl.Series],
    *,
    metrics: tuple[Metric, ...],
    roles: Sequence[tuple[str, str, Kind]],
    threads: int | None,
) -> pl.Series:
    """What Polars calls with one batch: the input series in the order of `roles`, a struct series back."""
    columns: dict[str, Column] = {
        role: column(to_arrow(values.alias(name)), name, role, kind)
        for values, (role, name, kind) in zip(_broadcast(series), roles, strict=True)
    }
    fields = score_columns(columns, metrics, threads=threads)
    specs = {name: spec for metric in metrics for name, spec in metric.columns.items()}
    return pl.DataFrame([to_series(name, fields[name], field_dtype(spec)) for name, spec in specs.items()]).to_struct()


def _broadcast(series: Sequence[pl.Series]) -> list[pl.Series]:
    """Every series at one length; a single value is repeated, or dropped beside an empty column."""
    lengths = {len(values) for values in series}
    others = lengths - {1}
    if len(others) > 1:
        raise InputError(f"columns of different lengths cannot be scored together: {sorted(lengths)}")
    rows = others.pop() if others else 1
    return [values if len(values) == rows else values.new_from_index(0, rows) for values in series]
