"""The numbers of the end table that a group of rows gives."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from gistmark.estimates import Line
from gistmark_engine.metric import Field, Metric


def lines_of(group: pl.DataFrame, metric: Metric) -> list[Line]:
    """Every statistic that the fields of the metric allow, then its corpus scores."""
    lines = [line for name, spec in metric.columns.items() for line in field_lines(group[name], spec)]
    return [*lines, *corpus_lines(group, metric)]


def field_lines(every: pl.Series, spec: Field) -> Iterator[Line]:
    """The statistics that a field allows."""
    values = every.drop_nulls()
    for statistic in spec.summary:
        for label, level, value in _numbers(statistic, values, spec):
            yield Line(every.name, label, level, value, len(values), len(every) - len(values))


def corpus_columns(metric: Metric) -> dict[str, str]:
    """Statistic → column, of a metric that has scores of a corpus."""
    return {name: metric.prefix + name for name in metric.corpus.statistics} if metric.corpus else {}


def corpus_lines(group: pl.DataFrame, metric: Metric) -> Iterator[Line]:
    """The corpus scores of a metric that has any, from sums over the rows where all its statistics are there."""
    if metric.corpus is None:
        return
    columns = corpus_columns(metric)
    complete = group.drop_nulls(columns.values())
    scores = metric.corpus.finish({name: float(complete[column].sum()) for name, column in columns.items()})
    for name, value in scores.items():
        n = len(complete)
        yield Line(metric.prefix + name, "corpus", None, value if n else None, n, len(group) - n)


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


def _number(value: object) -> float | None:
    """What Polars gives for a statistic: a number, or None of no values."""
    return None if value is None else float(value)  # type: ignore[arg-type]
