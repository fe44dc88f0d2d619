"""Columns of Python objects as Arrow, or the row that is no text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from gistmark_bindings.polars import to_arrow
from gistmark_engine.errors import InputError

_LISTS = (list, tuple, np.ndarray)


def arrow_of(name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    """`values` (a list, numpy array, pandas or Polars series) as Arrow; None and NaN are null.

    Raises InputError naming the first row whose value is of another kind than those before it.
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if isinstance(values, pl.Series):
        return to_arrow(values)
    try:
        return pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        raise _bad_row(name, values, _encodes, "is not valid Unicode (a lone surrogate)") from None
    except OverflowError:
        raise _bad_row(name, values, _fits, "holds an integer beyond 64 bits with a sign") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise _odd_row(name, values, str(error)) from None


def _bad_row(name: str, values: Iterable[object], is_good: Callable[[object], bool], problem: str) -> InputError:
    """The error for the first row that is not good; for the oddest where they all are, as where it lies in a dict."""
    bad = next(((row, value) for row, value in enumerate(values) if not is_good(value)), None)
    return InputError(problem, column=name, row=bad[0], value=bad[1]) if bad else _odd_row(name, values, problem)


def _odd_row(name: str, values: Iterable[object], reason: str) -> InputError:
    """The error for the first row whose shape differs from the first row that has one."""
    expected = ""
    for row, value in enumerate(values):
        shape = _shape(value)
        if "mixed" in shape or (expected and shape not in ("", expected)):
            wanted = expected or "one kind of value"
            return InputError(f"holds {shape} where {wanted} is expected", column=name, row=row, value=value)
        expected = expected or shape
    return InputError(f"cannot be read as text: {reason}", column=name)


def _shape(value: object) -> str:
    """What a cell holds: "" for a null, "str", "list of str", the name of any other type."""
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return ""
    if not isinstance(value, _LISTS):
        return type(value).__name__
    inner = sorted({_shape(item) for item in value} - {""})
    return f"list of {inner[0] if len(inner) == 1 else 'mixed ' + ' and '.join(inner)}" if inner else ""


def _encodes(value: object) -> bool:
    """Whether every string in a cell is valid Unicode."""
    if isinstance(value, _LISTS):
        return all(_encodes(item) for item in value)
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def _fits(value: object) -> bool:
    """Whether every integer in a cell fits 64 bits with a sign."""
    if isinstance(value, _LISTS):
        return all(_fits(item) for item in value)
    return not isinstance(value, int | np.integer) or -(2**63) <= int(value) < 2**63
