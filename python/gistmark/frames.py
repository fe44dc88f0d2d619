"""Every kind of table that can be scored, seen alike: its column names, a column as Arrow, fields put beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from gistmark.lists import arrow_of
from gistmark_bindings.polars import check_fork, field_dtype, to_arrow, to_series
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Field

Arrays = Mapping[str, pa.Array]
Fields = Mapping[str, Field]


@dataclass(frozen=True, slots=True)
class Frame:
    """A table of any kind.

    names    its columns, in order
    column   a name → that column as an Arrow array; InputError for values that are no texts
    attach   the output arrays and their fields → a new table of the same kind: input columns, then the fields
    """

    names: list[str]
    column: Callable[[str], pa.Array | pa.ChunkedArray]
    attach: Callable[[Arrays, Fields], Any]


def frame(data: object) -> Frame:
    """The view of a Polars DataFrame, pandas DataFrame, Arrow table or record batch, or dict of lists."""
    if isinstance(data, pl.DataFrame):
        return _of_polars(data)
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _of_arrow(data)
    if isinstance(data, Mapping):
        return _of_lists(data)
    if is_pandas(data):
        return _of_pandas(data)
    raise InputError(
        "cannot score this; give a Polars, pandas or Arrow table, a dict of lists or a path", value=type(data).__name__
    )


def names_of(data: object) -> list[str]:
    """The column names of any table that can be scored."""
    return data.collect_schema().names() if isinstance(data, pl.LazyFrame) else frame(data).names


def pick(data: object, names: Sequence[str], rows: int | None = None) -> pl.DataFrame:
    """The columns `names` of any table that can be scored, as a Polars DataFrame; `rows`: only so many of the first rows."""
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        return data.lazy().select(names).slice(0, rows).collect()
    table = frame(data)
    columns = {name: table.column(name) for name in names}
    return pl.DataFrame([pl.Series(name, values[:rows]) for name, values in columns.items()])


def is_pandas(data: object) -> bool:
    """Whether `data` is a pandas DataFrame, told without importing pandas."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == "pandas"


def _of_polars(data: pl.DataFrame) -> Frame:
    check_fork()

    def attach(arrays: Arrays, fields: Fields) -> pl.DataFrame:
        return data.with_columns(to_series(name, arrays[name], field_dtype(spec)) for name, spec in fields.items())

    return Frame(data.columns, lambda name: to_arrow(data[name]), attach)


def _of_arrow(data: pa.Table | pa.RecordBatch) -> Frame:
    def attach(arrays: Arrays, fields: Fields) -> pa.Table | pa.RecordBatch:
        scored = data
        for name in fields:
            scored = scored.append_column(name, arrays[name])
        return scored

    return Frame(data.schema.names, data.column, attach)


def _of_lists(data: Mapping[str, Sequence[object]]) -> Frame:
    lengths = {name: _length(name, values) for name, values in data.items()}
    for name, length in lengths.items():
        first, rows = next(iter(lengths.items()))
        if length != rows:
            raise InputError(f"has {length} values where column {first!r} has {rows}", column=name)

    def attach(arrays: Arrays, fields: Fields) -> dict[str, Any]:
        return dict(data) | {name: arrays[name].to_pylist() for name in fields}

    return Frame(list(data), lambda name: arrow_of(name, data[name]), attach)


def _length(name: str, values: object) -> int:
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise InputError("a dict of lists is wanted, one value a row", column=name, value=values)
    return len(values)


def _of_pandas(data: Any) -> Frame:
    def attach(arrays: Arrays, fields: Fields) -> Any:
        import pandas as pd  # the caller has it: the data is its frame

        nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        scored = pa.table({name: arrays[name] for name in fields}).to_pandas(types_mapper=nullable.get)
        return pd.concat([data, scored.set_axis(data.index, axis=0)], axis=1)

    return Frame(
        [name for name in data.columns if isinstance(name, str)], lambda name: arrow_of(name, data[name]), attach
    )
