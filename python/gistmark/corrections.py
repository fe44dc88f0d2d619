"""p of many tests at once, corrected for their number."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

Correction = Literal["holm", "bh"]
Family = Literal["field", "all"]
Floats = NDArray[np.float64]

ADJUSTED = "p_adjusted"
FAMILIES: tuple[Family, ...] = ("field", "all")


def holm(p: Floats) -> Floats:
    """p after Holm: below α, the chance of one false finding or more among all tests stays below α, however they depend.

    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6.
    """
    order = np.argsort(p, kind="stable")
    return _back(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), order)


def benjamini_hochberg(p: Floats) -> Floats:
    """p after Benjamini and Hochberg: below α, at most a share α of the findings is false on average (tests that are
    independent or depend positively).

    Benjamini and Hochberg 1995, Controlling the False Discovery Rate, Journal of the Royal Statistical Society B 57.
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum.accumulate(scaled[::-1])[::-1], order)


CORRECTIONS: Mapping[Correction, Callable[[Floats], Floats]] = {"holm": holm, "bh": benjamini_hochberg}


def corrected(tests: pl.DataFrame, family: Sequence[str], correction: Correction | None) -> pl.Series:
    """The column p of `tests` corrected among the rows alike in the columns `family`; null where there is no p."""
    p = tests["p"].cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
    if correction is not None:
        for places in _families(tests, family):
            p[places] = CORRECTIONS[correction](p[places])
    return pl.Series(ADJUSTED, p, nan_to_null=True)


def warn_if_out_of_reach(tests: pl.DataFrame, family: Sequence[str], replicates: int, level: float) -> None:
    """Warn where so many tests of one family let no p come below `level` after Holm: resampling gives none below
    1 / (replicates + 1)."""
    most = max((len(places) for places in _families(tests, family)), default=0)
    if most / (replicates + 1) >= level:
        wanted = math.ceil(round(most / level, 6))
        warnings.warn(
            f"{most} tests corrected together by Holm: with {replicates} replicates none can be below {level:.2g}; "
            f"ask for at least {wanted}, or compare fewer",
            stacklevel=3,
        )


def _families(tests: pl.DataFrame, family: Sequence[str]) -> list[list[int]]:
    """The places of the rows with a p, those of one family together."""
    places = tests.with_row_index("at").filter(pl.col("p").is_not_null())
    parts = places.partition_by(family) if family else [places]
    return [part["at"].to_list() for part in parts]


def _back(ordered: Floats, order: NDArray[np.intp]) -> Floats:
    """Corrected values, at most 1, each in the place of its p."""
    found = np.empty_like(ordered)
    found[order] = np.minimum(ordered, 1.0)
    return found
