"""Every metric there is, by name, and the records that names stand for."""

from __future__ import annotations

from collections.abc import Iterable

from gistmark import metrics as factories
from gistmark.near import near
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric


def catalogue() -> dict[str, Metric]:
    """Every metric by name, alphabetically: its record with default options. Compiles and loads nothing.

    A record is data: `inputs`, `optional`, `fields` (type, range, direction and allowed statistics of each column),
    `options`, `cite`, `signature`.
    """
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


def signature(metrics: Iterable[str | Metric]) -> dict[str, str]:
    """The signature of each metric by its prefixed name: equal for equal options, independent of any data."""
    return {metric.prefix + metric.name: metric.signature for metric in resolve(metrics)}


def _record(metric: str | Metric) -> Metric:
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        raise OptionError(f"a metric is a name or a record such as gm.metrics.rouge(), not {metric!r}")
    if metric in factories.__all__:
        record: Metric = getattr(factories, metric)()
        return record
    raise OptionError(
        f"unknown metric {metric!r}{near(metric, factories.__all__)}; there are {', '.join(sorted(factories.__all__))}"
    )
