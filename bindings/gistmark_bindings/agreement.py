"""Agreement coefficients as Polars aggregations: one column a coder, one unit a row, one struct a group.

matches.group_by("metric").agg(gm.krippendorff("human", "decision", clusters="annotator", replicates=1000))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import polars as pl

from gistmark_bindings.ranks import Series, column, name_of
from gistmark_engine import agreement
from gistmark_engine.agreement import Agreement
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import OptionError
from gistmark_engine.ratings import Category


def krippendorff(
    *coders: Series,
    level: agreement.Level = "nominal",
    order: Sequence[Category] | None = None,
    clusters: Series | None = None,
    replicates: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
    on_constant: Literal["null", "one"] = "null",
) -> pl.Expr:
    """Krippendorff's alpha of the coders' columns, one number a group (or a frame). Range (−∞, 1].

    coders       columns of strings, Enums or numbers; null and NaN are missing ratings
    level        "nominal", "ordinal", "interval" or "ratio"; ordinal strings need `order`, an Enum has its own
    clusters     column of what the bootstrap resamples as a whole (annotators); None: rows
    replicates   bootstrap replicates behind the interval at `confidence`; 0: no interval
    on_constant  the value without any variation: "null", or "one"

    Struct of `krippendorff`, `krippendorff_low`, `krippendorff_high`, `krippendorff_n` (units with two ratings),
    `krippendorff_replicates` (those with a defined value: the interval is theirs) and `krippendorff_status` ("ok",
    "no_pairs", "constant"). Equals krippendorff 0.9.0. The same seed gives the same bytes.
    """
    bootstrap = Bootstrap(replicates, confidence, seed)
    compute = partial(agreement.krippendorff, level=level, bootstrap=bootstrap, on_constant=on_constant)
    return _aggregation("krippendorff", compute, coders, clusters, order)


def cohen(
    first: Series,
    second: Series,
    *,
    weights: agreement.Weights = "none",
    order: Sequence[Category] | None = None,
    clusters: Series | None = None,
    replicates: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.Expr:
    """Cohen's kappa of two coders' columns, one number a group (or a frame). Range [−1, 1].

    `weights` "linear" or "quadratic" count disagreements by the distance of the categories' positions. Everything else,
    and the struct's fields (named `cohen…`), as for `krippendorff`. Equals statsmodels 0.15.0.
    """
    compute = partial(agreement.cohen, weights=weights, bootstrap=Bootstrap(replicates, confidence, seed))
    return _aggregation("cohen", compute, (first, second), clusters, order)


def fleiss(
    *coders: Series,
    clusters: Series | None = None,
    replicates: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.Expr:
    """Fleiss' kappa of the coders' columns, one number a group (or a frame). Range [−1, 1].

    Every unit that is rated has the same number of ratings. Everything else, and the struct's fields (named
    `fleiss…`), as for `krippendorff`. Equals statsmodels 0.15.0.
    """
    compute = partial(agreement.fleiss, bootstrap=Bootstrap(replicates, confidence, seed))
    return _aggregation("fleiss", compute, coders, clusters, None)


def _aggregation(
    name: str,
    compute: Callable[..., Agreement],
    coders: Sequence[Series],
    clusters: Series | None,
    order: Sequence[Category] | None,
) -> pl.Expr:
    """A struct `name` a group. Groups arrive as lists, one a coder, so one call sees them all."""
    if len(coders) < 2:
        raise OptionError(f"{name} compares at least 2 coders, not {len(coders)}")
    numbers = {name: pl.Float64, f"{name}_low": pl.Float64, f"{name}_high": pl.Float64}
    counts = {f"{name}_n": pl.Int64, f"{name}_replicates": pl.Int64}
    dtype = pl.Struct({**numbers, **counts, f"{name}_status": pl.Enum(agreement.REASONS)})
    columns = [name_of(coder) for coder in coders]

    def one(groups: tuple[pl.Series, ...]) -> tuple[object, ...]:
        raters = groups[: len(coders)]
        labels = None if clusters is None else groups[-1].to_arrow()
        ordered = _enum_order(raters) if order is None and name != "fleiss" else order
        options = {} if ordered is None else {"order": ordered}
        found = compute([_plain(rater).to_arrow() for rater in raters], clusters=labels, columns=columns, **options)
        return (found.value, found.low, found.high, found.units, found.replicates, found.status)

    def run(lists: Sequence[pl.Series]) -> pl.Series:
        rows = [one(groups) for groups in zip(*lists, strict=True)]
        frame = pl.DataFrame(rows, schema=dtype.to_schema(), orient="row")
        return frame.select(pl.struct(pl.all())).to_series().alias(name)

    inputs = [column(each).implode() for each in (*coders, *([] if clusters is None else [clusters]))]
    return pl.map_batches(inputs, run, return_dtype=dtype, is_elementwise=True).alias(name)


def _enum_order(raters: Sequence[pl.Series]) -> list[str] | None:
    """The order of the categories where all coders use one and the same Enum."""
    first = raters[0].dtype
    same = isinstance(first, pl.Enum) and all(rater.dtype == first for rater in raters)
    return first.categories.to_list() if same and isinstance(first, pl.Enum) else None


def _plain(rater: pl.Series) -> pl.Series:
    """Categories as strings; everything else as it is."""
    return rater.cast(pl.String) if rater.dtype in (pl.Enum, pl.Categorical) else rater
