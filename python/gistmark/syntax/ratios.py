"""The nine counts and fourteen ratios of syntactic complexity, by the names their columns carry."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.metric import Field

COUNTS = ("W", "S", "VP", "C", "T", "DC", "CT", "CP", "CN")
RATIOS: Mapping[str, tuple[str, str]] = {
    "MLS": ("W", "S"),
    "MLT": ("W", "T"),
    "MLC": ("W", "C"),
    "C_per_S": ("C", "S"),
    "VP_per_T": ("VP", "T"),
    "C_per_T": ("C", "T"),
    "DC_per_C": ("DC", "C"),
    "DC_per_T": ("DC", "T"),
    "T_per_S": ("T", "S"),
    "CT_per_T": ("CT", "T"),
    "CP_per_T": ("CP", "T"),
    "CP_per_C": ("CP", "C"),
    "CN_per_T": ("CN", "T"),
    "CN_per_C": ("CN", "C"),
}
FIELDS: dict[str, Field] = {f"syn_{name}": Field("int64", 0) for name in COUNTS} | {
    f"syn_{name}": Field("float64", 0) for name in RATIOS
}


def measures(counts: NDArray[np.int64], undefined: float) -> dict[str, NDArray[np.float64]]:
    """All 23 measures of rows of counts, int64 (rows, 9) in the order of `COUNTS`, as float64 by column name.

    A ratio with denominator 0 is `undefined` (NaN for null, 0.0 as the reference implementations have it).
    """
    columns = {name: counts[:, k].astype(np.float64) for k, name in enumerate(COUNTS)}
    ratios = {name: _divide(columns[top], columns[bottom], undefined) for name, (top, bottom) in RATIOS.items()}
    return {f"syn_{name}": column for name, column in (columns | ratios).items()}


def _divide(top: NDArray[np.float64], bottom: NDArray[np.float64], undefined: float) -> NDArray[np.float64]:
    """top / bottom, `undefined` where bottom is 0."""
    out = np.full(top.shape, undefined)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out
