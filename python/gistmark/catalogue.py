"""Every metric there is, as data: by name, by record, and as a table of fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from gistmark import metrics as factories
from gistmark.near import near
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric

_SCHEMA = pl.Schema(
    {
        "metric": pl.String(),
        "inputs": pl.List(pl.String()),
        "optional": pl.List(pl.String()),
        "field": pl.String(),
        "dtype": pl.String(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "better": pl.String(),
        "summary": pl.List(pl.String()),
        "levels": pl.List(pl.String()),
        "paper": pl.String(),
        "reference": pl.String(),
        "signature": pl.String(),
    }
)


def catalogue() -> dict[str, Metric]:
    """Every metric's record with default options, by name, in alphabetical order. Compiles and loads nothing."""
    return {name: getattr(factories, name)() for name in sorted(factories.__all__)}


def resolve(metrics: Iterable[str | Metric]) -> tuple[Metric, ...]:
    """Records for names or records, in order; a name stands for the metric with its default options.

    Raises OptionError for an unknown name (with the list of known ones) and for an empty list.
    """
    if isinstance(metrics, str | Metric):
        raise OptionError(f"metrics is a list, such as metrics=[{getattr(metrics, 'name', metrics)!r}]")
    chosen = tuple(_record(metric) for metric in metrics)
    if not chosen:
        raise OptionError(f"no metric given; there are {', '.join(sorted(factories.__all__))}")
    return chosen


def describe(metrics: Iterable[str | Metric] | None = None) -> pl.DataFrame:
    """One row a field of `metrics` (default: all there are).

    Columns: metric, inputs, optional (those of the inputs it can do without), field, dtype, low, high (null:
    unbounded), better ("higher", "lower" or null), summary (the statistics a table may give), levels (of an enum),
    paper, reference (the implementation it equals), signature.
    """
    chosen: Sequence[Metric] = tuple(catalogue().values()) if metrics is None else resolve(metrics)
    return pl.DataFrame([row for metric in chosen for row in _rows(metric)], schema=_SCHEMA)


def signature(metrics: Iterable[str | Metric]) -> dict[str, str]:
    """The signature of each metric by its prefixed name: equal for equal options, independent of any data."""
    return {metric.prefix + metric.name: metric.signature for metric in resolve(metrics)}


def _record(metric: str | Metric) -> Metric:
    if isinstance(metric, Metric):
        return metric
    if metric in factories.__all__:
        record: Metric = getattr(factories, metric)()
        return record
    raise OptionError(
        f"unknown metric {metric!r}{near(metric, factories.__all__)}; there are {', '.join(sorted(factories.__all__))}"
    )


def _rows(metric: Metric) -> list[dict[str, object]]:
    shared = {
        "metric": metric.prefix + metric.name,
        "inputs": list(metric.inputs),
        "optional": list(metric.optional),
        "paper": metric.cite.paper,
        "reference": metric.cite.reference,
        "signature": metric.signature,
    }
    return [
        shared
        | {
            "field": name,
            "dtype": spec.dtype,
            "low": spec.low,
            "high": spec.high,
            "better": spec.better,
            "summary": list(spec.summary),
            "levels": list(spec.levels),
        }
        for name, spec in metric.columns.items()
    ]
