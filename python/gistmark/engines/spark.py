"""`gistmark.spark`: a Spark DataFrame in, the same with scores out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gistmark.roles import Columns
from gistmark.score import stage
from gistmark_bindings import spark as binding
from gistmark_engine.metric import Metric

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def score(frame: DataFrame, metrics: Iterable[str | Metric] | None = None, columns: Columns | None = None) -> DataFrame:
    """`frame` with the fields of `metrics` as further columns (statuses as plain strings).

    metrics, columns  as in `gistmark.score`

    Lazy; rows stay in their partition and its order, so carry an id where order matters beyond that. Workers need this
    package and the Python that PYSPARK_PYTHON names. Raises, before anything runs, what `gistmark.score` raises,
    MissingExtra without pyspark, and OptionError for a metric that needs all rows at once.
    """
    binding.import_spark()
    return binding.score(frame, stage(frame.columns, metrics, columns))
