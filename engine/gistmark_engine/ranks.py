"""Rank statistics of many short series: Arrow lists in, one number, count and reason a series out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.errors import InputError, OptionError

Kind = Literal["spearman", "pearson", "kendall"]
Direction = Literal["increase", "decrease", "stable"]
Mode = Literal["transition", "cumulative"]
Missing = Literal["drop", "propagate"]

REASONS = ("ok", "too_few", "constant", "missing", "infinite")
KINDS: tuple[Kind, ...] = ("spearman", "pearson", "kendall")
DIRECTIONS: tuple[Direction, ...] = ("increase", "decrease", "stable")

Arrow: TypeAlias = pa.Array | pa.ChunkedArray


@dataclass(frozen=True, slots=True)
class Series:
    """Many series: `values` float64 with NaN for null; series i has `lengths[i]` of them from `starts[i]`.

    `valid[i]` is False where the whole series is null; its length is then 0.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    valid: NDArray[np.bool_]


def correlate(
    kind: Kind,
    x: Arrow,
    y: Arrow | Sequence[float] | None = None,
    *,
    min_n: int = 2,
    missing: Missing = "drop",
    columns: tuple[str, str] = ("x", "y"),
) -> dict[str, pa.Array]:
    """A correlation coefficient for every pair of series.

    x, y     lists of numbers, one series a row, both sides of a row equally long; null and NaN are missing. `y` may be
             one sequence of levels that all series share; None stands for the positions 0, 1, 2 …
    kind     "spearman": Pearson's coefficient of average ranks; "pearson"; "kendall": tau-b by Knight's O(n log n)
             method. All in [−1, 1], exactly ±1 where the relation is perfect by rank.
    min_n    fewest pairs that make a coefficient (never below 2, where it is ±1 by nature)
    missing  "drop": a pair with a missing side is left out; "propagate": it leaves the coefficient undefined
    columns  what errors call x and y

    Returns `{kind}` (float64, null where undefined), `{kind}_n` (int64, pairs used) and `{kind}_status` (dictionary of
    `REASONS`: "too_few" pairs, a "constant" side, "missing" propagated, an "infinite" value under Pearson); all three
    are null where a whole series is.

    Equals scipy 1.17.1 (spearmanr, pearsonr, kendalltau), where scipy is defined, to 1e-12. Integers beyond 2^53 are
    rounded to float64 first.
    """
    _among("kind", kind, KINDS)
    _among("missing", missing, ("drop", "propagate"))
    from gistmark_engine.kernels import correlations as kernels

    xs = series(x, columns[0])
    ys = series(y, columns[1]) if isinstance(y, (pa.Array, pa.ChunkedArray)) else _levels(y, xs, columns[0])
    valid, lengths = _paired(xs, ys, columns)
    out, counts, status = _outputs(lengths.size)
    code = (kernels.SPEARMAN, kernels.PEARSON, kernels.KENDALL)[KINDS.index(kind)]
    kernels.correlate(
        code, xs.values, xs.starts, ys.values, ys.starts, lengths, min_n, missing == "drop", out, counts, status
    )
    return _columns(kind, {kind: out}, counts, status, valid)


