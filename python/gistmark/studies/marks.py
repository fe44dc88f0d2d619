"""What annotators wrote down, as numbers."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from gistmark_engine.errors import InputError


def marks(values: pl.Series, meaning: Mapping[int, str]) -> pl.Series:
    """Marks as float64, null where there is none; Booleans and numbers in text (CSV) are read as numbers.

    meaning  every mark there is, and what it stands for; any other raises InputError with column, row and value
    """
    allowed = ", ".join(f"{mark} ({name})" for mark, name in meaning.items())
    readable = values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.String, pl.Null)
    if not readable:
        raise InputError(f"marks are {allowed}, not {values.dtype}", column=values.name)
    numbers = values.cast(pl.Float64, strict=False)
    known = numbers.is_in([float(mark) for mark in meaning]).fill_null(False)
    wrong = (values.is_not_null() & ~known).arg_true()
    if len(wrong):
        raise InputError(f"marks are {allowed}", column=values.name, row=wrong[0], value=values[wrong[0]])
    return numbers
