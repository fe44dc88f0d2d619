"""Whether a comparison stands on enough texts to say anything."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import polars as pl

from gistmark.corrections import Correction, corrected
from gistmark.significance import Method

BOOTSTRAP = 20
"""Texts below which the bootstrap's p is so much too small that it is said: of differences with normal noise and no more, it
calls 15% significant at 5% with 6 texts, 10% with 10, 7% with 20."""


def warn_of_few_texts(
    tests: pl.DataFrame, family: Sequence[str], correction: Correction | None, method: Method, level: float, floor: bool
) -> None:
    """Warn where a p cannot come below `level`, since exchanging two systems' scores of n texts gives none below 2 / 2^n,
    and otherwise where the bootstrap knows too little of chance.

    tests   the lines of a comparison, with n and p
    family  the columns in which those agree that `correction` takes together
    floor   whether p has that floor
    """
    tested = tests.filter(pl.col("p").is_not_null()).with_columns(
        p=2.0 ** (1 - pl.col("n").cast(pl.Float64)), together=pl.len().over(family) if family else pl.len()
    )
    if tested.is_empty():
        return
    tested = tested.with_columns(least=corrected(tested, family, correction)).sort("n", maintain_order=True)
    out_of_reach = tested.filter(pl.col("least") >= level)
    if floor and len(out_of_reach):
        n, together, least = out_of_reach.select("n", "together", "least").row(0)
        problem = f"{n} texts tell no systems apart: {_bound(least, together, correction, level)}"
    elif method == "bootstrap" and (n := tested["n"][0]) < BOOTSTRAP:
        problem = f"of {n} texts the bootstrap finds p too small and bounds too narrow; for p take method randomisation"
    else:
        return
    warnings.warn(problem, stacklevel=3)


def _bound(least: float, together: int, correction: Correction | None, level: float) -> str:
    """How small p can be, and of how many texts it can be small enough."""
    tests = together if correction == "holm" else 1
    after = f", after Holm over {tests} tests," if tests > 1 else ""
    wanted = math.floor(round(math.log2(2 * tests / level), 6)) + 1
    return f"p{after} is at least {least:.2g}; compare on {wanted} or more"