def monotonicity(
    scores: Arrow,
    direction: Direction,
    *,
    mode: Mode = "transition",
    tolerance: float = 0.05,
    column: str = "scores",
) -> dict[str, pa.Array]:
    """The share of consecutive steps of every series that go the expected way.

    scores     lists of numbers s₀ … s_L, one series a row; null and NaN are missing, and a step with a missing end is
               left out of the denominator
    direction  "increase": s_{k+1} > s_k; "decrease": s_{k+1} < s_k; "stable": |s_{k+1} − s_k| < tolerance·|s₀|,
               strictly, or no change at all
    mode       "transition", or, for "stable" only, "cumulative": |s_k − s₀| in place of |s_{k+1} − s_k|, which sees
               a slow drift

    Returns `monotonicity` (float64 in [0, 1]), `monotonicity_weak` (the same with ≥, ≤ and ≤), `tie_fraction` (the
    share of steps without change), `monotonicity_n` (int64, steps counted) and `monotonicity_status` (dictionary of
    `REASONS`: "too_few" without a step, "missing" where "stable" lacks s₀); null where the whole series is.
    """
    _among("direction", direction, DIRECTIONS)
    _among("mode", mode, ("transition", "cumulative"))
    if mode == "cumulative" and direction != "stable":
        raise OptionError(f'mode="cumulative" belongs to direction="stable", not to {direction!r}')
    if not 0.0 <= tolerance < float("inf"):
        raise OptionError(f"tolerance must be a finite share of the first score, not {tolerance!r}")
    from gistmark_engine.kernels import monotonicity as kernels

    xs = series(scores, column)
    _, counts, status = _outputs(xs.lengths.size)
    shares = np.empty((3, xs.lengths.size))
    code = (kernels.INCREASE, kernels.DECREASE, kernels.STABLE)[DIRECTIONS.index(direction)]
    kernels.monotonicity(
        code, mode == "cumulative", float(tolerance), xs.values, xs.starts, xs.lengths, shares, counts, status
    )
    named = dict(zip(("monotonicity", "monotonicity_weak", "tie_fraction"), shares, strict=True))
    return _columns("monotonicity", named, counts, status, xs.valid)


def series(values: Arrow, column: str) -> Series:
    """Arrow lists of numbers (any list type, sliced, chunked, with nulls) as flat float64 values and bounds."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    try:
        lists = array.cast(pa.large_list(pa.float64()), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"holds {array.type}, but a series is a list of numbers a row "
            "(inside group_by or over, collect a column into lists: pl.col(…).implode())",
            column=column,
        ) from error
    valid = lists.is_valid().to_numpy(zero_copy_only=False)
    bounds = lists.offsets.to_numpy()
    flat = lists.values.to_numpy(zero_copy_only=False)
    return Series(_frozen(flat), _frozen(bounds[:-1]), np.diff(bounds) * valid, valid)


def _levels(levels: Sequence[float] | None, xs: Series, column: str) -> Series:
    """Levels shared by all series as a `Series` whose rows are one and the same piece of memory."""
    rows = xs.lengths.size
    if levels is None:
        flat, lengths = np.arange(xs.lengths.max(initial=0), dtype=np.float64), xs.lengths
    else:
        flat = np.array([np.nan if level is None else level for level in levels], dtype=np.float64)
        lengths = np.full(rows, flat.size, np.int64)
    return Series(_frozen(flat), _frozen(np.zeros(rows, np.int64)), lengths, np.ones(rows, np.bool_))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view: Arrow's buffers are, and numba compiles a kernel once more for arrays that are not."""
    view = array.view()
    view.flags.writeable = False
    return view


def _paired(xs: Series, ys: Series, columns: tuple[str, str]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which rows have both series, and how long they are; an error where the two differ in length."""
    if xs.lengths.size != ys.lengths.size:
        raise InputError(f"{columns[0]!r} has {xs.lengths.size} series, {columns[1]!r} has {ys.lengths.size}")
    valid = xs.valid & ys.valid
    unequal = np.flatnonzero(valid & (xs.lengths != ys.lengths))
    if unequal.size:
        row = int(unequal[0])
        raise InputError(
            f"a series of {xs.lengths[row]} against {ys.lengths[row]} of {columns[1]!r}", column=columns[0], row=row
        )
    return valid, xs.lengths * valid


def _outputs(rows: int) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint8]]:
    """Room for one number, count and status a series."""
    return np.empty(rows), np.empty(rows, np.int64), np.empty(rows, np.uint8)


def _columns(
    name: str,
    numbers: dict[str, NDArray[np.float64]],
    counts: NDArray[np.int64],
    status: NDArray[np.uint8],
    valid: NDArray[np.bool_],
) -> dict[str, pa.Array]:
    """Arrow columns: numbers null where undefined, everything null where a series is."""
    undefined = ~valid | (status != 0)
    codes = pa.array(status.astype(np.int8), mask=~valid)
    return {
        **{field: pa.array(values, mask=undefined) for field, values in numbers.items()},
        f"{name}_n": pa.array(counts, mask=~valid),
        f"{name}_status": pa.DictionaryArray.from_arrays(codes, pa.array(REASONS)),
    }


def _among(option: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse an option outside its list."""
    if value not in allowed:
        raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}")
