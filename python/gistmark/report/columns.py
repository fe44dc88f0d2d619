"""Which metric a column of a scored table belongs to, and what its record says about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from gistmark import metrics as factories
from gistmark.catalogue import catalogue
from gistmark.numbers import numbers
from gistmark_engine.metric import Citation, Field, Metric

OTHER = "other columns"
"""What floating-point columns are listed under that no metric of ours writes, such as human scores."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of scores: its name, its field's record, its metric's."""

    name: str
    spec: Field
    metric: Metric

    @property
    def owner(self) -> str:
        """The prefixed name of its metric."""
        return self.metric.prefix + self.metric.name

    @property
    def alone(self) -> Metric:
        """Its metric's record with no more fields than this one stands on."""
        corpus = self.metric.corpus if self.statistic == "corpus" else None
        kept = [self.name.removeprefix(self.metric.prefix), *(corpus.statistics if corpus else ())]
        return replace(self.metric, fields={name: self.metric.fields[name] for name in kept}, corpus=corpus)

    @property
    def statistic(self) -> str | None:
        """What condenses its numbers: "corpus", "mean", "median", or None where nothing does."""
        if self.metric.corpus and self.name == self.owner:
            return "corpus"
        numeric = self.spec.dtype in ("float64", "int64")
        return next((name for name in ("mean", "median") if numeric and name in self.spec.summary), None)

    @property
    def has_tail(self) -> bool:
        """Whether it is a ratio with a heavy tail, whose mean says nothing and which pictures show by its logarithm."""
        return self.statistic == "median" and self.spec.low == 0 and (self.spec.high or 0) > 1000


def recognised(frame: pl.DataFrame, signatures: Sequence[str] = ()) -> list[Column]:
    """The columns of `frame` that metrics have written, in its order, then other floating-point columns.

    signatures  those the file carries: they say which prefixes there are; without them only plain names are known
    """
    known = {
        name: Column(name, spec, metric) for metric in _records(signatures) for name, spec in metric.columns.items()
    }
    ours = [known[name] for name in frame.columns if name in known]
    spare = [name for name, dtype in frame.schema.items() if dtype.is_float() and name not in known]
    others = Metric(OTHER, (), dict.fromkeys(spare, Field()), run=lambda _: {}, cite=Citation(""))
    return ours + [Column(name, spec, others) for name, spec in others.fields.items()]


def typed(frame: pl.DataFrame, columns: Sequence[Column]) -> pl.DataFrame:
    """The table with numbers as numbers, which a CSV file has as text, NaN and infinity as null; InputError for others."""
    numeric = [column for column in columns if column.spec.dtype in ("float64", "int64")]
    for column in numeric:
        values = numbers(frame[column.name])
        frame = frame.with_columns(pl.when(values.is_finite()).then(values).alias(column.name))
    return frame


def by_metric(columns: Iterable[Column]) -> dict[str, list[Column]]:
    """The columns by the name of their metric, in order."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        found.setdefault(column.owner, []).append(column)
    return found


def plain_name(head: str) -> str | None:
    """The catalogue's name of a metric that may carry a prefix; None if it is no metric of ours."""
    return max((name for name in factories.__all__ if head.endswith(name)), key=len, default=None)


def _records(signatures: Sequence[str]) -> list[Metric]:
    """Every metric with as many fields as it can have, plain and under the prefixes that signatures name.

    A corpus score is only made with options that are known to be the scored ones: the default, and signed.
    """
    widest = catalogue() | {
        "rouge": factories.rouge(types=(*"123456789", "L", "Lsum")),
        "datastats": factories.datastats(orders=tuple(range(1, 10))),
    }
    heads = [signature.partition("|")[0] for signature in signatures]
    named = [(head, name) for head in heads if (name := plain_name(head)) and head != name]
    records = [*widest.values(), *(widest[name].prefixed(head.removesuffix(name)) for head, name in named)]
    return [one if one.signature in signatures else replace(one, corpus=None) for one in records]
