"""Rank statistics as Polars expressions over list columns, one series a row.

In `group_by` and `over` a column becomes a series a group by `pl.col("score").implode()`; all groups then go through
one call of the kernel:

    frame.group_by("metric").agg(gm.spearman(pl.col("level").implode(), pl.col("score").implode()))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl
import pyarrow as pa

from gistmark_engine import bootstrap, ranks

Series = str | pl.Expr

_STATUS = pl.Enum(ranks.REASONS)


def spearman(
    x: Series, y: Series | Sequence[float] | None = None, *, min_n: int = 2, missing: ranks.Missing = "drop"
) -> pl.Expr:
    """Spearman's rank correlation of two list columns: struct of `spearman`, `spearman_n`, `spearman_status`.

    x        list column (name or expression), one series a row
    y        list column of equally long series, a sequence of levels shared by all rows, or None: positions 0, 1, 2 …
    min_n    fewest pairs that make a coefficient
    missing  "drop" a pair with a null or NaN side, or "propagate" it

    Range [−1, 1]; ties get their average rank; a constant or too short series gives null and the reason
    ("too_few", "constant", "missing"). Equals scipy.stats.spearmanr (1.17.1).
    """
    return _correlation("spearman", x, y, min_n, missing)


def pearson(
    x: Series, y: Series | Sequence[float] | None = None, *, min_n: int = 2, missing: ranks.Missing = "drop"
) -> pl.Expr:
    """Pearson's correlation of two list columns: struct of `pearson`, `pearson_n`, `pearson_status`.

    Arguments as for `spearman`. Range [−1, 1]; an infinite value gives null with reason "infinite". Equals
    scipy.stats.pearsonr (1.17.1).
    """
    return _correlation("pearson", x, y, min_n, missing)


def kendall(
    x: Series, y: Series | Sequence[float] | None = None, *, min_n: int = 2, missing: ranks.Missing = "drop"
) -> pl.Expr:
    """Kendall's tau-b of two list columns: struct of `kendall`, `kendall_n`, `kendall_status`.

    Arguments as for `spearman`. Range [−1, 1]. Equals scipy.stats.kendalltau (1.17.1).
    """
    return _correlation("kendall", x, y, min_n, missing)


def monotonicity(
    scores: Series, direction: ranks.Direction, *, mode: ranks.Mode = "transition", tolerance: float = 0.05
) -> pl.Expr:
    """The share of consecutive steps of every series that go the expected way.

    scores     list column (name or expression), one series s₀ … s_L a row
    direction  "increase", "decrease", or "stable": |s_{k+1} − s_k| < tolerance·|s₀|, or no change at all
    mode       "transition", or for "stable" also "cumulative": |s_k − s₀|

    Struct of `monotonicity` (strict: a tie is no increase), `monotonicity_weak`, `tie_fraction` (share of steps without
    change), `monotonicity_n` (steps counted; one with a null end is not) and `monotonicity_status`. Range [0, 1].
    """
    compute = partial(ranks.monotonicity, direction=direction, mode=mode, tolerance=tolerance, column=name_of(scores))
    return expression("monotonicity", [scores], compute, numbers=("monotonicity", "monotonicity_weak", "tie_fraction"))


def mean_interval(values: Series, *, replicates: int = 1000, confidence: float = 0.95, seed: int = 0) -> pl.Expr:
    """The mean of every list with its bootstrap interval over the list's members.

    values  list column (name or expression); null and NaN are left out

    Struct `mean` of `mean`, `mean_low`, `mean_high`, `mean_n` and `mean_status`. The same seed gives the same bytes.
    """
    compute = partial(
        bootstrap.mean_interval, bootstrap=bootstrap.Bootstrap(replicates, confidence, seed), column=name_of(values)
    )
    return expression("mean", [values], compute, numbers=("mean", "mean_low", "mean_high"))


def _correlation(
    kind: ranks.Kind, x: Series, y: Series | Sequence[float] | None, min_n: int, missing: ranks.Missing
) -> pl.Expr:
    """The expression behind the three coefficients."""
    options = partial(ranks.correlate, kind, min_n=min_n, missing=missing)
    if isinstance(y, (str, pl.Expr)):
        return expression(kind, [x, y], partial(options, columns=(name_of(x), name_of(y))), numbers=(kind,))
    return expression(kind, [x], partial(options, y=y, columns=(name_of(x), "levels")), numbers=(kind,))


def expression(
    name: str, inputs: Sequence[Series], compute: Callable[..., Mapping[str, pa.Array]], numbers: Sequence[str]
) -> pl.Expr:
    """A struct column `name` of `numbers`, `{name}_n` and `{name}_status`, computed row by row from list columns."""
    dtype = pl.Struct({**dict.fromkeys(numbers, pl.Float64), f"{name}_n": pl.Int64, f"{name}_status": _STATUS})

    def run(columns: Sequence[pl.Series]) -> pl.Series:
        rows = next((len(column) for column in columns if len(column) != 1), 1)
        same = [column.new_from_index(0, rows) if len(column) == 1 else column for column in columns]
        found = compute(*(column.to_arrow() for column in same))
        return pl.DataFrame(dict(found)).select(pl.struct(pl.all()).cast(dtype)).to_series().alias(name)

    return pl.map_batches([column(each) for each in inputs], run, return_dtype=dtype, is_elementwise=True).alias(name)


def column(one: Series) -> pl.Expr:
    """A column name as an expression."""
    return pl.col(one) if isinstance(one, str) else one


def name_of(one: Series) -> str:
    """What errors call a column."""
    return one if isinstance(one, str) else one.meta.output_name(raise_if_undetermined=False) or "expression"
