"""How far coders agree beyond chance: Krippendorff's alpha, Cohen's and Fleiss' kappa, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.bootstrap import Bootstrap, percentiles
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.ratings import Arrow, Category, Ratings, ratings

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic"]

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
REASONS = ("ok", "no_pairs", "constant")
POINT = Bootstrap(replicates=0)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient (None where undefined), its interval, and what they rest on.

    units       units with at least two ratings
    replicates  bootstrap replicates whose coefficient was defined: the interval is theirs
    status      "ok"; "no_pairs": no unit has two ratings; "constant": no disagreement could be expected
    drawn       the replicates' coefficients, NaN where undefined; with equal seed and clusters replicate i is of the
                same resample in every call, so that means and differences of coefficients have intervals too
    """

    value: float | None
    low: float | None
    high: float | None
    units: int
    replicates: int
    status: str
    drawn: NDArray[np.float64] = field(repr=False, compare=False)


def krippendorff(
    coders: Sequence[Arrow],
    level: Level = "nominal",
    *,
    order: Sequence[Category] | None = None,
    clusters: Arrow | None = None,
    bootstrap: Bootstrap = POINT,
    on_constant: Literal["null", "one"] = "null",
    columns: Sequence[str] | None = None,
) -> Agreement:
    """Krippendorff's alpha of any number of coders, with missing ratings. Range (−∞, 1].

    coders       one Arrow array of strings or numbers a coder, one rating a unit; null and NaN are missing
    level        "nominal"; "ordinal" (numbers, or strings with their `order`); "interval"; "ratio" (numbers ≥ 0)
    order        the categories from lowest to highest; unused ones change nothing
    clusters     what the bootstrap resamples (annotators), one label a unit; None: units
    on_constant  coefficient of ratings without any variation: "null", or "one" where perfect agreement is meant

    Krippendorff 2018, Content Analysis, chapter 12; equals krippendorff 0.9.0 to 1e-12.
    """
    if level not in LEVELS:
        raise OptionError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    if on_constant not in ("null", "one"):
        raise OptionError(f'on_constant must be "null" or "one", not {on_constant!r}')
    given = ratings(coders, order, columns)
    _measurable(given, level)
    from gistmark_engine.kernels import disagreement as scales

    scale = (scales.NOMINAL, scales.ORDINAL, scales.INTERVAL, scales.RATIO)[LEVELS.index(level)]
    found = _agreement(given, clusters, bootstrap, scale, correction=1.0)
    return replace(found, value=1.0) if found.status == "constant" and on_constant == "one" else found


def cohen(
    coders: Sequence[Arrow],
    weights: Weights = "none",
    *,
    order: Sequence[Category] | None = None,
    clusters: Arrow | None = None,
    bootstrap: Bootstrap = POINT,
    columns: Sequence[str] | None = None,
) -> Agreement:
    """Cohen's kappa of two coders; a unit with a missing rating is left out. Range [−1, 1].

    `weights` "linear" and "quadratic" count a disagreement by the distance, or its square, of the categories' positions
    in `order` (numbers: in ascending order of those that occur). Other arguments as for `krippendorff`.

    Cohen 1960, 1968; equals statsmodels 0.15.0 (cohens_kappa) to 1e-12.
    """
    if weights not in WEIGHTS:
        raise OptionError(f"weights must be one of {', '.join(WEIGHTS)}, not {weights!r}")
    if len(coders) != 2:
        raise OptionError(f"Cohen's kappa compares 2 coders, not {len(coders)}; for more: fleiss or krippendorff")
    given = ratings(coders, order, columns)
    if weights != "none" and not given.ordered:
        raise OptionError(f'weights="{weights}" needs numbers, or `order`: the categories from lowest to highest')
    from gistmark_engine.kernels import disagreement as scales

    scale = (scales.NOMINAL, scales.LINEAR, scales.INTERVAL)[WEIGHTS.index(weights)]
    positions = replace(given, values=np.arange(given.values.size, dtype=np.float64))
    return _agreement(positions, clusters, bootstrap, scale, by_coder=True)


