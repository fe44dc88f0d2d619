"""The end table: what columns of scores condense to, by system or over all rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace

import polars as pl

from gistmark.catalogue import resolve
from gistmark.estimates import QUANTILES, Intervals, Line, Method
from gistmark.failures import ALARM, failure_rate
from gistmark.frames import names_of, pick
from gistmark.near import near
from gistmark.outputs import check_outputs
from gistmark_bindings.polars import field_dtype
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import STATUS_FIELD, Field, Metric

_COLUMNS: Mapping[str, pl.DataType] = {
    "metric": pl.String(),
    "field": pl.String(),
    "statistic": pl.String(),
    "level": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "n_null": pl.Int64(),
    "failure_rate": pl.Float64(),
    "marked": pl.Boolean(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "signature": pl.String(),
}
_BOUNDS = ("low", "high")


def summarise(
    scored: object,
    metrics: Iterable[str | Metric],
    by: str | Sequence[str] | None = None,
    *,
    intervals: Method | None = None,
    replicates: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """One row a statistic that a field allows, in a group of rows.

    scored     a table of any kind that `score` returns, with the flat columns of `metrics`
    metrics    those it was scored with (names or records)
    by         column or columns that make the groups, in the order of their first appearance; None: all rows are one
    intervals  "bootstrap": percentiles of `replicates` resamples of a group's rows, the same bytes for the same `seed`;
               "jackknife": value ± z · the error of leaving out one row each (none for medians and quartiles)

    Returns the columns of `by`, then metric, field, statistic, level, value, n, n_null, failure_rate, marked, signature; with
    `intervals` also low and high, before the signature. Statistics: "mean"; "median"; "q1" and "q3" (linear
    interpolation); "share" (0 to 1) of each level of an enum or Boolean field; "corpus" for scores of a whole group that
    are no mean of its rows. A field gets only those its record allows. The value is that of the rows themselves, whatever
    the seed.
    Nulls are left out and counted: n + n_null rows; a statistic of no value is null. `failure_rate` is the share of a
    metric's rows, those of null input aside, that ended failed or truncated (null for a metric without a status);
    `marked` says that it is above 5%.

    Raises InputError for a column that is missing or not of its field's type, OptionError for a `by` of this table's
    own column names.
    """
    chosen = resolve(metrics)
    check_outputs(chosen)
    how = Intervals(intervals, Bootstrap(replicates, confidence, seed)) if intervals is not None else None
    keys = keys_of(by, _COLUMNS)
    head = read(scored, chosen, keys, rows=0)
    groups: dict[int, list[tuple[object, ...]]] = {}
    for metric in chosen:
        failures = _failures(scored, metric, keys)
        for part in _parts(metric):
            for at, group in enumerate(_groups(read(scored, [part], keys), keys)):
                label = (*first(group, keys), metric.prefix + metric.name)
                groups.setdefault(at, []).extend(
                    (*label, *line[:6], *failures[at], *line[6:], metric.signature)
                    for line in _with_bounds(group, part, how)
                )
    rows = [row for of_group in groups.values() for row in of_group]
    found = pl.DataFrame(rows, schema={key: head.schema[key] for key in keys} | dict(_COLUMNS), orient="row")
    return found if how else found.drop(_BOUNDS)


def _parts(metric: Metric) -> Iterator[Metric]:
    """The metric as metrics of one field each, then one of its corpus: only so many columns are in memory at a time."""
    for name, spec in metric.fields.items():
        if spec.summary:
            yield replace(metric, fields={name: spec}, corpus=None)
    if metric.corpus:
        yield replace(
            metric, fields={name: replace(metric.fields[name], summary=()) for name in metric.corpus.statistics}
        )


def _groups(table: pl.DataFrame, keys: Sequence[str]) -> list[pl.DataFrame]:
    """Each group of rows, in the order of their first appearance."""
    return table.partition_by(keys, maintain_order=True) if keys else [table]


def keys_of(by: str | Sequence[str] | None, taken: Iterable[str]) -> list[str]:
    """The columns that make groups; OptionError for one that the table has itself."""
    keys = [by] if isinstance(by, str) else list(by or [])
    if own := sorted(set(keys) & set(taken)):
        raise OptionError(f"the table has a column {own[0]!r} of its own; rename it before grouping by it")
    return keys


def read(scored: object, metrics: Sequence[Metric], keys: Sequence[str], rows: int | None = None) -> pl.DataFrame:
    """The columns the table is made of, fields in their own types, in one chunk so that sums have one order.

    rows  how many of the first rows; None: all
    """
    names = names_of(scored)
    fields = {name: (metric, spec) for metric in metrics for name, spec in metric.columns.items()}
    for name in [*keys, *fields]:
        if name not in names:
            raise InputError(f"there is no such column{near(name, names)}; there are {', '.join(names)}", column=name)
    table = pick(scored, list(dict.fromkeys([*keys, *fields])), rows).rechunk()
    typed = [_typed(table[name], metric, spec) for name, (metric, spec) in fields.items()]
    return table.with_columns(typed)


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


def first(group: pl.DataFrame, keys: Sequence[str]) -> tuple[object, ...]:
    """The keys that the rows of a group share."""
    return tuple(group[key][0] for key in keys)


def lines_of(group: pl.DataFrame, metric: Metric) -> list[Line]:
    """Every statistic that the fields of the metric allow, then its corpus scores."""
    return [*_field_lines(group, metric), *_corpus_lines(group, metric)]


def _with_bounds(group: pl.DataFrame, metric: Metric, how: Intervals | None) -> Iterator[tuple[object, ...]]:
    """The lines of a metric, each with low and high, which are null unless wanted."""
    lines = lines_of(group, metric)
    bounds = how.bounds(group, metric, lines) if how else [(None, None)] * len(lines)
    for line, low_high in zip(lines, bounds, strict=True):
        yield *astuple(line), *low_high


def _field_lines(group: pl.DataFrame, metric: Metric) -> Iterator[Line]:
    """The statistics that each field of the metric allows."""
    for name, spec in metric.columns.items():
        values = group[name].drop_nulls()
        for statistic in spec.summary:
            for label, level, value in _numbers(statistic, values, spec):
                yield Line(name, label, level, value, len(values), len(group) - len(values))


def _numbers(statistic: str, values: pl.Series, spec: Field) -> list[tuple[str, str | None, float | None]]:
    """Label, level and value of each number behind one name in `Field.summary`; `values` has no nulls."""
    if statistic == "mean":
        return [("mean", None, _number(values.mean()))]
    if statistic == "median":
        return [("median", None, _number(values.median()))]
    if statistic == "quartiles":
        return [(label, None, _number(values.quantile(QUANTILES[label], "linear"))) for label in ("q1", "q3")]
    texts = values.cast(pl.String)
    levels = ("true", "false") if spec.dtype == "bool" else spec.levels
    return [("share", level, _number((texts == level).mean())) for level in levels]


def _corpus_lines(group: pl.DataFrame, metric: Metric) -> Iterator[Line]:
    """The corpus scores of a metric that has any, from sums over the rows where all its statistics are there."""
    if metric.corpus is None:
        return
    columns = {name: metric.prefix + name for name in metric.corpus.statistics}
    complete = group.drop_nulls(columns.values())
    scores = metric.corpus.finish({name: float(complete[column].sum()) for name, column in columns.items()})
    for name, value in scores.items():
        n = len(complete)
        yield Line(metric.prefix + name, "corpus", None, value if n else None, n, len(group) - n)


def _failures(scored: object, metric: Metric, keys: Sequence[str]) -> Mapping[int, tuple[float | None, bool | None]]:
    """By number of the group, how many of a metric's rows failed, and whether that is too many."""
    status = next((name for name, spec in metric.fields.items() if spec == STATUS_FIELD), None)
    if status is None:
        return defaultdict(lambda: (None, None))
    part = replace(metric, fields={status: STATUS_FIELD}, corpus=None)
    groups = _groups(read(scored, [part], keys), keys)
    rates = [failure_rate(group[metric.prefix + status]) for group in groups]
    return {at: (rate, None if rate is None else rate > ALARM) for at, rate in enumerate(rates)}


def _number(value: object) -> float | None:
    """What Polars gives for a statistic: a number, or None of no values."""
    return None if value is None else float(value)  # type: ignore[arg-type]
