"""A scored table in groups of rows: the columns that make them, and fields in their own types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from gistmark.frames import names_of, pick
from gistmark.near import near
from gistmark_bindings.polars import field_dtype
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Field, Metric


def keys_of(by: str | Sequence[str] | None, taken: Iterable[str]) -> list[str]:
    """The columns that make groups; OptionError for one that the table has itself."""
    keys = [by] if isinstance(by, str) else list(dict.fromkeys(by or []))
    if own := sorted(set(keys) & set(taken)):
        raise OptionError(f"the table has a column {own[0]!r} of its own; rename it before grouping by it")
    return keys


def read(scored: object, metrics: Sequence[Metric], keys: Sequence[str]) -> pl.DataFrame:
    """The keys and all fields, in one chunk so that sums have one order."""
    fields = {name: (metric, spec) for metric in metrics for name, spec in metric.columns.items()}
    check_columns(scored, keys)
    check_scored(scored, metrics)
    table = pick(scored, list(dict.fromkeys([*keys, *fields]))).rechunk()
    return table.with_columns([_typed(table[name], metric, spec) for name, (metric, spec) in fields.items()])


def first(group: pl.DataFrame, keys: Sequence[str]) -> tuple[object, ...]:
    """The keys that the rows of a group share."""
    return tuple(group[key][0] for key in keys)


def check_columns(scored: object, wanted: Iterable[str]) -> None:
    """Raise InputError for a column that the table lacks."""
    names = names_of(scored)
    for name in wanted:
        if name not in names:
            raise InputError(f"there is no such column{near(name, names)}; there are {', '.join(names)}", column=name)


def check_scored(scored: object, metrics: Iterable[Metric]) -> None:
    """Raise InputError for a field that the table lacks."""
    names = names_of(scored)
    for metric in metrics:
        for name in metric.columns:
            if name not in names:
                problem = f"there is no such column{near(name, names)}; score the table with this metric first"
                raise InputError(problem, metric=metric.prefix + metric.name, column=name)


@dataclass(frozen=True, slots=True)
class Groups:
    """A table of which a few columns are read at a time, in groups of rows.

    schema  the types of the keys; `labels`: their values in each group, in the order of their first appearance
    leader  the first row of each row's group; None where all rows are one
    """

    scored: object
    schema: dict[str, pl.DataType]
    labels: list[tuple[object, ...]]
    leader: pl.Series | None

    def frames(self, metric: Metric, names: Iterable[str]) -> list[pl.DataFrame]:
        """Some fields of a metric by group, in their own types and one chunk each, so that sums have one order."""
        table = pick(self.scored, list(names)).rechunk()
        table = table.select(_typed(table[name], metric, metric.columns[name]) for name in table.columns)
        if self.leader is None:
            return [table]
        return table.with_columns(self.leader).partition_by(self.leader.name, maintain_order=True, include_key=False)


def groups_of(scored: object, keys: Sequence[str]) -> Groups:
    """The groups that `keys` make; one of all rows without keys."""
    if not keys:
        return Groups(scored, {}, [()], None)
    table = pick(scored, list(keys))
    row = "".join([*keys, "\0leader"])  # no key's name and no field's
    leader = table.with_row_index(row).select(pl.col(row).first().over(table.columns)).to_series()
    return Groups(scored, dict(table.schema), table.unique(maintain_order=True).rows(), leader)


def _typed(values: pl.Series, metric: Metric, spec: Field) -> pl.Series:
    """A column as its field's type, NaN as null."""
    numeric = spec.dtype in ("float64", "int64")
    try:
        if values.dtype != pl.Null and numeric != values.dtype.is_numeric():
            raise InputError(f"holds {values.dtype}, not {spec.dtype}", metric=metric.name, column=values.name)
        return values.fill_nan(None).cast(field_dtype(spec)) if numeric else values.cast(field_dtype(spec))
    except pl.exceptions.PolarsError as error:
        problem = f"does not hold values of a {spec.dtype} field: {error}"
        raise InputError(problem, metric=metric.name, column=values.name) from None