def fleiss(
    coders: Sequence[Arrow],
    *,
    clusters: Arrow | None = None,
    bootstrap: Bootstrap = POINT,
    columns: Sequence[str] | None = None,
) -> Agreement:
    """Fleiss' kappa of equally many ratings a unit; units without any rating are left out. Range [−1, 1].

    Arguments as for `krippendorff`. A unit with fewer ratings than another is an error: use `krippendorff` there.

    Fleiss 1971; equals statsmodels 0.15.0 (fleiss_kappa) to 1e-12.
    """
    given = ratings(coders, None, columns)
    sizes = (given.codes >= 0).sum(axis=1)
    uneven = np.flatnonzero((sizes > 0) & (sizes != sizes.max(initial=0)))
    if uneven.size:
        row = int(uneven[0])
        raise InputError(f"has {sizes[row]} ratings, another unit {sizes.max()}; krippendorff allows that", row=row)
    from gistmark_engine.kernels import disagreement as scales

    return _agreement(given, clusters, bootstrap, scales.NOMINAL)


def _measurable(given: Ratings, level: Level) -> None:
    """Refuse a level of measurement that the categories do not have."""
    if level == "ordinal" and not given.ordered:
        raise OptionError('level="ordinal" needs numbers, or `order`: the categories from lowest to highest')
    if level in ("interval", "ratio"):
        if not given.numeric:
            raise OptionError(f'level="{level}" needs numbers')
        odd = given.values[~np.isfinite(given.values) | ((level == "ratio") & (given.values < 0))]
        if odd.size:
            raise InputError(f"cannot be rated on a scale of level {level!r}", value=float(odd[0]))


def _agreement(
    given: Ratings,
    clusters: Arrow | None,
    bootstrap: Bootstrap,
    scale: int,
    *,
    by_coder: bool = False,
    correction: float = 0.0,
) -> Agreement:
    """The coefficient and its interval, from the units with two ratings or more."""
    from gistmark_engine.kernels import agreement as kernels

    labels = np.arange(given.codes.shape[0]) if clusters is None else _labels(clusters, given.codes.shape[0])
    size = int(labels.max(initial=-1)) + 1
    apart = np.empty(labels.size)
    kernels.disagreements(scale, given.codes, given.values, apart)
    observed: NDArray[np.float64] = np.bincount(labels, apart, minlength=size).astype(np.float64)
    totals = _totals(given, labels, size, by_coder)
    out = np.empty(1 + bootstrap.replicates)  # the data itself first, replicate −1
    kernels.replicates(
        scale, by_coder, correction, given.codes, given.values, labels, observed, *totals, bootstrap.seed, -1, out
    )
    low, high, defined = percentiles(out[1:], bootstrap.confidence)
    units = int(_pairable(given).sum())
    if np.isnan(out[0]):
        return Agreement(None, None, None, units, defined, "constant" if units else "no_pairs", out[1:])
    return Agreement(float(out[0]), low, high, units, defined, "ok", out[1:])


def _pairable(given: Ratings) -> NDArray[np.bool_]:
    """Which units have two ratings or more."""
    return (given.codes >= 0).sum(axis=1) > 1  # type: ignore[no-any-return]


def _totals(
    given: Ratings, labels: NDArray[np.int64], size: int, by_coder: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """How many ratings of pairable units each cluster has in each cell, in the layout `replicates` reads."""
    unit, coder = np.nonzero((given.codes >= 0) & _pairable(given)[:, None])
    cells = max(given.values.size * (2 if by_coder else 1), 1)
    cell = given.codes[unit, coder] + given.values.size * coder * by_coder
    keys, counts = np.unique(labels[unit] * cells + cell, return_counts=True)
    bounds = np.searchsorted(keys, np.arange(size + 1) * cells)
    return bounds, keys % cells, counts.astype(np.float64)


def _labels(clusters: Arrow, units: int) -> NDArray[np.int64]:
    """Each unit's cluster as a number from 0, in order of appearance."""
    if len(clusters) != units:
        raise InputError(f"{len(clusters)} clusters for {units} units")
    if clusters.null_count:
        row = next(k for k, label in enumerate(clusters) if not label.is_valid)
        raise InputError("a unit without a cluster cannot be resampled", column="clusters", row=row)
    encoded = clusters.combine_chunks() if isinstance(clusters, pa.ChunkedArray) else clusters
    return encoded.dictionary_encode().indices.to_numpy().astype(np.int64)  # type: ignore[no-any-return]
