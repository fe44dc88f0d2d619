"""One call from a table to the same table with scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar, overload

import polars as pl
import pyarrow as pa

from gistmark.catalogue import resolve
from gistmark.frames import Frame, frame
from gistmark.marks import Marked
from gistmark.outputs import check_outputs
from gistmark.roles import Columns, assign, default_metrics, select
from gistmark_bindings.polars import expression, to_arrow
from gistmark_bindings.roles import check_type, column
from gistmark_bindings.stage import Stage
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_columns

Table = TypeVar("Table")


@overload
def score(
    data: str | PathLike[str],
    metrics: Iterable[str | Metric] | None = None,
    columns: Columns | None = None,
    *,
    threads: int | None = None,
) -> pl.DataFrame: ...
@overload
def score(
    data: Table,
    metrics: Iterable[str | Metric] | None = None,
    columns: Columns | None = None,
    *,
    threads: int | None = None,
) -> Table: ...
def score(
    data: Any,
    metrics: Iterable[str | Metric] | None = None,
    columns: Columns | None = None,
    *,
    threads: int | None = None,
) -> Any:
    """`data` with the fields of `metrics` as further columns, rows and other columns as they were.

    data      Polars DataFrame or LazyFrame, pandas DataFrame, Arrow table or record batch, dict of lists: the same
              kind comes back. A path (Parquet, JSON lines, CSV, Arrow IPC or a glob of them) gives a DataFrame.
    metrics   names or records; None: those of rouge, datastats and abstraction whose columns are there
    columns   role → column for columns not called as their role; a column may be marked by `tokens` or `sentences`,
              None keeps a role empty
    threads   how many; None: all cores

    Raises, before work starts: InputError for a missing column, a column of the wrong type, one that is there
    already; OptionError for an unknown metric or role, or two metrics that write the same column. A value that cannot
    be scored raises InputError with its row (of its batch, where a LazyFrame streams).
    """
    if isinstance(data, str | PathLike):
        from gistmark.files import load  # readers are needed for paths alone

        data = load(data)
    if isinstance(data, pl.LazyFrame):
        return _score_lazy(data, metrics, columns, threads)
    table = frame(data)
    chosen, inputs = _plan(table.names, metrics, columns)
    arrays = score_columns(_columns(table, inputs), chosen, threads=threads)
    return table.attach(arrays, {name: spec for metric in chosen for name, spec in metric.columns.items()})


def score_batch(
    batch: pa.RecordBatch | pa.Table, metrics: Iterable[str | Metric], *, threads: int | None = None
) -> pa.RecordBatch:
    """Arrow in, Arrow out: columns named by their roles in, only the fields out, same rows in the same order."""
    if not isinstance(batch, pa.RecordBatch | pa.Table):
        raise InputError("score_batch takes an Arrow RecordBatch or Table, and gm.score any other", value=type(batch))
    chosen, inputs = _plan(batch.schema.names, metrics, None, existing=())
    arrays = score_columns(_columns(frame(batch), inputs), chosen, threads=threads)
    return pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))


def stage(names: Sequence[str], metrics: Iterable[str | Metric] | None, columns: Columns | None) -> Stage:
    """What another engine's workers run on a table with these columns; raises as `score` does."""
    chosen, inputs = _plan(names, metrics, columns)
    return Stage(chosen, {role: (str(mark.column), mark.kind) for role, mark in inputs.items()})


def _plan(
    names: Sequence[str],
    metrics: Iterable[str | Metric] | None,
    columns: Columns | None,
    existing: Sequence[str] | None = None,
) -> tuple[tuple[Metric, ...], dict[str, Marked]]:
    """What to compute from which columns, refused here if it cannot be."""
    chosen = None if metrics is None else resolve(metrics)
    assigned = assign(columns, names)
    chosen = chosen or default_metrics(assigned, names)
    check_outputs(chosen, names if existing is None else existing)
    return chosen, select(assigned, chosen, names)


def _columns(table: Frame, inputs: Mapping[str, Marked]) -> dict[str, Column]:
    """The engine's columns by role."""
    return {
        role: column(table.column(str(mark.column)), str(mark.column), role, mark.kind) for role, mark in inputs.items()
    }


def _score_lazy(
    data: pl.LazyFrame, metrics: Iterable[str | Metric] | None, columns: Columns | None, threads: int | None
) -> pl.LazyFrame:
    """The query with the scores added to it; only its schema is resolved here."""
    schema = data.collect_schema()
    chosen, inputs = _plan(schema.names(), metrics, columns)
    empty = schema.to_frame()
    for role, mark in inputs.items():
        check_type(to_arrow(empty[str(mark.column)]).type, str(mark.column), role, mark.kind)
    exprs = {role: mark.expr for role, mark in inputs.items()}
    kinds = {role: mark.kind for role, mark in inputs.items()}
    scores = expression(chosen, exprs, kinds=kinds, threads=threads)
    carrier = max([*schema, *(name for metric in chosen for name in metric.columns)], key=len) + "_"  # no other's name
    return data.with_columns(scores.alias(carrier)).with_columns(pl.col(carrier).struct.unnest()).drop(carrier)
