"""Scoring on Spark: Arrow batches through `mapInArrow`. The only place that knows Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from gistmark_bindings.stage import Stage
from gistmark_engine.errors import MissingExtra

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Item = TypeVar("Item")


def score(frame: DataFrame, stage: Stage) -> DataFrame:
    """`frame` with the fields of `stage`; rows stay in their partition and order.

    Values that a metric holds are opened once a partition.
    """
    import_spark()
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    added = [StructField(name, from_arrow_type(kind)) for name, kind in stage.types.items()]

    def score_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ready = stage.opened()
        for batch in batches:
            yield from ready(pa.Table.from_batches([batch])).combine_chunks().to_batches()

    return frame.mapInArrow(score_partition, StructType([*frame.schema.fields, *added]))


def each(work: Any, items: Sequence[Item]) -> Iterator[int]:
    """What `work`, opened once in every partition, says of each item; Spark tries those again whose worker died."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    context = import_spark().sql.SparkSession.builder.getOrCreate().sparkContext
    parts = context.parallelize(items, max(len(items), 1))
    yield from parts.mapPartitions(lambda some: map(work.opened(), some)).collect()


def import_spark() -> Any:
    """The package, or one sentence on how to get it."""
    try:
        import pyspark.sql
    except ImportError:
        raise MissingExtra("scoring on Spark", "spark") from None
    return pyspark
