"""Whether a comparison stands on enough texts to say anything."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import polars as pl

from gistmark.corrections import Correction, families
from gistmark.significance import Method

BOOTSTRAP = 20
"""Texts below which the bootstrap's p is so much too small that it is said: of differences with normal noise and no more, it
calls 15% significant at 5% with 6 texts, 10% with 10, 7% with 20."""


def warn_of_few_texts(
    tests: pl.DataFrame, family: Sequence[str], correction: Correction | None, method: Method, level: float
) -> None:
    """Warn where no p can come below `level`, since exchanging two systems' scores of n texts gives none below 2 / 2^n, and
    otherwise where the bootstrap knows too little of chance.

    tests   the lines of a comparison, with n and p
    family  the columns in which those agree that Holm's `correction` takes together
    """
    tested = tests.filter(pl.col("p").is_not_null())
    if tested.is_empty():
        return
    n: int = tested["n"].min()  # type: ignore[assignment]
    together = max(map(len, families(tests, family))) if correction == "holm" else 1
    least = together * 2.0 ** (1 - n)
    if least >= level:
        after = f", after Holm over {together} tests," if together > 1 else ""
        wanted = math.floor(round(math.log2(2 * together / level), 6)) + 1
        problem = (
            f"{n} texts tell no systems apart: p{after} is at least {min(least, 1.0):.2g}; compare on {wanted} or more"
        )
    elif method == "bootstrap" and n < BOOTSTRAP:
        problem = f"of {n} texts the bootstrap finds p too small and bounds too narrow; for p take method randomisation"
    else:
        return
    warnings.warn(problem, stacklevel=3)
