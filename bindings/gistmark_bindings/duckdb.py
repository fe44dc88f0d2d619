"""Metrics as a function of DuckDB's SQL: the only place that knows `create_function`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from gistmark_bindings.stage import Stage
from gistmark_engine.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TYPES = {pa.float64(): "DOUBLE", pa.int64(): "BIGINT", pa.bool_(): "BOOLEAN", pa.string(): "VARCHAR"}


def register(connection: DuckDBPyConnection, name: str, stage: Stage) -> None:
    """Make `name(…)` a function of `connection`: the texts of the stage's roles, in their order, to a STRUCT of all fields.

    What a metric holds is opened now and stays open.
    """
    try:
        from duckdb import func
    except ImportError:
        raise MissingExtra("scoring in DuckDB", "duckdb") from None
    columns = [column for column, _ in stage.inputs.values()]
    ready = stage.opened()

    def score(*texts: pa.Array) -> pa.Array:
        if len(texts) != len(columns):
            raise InputError(f"{name} takes {', '.join(columns)}, not {len(texts)} arguments")
        fields = ready.fields(dict(zip(columns, texts, strict=True)))
        return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))

    struct = ", ".join(f'"{field}" {_sql(kind)}' for field, kind in stage.types.items())
    connection.create_function(
        name, score, None, f"STRUCT({struct})", type=func.ARROW, null_handling=func.SPECIAL, side_effects=False
    )


def _sql(kind: pa.DataType) -> str:
    return f"{_sql(kind.value_type)}[]" if pa.types.is_list(kind) else _TYPES[kind]
