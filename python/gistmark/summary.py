"""The end table: what columns of scores condense to, by system or over all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from itertools import chain

import polars as pl

from gistmark.catalogue import resolve
from gistmark.estimates import NO_BOUNDS, Bounds, Intervals, Line, Method
from gistmark.failures import ALARM, failure_rate
from gistmark.grouping import Groups, check_columns, check_scored, groups_of, keys_of
from gistmark.lines import corpus_columns, corpus_lines, field_lines
from gistmark.outputs import check_outputs
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.metric import STATUS_FIELD, Metric

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
    check_columns(scored, keys)
    check_scored(scored, chosen)
    groups = groups_of(scored, keys)
    rows: list[list[tuple[object, ...]]] = [[] for _ in groups.labels]
    for metric in chosen:
        for label, own, lines in zip(groups.labels, rows, _lines(groups, metric, how), strict=True):
            own += [(*label, metric.prefix + metric.name, *line, metric.signature) for line in lines]
    found = pl.DataFrame(chain.from_iterable(rows), schema=groups.schema | dict(_COLUMNS), orient="row")
    return found if how else found.drop(_BOUNDS)


def _lines(groups: Groups, metric: Metric, how: Intervals | None) -> list[list[tuple[object, ...]]]:
    """By group, the lines of a metric with its failures, then low and high, which are null unless wanted."""
    lines = _numbers(groups, metric)
    bounds = _bounds(groups, metric, how, lines) if how else [[NO_BOUNDS] * len(own) for own in lines]
    return [
        [(*astuple(line), *failed, *low_high) for line, low_high in zip(own, own_bounds, strict=True)]
        for own, failed, own_bounds in zip(lines, _failures(groups, metric), bounds, strict=True)
    ]


def _bounds(groups: Groups, metric: Metric, how: Intervals, lines: list[list[Line]]) -> list[list[Bounds]]:
    frames = groups.frames(metric, metric.columns)
    return [how.bounds(group, metric, own) for group, own in zip(frames, lines, strict=True)]


def _numbers(groups: Groups, metric: Metric) -> list[list[Line]]:
    """By group, the statistics that each field of the metric allows, then its corpus scores; one column at a time is read."""
    lines: list[list[Line]] = [[] for _ in groups.labels]
    for name, spec in metric.columns.items():
        if spec.summary:
            for own, group in zip(lines, groups.frames(metric, [name]), strict=True):
                own += field_lines(group[name], spec)
    if columns := corpus_columns(metric):
        for own, group in zip(lines, groups.frames(metric, columns.values()), strict=True):
            own += corpus_lines(group, metric)
    return lines


def _failures(groups: Groups, metric: Metric) -> list[tuple[float | None, bool | None]]:
    """By group, how many of a metric's rows failed, and whether that is too many."""
    status = next((name for name, spec in metric.columns.items() if spec == STATUS_FIELD), None)
    if status is None:
        return [(None, None)] * len(groups.labels)
    rates = [failure_rate(group[status]) for group in groups.frames(metric, [status])]
    return [(rate, None if rate is None else rate > ALARM) for rate in rates]
