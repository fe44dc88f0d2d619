"""The end table: what columns of scores condense to, by system or over all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import and_

import polars as pl

from gistmark.catalogue import resolve
from gistmark.frames import names_of, pick
from gistmark.near import near
from gistmark.outputs import check_outputs
from gistmark_bindings.polars import field_dtype
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Field, Metric

_COLUMNS: Mapping[str, pl.DataType] = {
    "metric": pl.String(),
    "field": pl.String(),
    "statistic": pl.String(),
    "level": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "n_null": pl.Int64(),
    "signature": pl.String(),
}

Line = tuple[str, str, str | None, float | None, int, int]


def summarise(scored: object, metrics: Iterable[str | Metric], by: str | Sequence[str] | None = None) -> pl.DataFrame:
    """One row a statistic that a field allows, in a group of rows.

    scored   a table of any kind that `score` returns, with the flat columns of `metrics`
    metrics  those it was scored with (names or records)
    by       column or columns that make the groups, in the order of their first appearance; None: all rows are one

    Returns the columns of `by`, then metric, field, statistic, level, value, n, n_null, signature. Statistics: "mean";
    "median"; "q1" and "q3" (linear interpolation); "share" (0 to 1) of each level of an enum or Boolean field;
    "corpus" for scores of a whole group that are no mean of its rows. A field gets only those its record allows.
    Nulls are left out and counted: n + n_null rows; a statistic of no value is null.

    Raises InputError for a column that is missing or not of its field's type, OptionError for a `by` of this table's
    own column names.
    """
    chosen = resolve(metrics)
    check_outputs(chosen)
    keys = [by] if isinstance(by, str) else list(by or [])
    if taken := sorted(set(keys) & set(_COLUMNS)):
        raise OptionError(f"the table has a column {taken[0]!r} of its own; rename it before grouping by it")
    _check_columns(names_of(scored), [*keys, *(name for metric in chosen for name in metric.columns)])
    groups = _groups(scored, keys)
    rows: list[list[tuple[object, ...]]] = [[] for _ in groups.labels]
    for metric in chosen:
        for group, lines in enumerate(_metric_lines(groups, metric)):
            head = (*groups.labels[group], metric.prefix + metric.name)
            rows[group] += [(*head, *line, metric.signature) for line in lines]
    return pl.DataFrame(chain.from_iterable(rows), schema=groups.schema | dict(_COLUMNS), orient="row")


@dataclass(frozen=True, slots=True)
class _Groups:
    """A table whose columns are read one at a time, each in groups of rows: `first` names each row's by its first row."""

    scored: object
    schema: dict[str, pl.DataType]
    labels: list[tuple[object, ...]]
    first: pl.Series | None

    def split(self, name: str, metric: Metric) -> list[pl.Series]:
        """A field's values by group, in its own type and one chunk each, so that sums have one order."""
        values = _typed(pick(self.scored, [name])[name].rechunk(), metric, metric.columns[name])
        if self.first is None:
            return [values]
        parts = pl.DataFrame([self.first, values]).partition_by(self.first.name, maintain_order=True)
        return [part[name] for part in parts]


def _groups(scored: object, keys: Sequence[str]) -> _Groups:
    """The groups that `keys` make, in the order of their first appearance; one of all rows without keys."""
    if not keys:
        return _Groups(scored, {}, [()], None)
    table = pick(scored, list(dict.fromkeys(keys)))
    row = "".join([*keys, "_row"])  # no key's name
    first = table.with_row_index(row).select(pl.col(row).first().over(table.columns)).to_series()
    return _Groups(scored, dict(table.schema), table.unique(maintain_order=True).rows(), first)


def _check_columns(names: Sequence[str], wanted: Iterable[str]) -> None:
    for name in wanted:
        if name not in names:
            raise InputError(f"there is no such column{near(name, names)}; there are {', '.join(names)}", column=name)


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


def _metric_lines(groups: _Groups, metric: Metric) -> list[list[Line]]:
    """By group, the statistics that each field of the metric allows, then its corpus scores."""
    lines: list[list[Line]] = [[] for _ in groups.labels]
    for name, spec in metric.columns.items():
        if spec.summary:
            for group, values in enumerate(groups.split(name, metric)):
                lines[group] += _field_lines(name, values, spec)
    for group, of_corpus in enumerate(_corpus_lines(groups, metric)):
        lines[group] += of_corpus
    return lines


def _field_lines(name: str, all_values: pl.Series, spec: Field) -> Iterator[Line]:
    """The statistics that a field allows, of one group's values."""
    values = all_values.drop_nulls()
    for statistic in spec.summary:
        for label, level, value in _numbers(statistic, values, spec):
            yield name, label, level, value, len(values), len(all_values) - len(values)


def _numbers(statistic: str, values: pl.Series, spec: Field) -> list[tuple[str, str | None, float | None]]:
    """Label, level and value of each number behind one name in `Field.summary`; `values` has no nulls."""
    if statistic == "mean":
        return [("mean", None, _number(values.mean()))]
    if statistic == "median":
        return [("median", None, _number(values.median()))]
    if statistic == "quartiles":
        return [(label, None, _number(values.quantile(at, "linear"))) for label, at in (("q1", 0.25), ("q3", 0.75))]
    texts = values.cast(pl.String)
    levels = ("true", "false") if spec.dtype == "bool" else spec.levels
    return [("share", level, _number((texts == level).mean())) for level in levels]


def _corpus_lines(groups: _Groups, metric: Metric) -> Iterator[list[Line]]:
    """By group, the corpus scores of a metric that has any, from sums over the rows where all its statistics are there."""
    if metric.corpus is None:
        return
    columns = {name: metric.prefix + name for name in metric.corpus.statistics}
    masks = [[values.is_not_null() for values in groups.split(column, metric)] for column in columns.values()]
    complete = [reduce(and_, masks_of_group) for masks_of_group in zip(*masks, strict=True)]
    sums: list[dict[str, float]] = [{} for _ in complete]
    for name, column in columns.items():
        for group, values in enumerate(groups.split(column, metric)):
            sums[group][name] = float(values.filter(complete[group]).sum())
    for mask, of_group in zip(complete, sums, strict=True):
        n = int(mask.sum())
        scores = metric.corpus.finish(of_group)
        yield [
            (metric.prefix + name, "corpus", None, value if n else None, n, len(mask) - n)
            for name, value in scores.items()
        ]


def _number(value: object) -> float | None:
    """What Polars gives for a statistic: a number, or None of no values."""
    return None if value is None else float(value)  # type: ignore[arg-type]
