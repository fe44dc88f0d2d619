"""Ratings of several coders, as small integers that kernels can count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.errors import InputError, OptionError

Arrow: TypeAlias = pa.Array | pa.ChunkedArray
Category: TypeAlias = str | float


@dataclass(frozen=True, slots=True)
class Ratings:
    """What coders said of units.

    codes    int32 (units, coders): index of a rating's category, −1 for missing
    values   float64 (categories): the categories as numbers, ascending (their positions where they are no numbers)
    numeric  whether the categories are numbers
    ordered  whether their order means something: they are numbers, or the caller listed them
    """

    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    numeric: bool
    ordered: bool


def ratings(
    coders: Sequence[Arrow], order: Sequence[Category] | None = None, columns: Sequence[str] | None = None
) -> Ratings:
    """The ratings of each coder, one Arrow array of strings or numbers a coder; null and NaN are missing.

    `order` lists all categories from lowest to highest; a rating outside it is an error. `columns` name the coders.
    """
    names = list(columns or (f"coder {k}" for k in range(len(coders))))
    sizes = {len(coder) for coder in coders}
    if len(sizes) != 1:
        raise InputError(f"coders rate different numbers of units: {sorted(sizes)}" if sizes else "no coder")
    flat = [coder.combine_chunks() if isinstance(coder, pa.ChunkedArray) else coder for coder in coders]
    numeric = all(_is_number(array.type) for array in flat)
    if not numeric and any(_is_number(array.type) and not pa.types.is_null(array.type) for array in flat):
        raise InputError(f"some coders give numbers, others text: {', '.join(str(array.type) for array in flat)}")
    table = np.stack([_plain(array, numeric, name) for array, name in zip(flat, names, strict=True)], axis=1)
    present = ~np.isnan(table) if numeric else np.vectorize(_given, otypes=[np.bool_])(table)
    found, code = np.unique(table[present], return_inverse=True)
    categories = found.tolist() if order is None else list(order)
    if len(set(categories)) != len(categories):
        raise OptionError(f"order lists a category twice: {categories}")
    for stranger in set(found.tolist()) - set(categories):
        row, coder = np.argwhere(present & (table == stranger))[0]
        raise InputError("a rating outside order", column=names[coder], row=int(row), value=stranger)
    codes = np.full(table.shape, -1, np.int32)
    index = {category: k for k, category in enumerate(categories)}
    codes[present] = np.array([index[one] for one in found.tolist()], np.int32)[code]
    places = np.array(categories if numeric else range(len(categories)), dtype=np.float64)
    return Ratings(codes, places, numeric, numeric or order is not None)


def _given(rating: object) -> bool:
    """Whether there is a rating."""
    return rating is not None


def _is_number(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds numbers (a column of nothing but nulls may)."""
    types = pa.types
    return any(test(kind) for test in (types.is_integer, types.is_floating, types.is_boolean, types.is_null))


def _plain(array: pa.Array, numeric: bool, name: str) -> NDArray[np.generic]:
    """One coder's ratings as float64 with NaN, or as strings with None."""
    try:
        if not numeric:
            return np.array(array.cast(pa.large_string()).to_pylist(), dtype=object)
        numbers = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array
        filled = numbers.cast(pa.float64(), safe=False).fill_null(float("nan"))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"holds {array.type}, but ratings are strings or numbers", column=name) from error
    return filled.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
