"""One step of somebody else's pipeline: an Arrow table in, the same rows with their scores out. Can be pickled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from gistmark_bindings.roles import column
from gistmark_engine.assemble import arrow_type
from gistmark_engine.columns import Kind
from gistmark_engine.errors import OptionError
from gistmark_engine.job import held
from gistmark_engine.metric import Field, Metric
from gistmark_engine.plan import score_columns


@dataclass(frozen=True)
class Stage:
    """What every engine runs on its workers.

    metrics  what to score; engines hand rows out in batches, so each has to be row-local
    inputs   role → the column that stands in it and what its values are
    threads  of one batch; engines run many batches at a time, so one is enough
    """

    metrics: tuple[Metric, ...]
    inputs: Mapping[str, tuple[str, Kind]]
    threads: int = 1

    def __post_init__(self) -> None:
        for metric in self.metrics:
            if not metric.row_local:
                raise OptionError(f"metric {metric.name!r} needs all rows at once; score it with gm.score")

    def __call__(self, table: pa.Table) -> pa.Table:
        """`table` with the fields after its own columns."""
        for name, values in self.fields({name: table.column(name) for name, _ in self.inputs.values()}).items():
            table = table.append_column(name, values)
        return table

    def fields(self, texts: Mapping[str, pa.Array | pa.ChunkedArray]) -> dict[str, pa.Array]:
        """The fields of the texts in `texts`, by the name of their column; an enum as plain strings."""
        columns = {role: column(texts[name], name, role, kind) for role, (name, kind) in self.inputs.items()}
        scored = score_columns(columns, self.metrics, threads=self.threads)
        return {name: scored[name].cast(kind) for name, kind in self.types.items()}

    @property
    def types(self) -> dict[str, pa.DataType]:
        """The Arrow type of every field, as all engines know it."""
        return {name: plain_type(field) for metric in self.metrics for name, field in metric.columns.items()}

    def only(self, metrics: Sequence[Metric]) -> Stage:
        """The same step for some of its metrics."""
        read = {role for metric in metrics for role in metric.inputs}
        return replace(self, metrics=tuple(metrics), inputs={r: c for r, c in self.inputs.items() if r in read})

    def opened(self) -> Stage:
        """The same step on a worker that lives for many batches."""
        return replace(self, metrics=hold(self.metrics))


def holds(metric: Metric) -> bool:
    """Whether it keeps something open between batches: a model, a judge's cache, a parser."""
    return hasattr(metric.run, "open")


def hold(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics, what they hold opened now, once, for as long as the process lives."""
    for run in {id(metric.run): metric.run for metric in metrics if holds(metric)}.values():
        run.open()  # type: ignore[attr-defined]
    return held(metrics)


def plain_type(field: Field) -> pa.DataType:
    """The Arrow type of a field, an enum as string: not every engine has dictionaries that agree over batches."""
    return pa.string() if field.dtype == "enum" else arrow_type(field)
