"""The columns a call would write, and the refusal to write one twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric
from gistmark_engine.plan import check_distinct


def check_outputs(metrics: Sequence[Metric], existing: Iterable[str] = ()) -> None:
    """Refuse two metrics that would write the same column (OptionError), and a column already there (InputError)."""
    check_distinct(metrics)
    owner = {column: metric for metric in metrics for column in metric.columns}
    for column in existing:
        if column in owner:
            name = owner[column].name
            cure = f"give the metric a prefix, as in {name}(prefix='new_') or --set {name}.prefix=new_"
            raise InputError(f"the data has this column already; {cure}", metric=name, column=column)
