"""The columns a call would write, and the refusal to write one twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric

_CURE = 'give it a prefix, such as gistmark.metrics.{name}(…, prefix="{prefix}_")'


def check_outputs(metrics: Sequence[Metric], existing: Iterable[str] = ()) -> None:
    """Refuse two metrics that would write the same column, and a column that is already there."""
    owner: dict[str, Metric] = {}
    for metric in metrics:
        for column in metric.columns:
            if column in owner:
                cure = _CURE.format(name=metric.name, prefix="stem")
                raise OptionError(
                    f"metrics {_label(owner[column])} and {_label(metric)} would both write column {column!r}; {cure}"
                )
            owner[column] = metric
    for column in existing:
        if column in owner:
            cure = _CURE.format(name=owner[column].name, prefix="new")
            raise InputError(f"the data has this column already; {cure}", metric=owner[column].name, column=column)


def _label(metric: Metric) -> str:
    """A metric as an error names it: by its signature, since its name may be the other's too."""
    return repr(metric.signature)
