"""Columns of numbers, whatever a file format has made of them."""

from __future__ import annotations

import polars as pl

from gistmark_engine.errors import InputError


def numbers(values: pl.Series) -> pl.Series:
    """The column as float64, numbers written as text read; InputError with the first row and value that is none."""
    if not (values.dtype.is_numeric() or values.dtype in (pl.String, pl.Boolean, pl.Null)):
        raise InputError(f"holds {values.dtype}, not numbers", column=values.name)
    found = values.cast(pl.Float64, strict=False)
    wrong = found.is_null() & values.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError("is no number", column=values.name, row=row, value=values[row])
    return found
