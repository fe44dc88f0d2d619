"""Whether one metric agrees better with the readers than another: differences of alpha, and exchanges of decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gistmark.studies.alphas import READINGS, Alpha
from gistmark_engine.agreement import Agreement, krippendorff
from gistmark_engine.bootstrap import Bootstrap, percentiles
from gistmark_engine.errors import OptionError
from gistmark_engine.resampling import randomisation_p

OWN = ("published", "default", "verdict")
"""The decisions that are compared: those at a metric's own threshold."""

COLUMNS: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("first", "second", "reading"), pl.String()),
    **dict.fromkeys(("difference", "low", "high", "p"), pl.Float64()),
    "n": pl.Int64(),
}


def comparisons(
    matches: pl.DataFrame, found: Sequence[Alpha], wanted: Iterable[tuple[str, str]], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Differences of two metrics' alphas, one row a pair and reading of "neither".

    matches  as from `sessions.matches_frame`; found: the alphas of these matches; wanted: pairs of metrics

    Only matches that both metrics decide enter. Bounds: percentiles of bootstrap replicates that resample annotators;
    p, two-sided: how often as large a difference comes out when the two metrics exchange all their decisions for a
    random half of the annotators (replicates and seed of the bootstrap). Both null without replicates, all numbers
    where an alpha is undefined.

    Columns: first, second, reading, difference, low, high, p, n (matches). Raises `OptionError` for an unknown metric.
    """
    own = {(one.judged.column, one.reading): one.decisions for one in found if one.threshold in OWN}
    known = ", ".join(dict.fromkeys(name for name, _ in own))
    rows = []
    for pair in wanted:
        for name in pair:
            if (name, READINGS[0]) not in own:
                raise OptionError(f"compare names {name!r}, which has no decisions; there are {known}")
        for reading in READINGS:
            sides = [own[name, reading].cast(pl.String).alias(side) for name, side in zip(pair, "ab", strict=True)]
            rows.append((*pair, reading, *_compared(matches.with_columns(sides), reading, bootstrap)))
    return pl.DataFrame(rows, schema=dict(COLUMNS), orient="row")


def _compared(paired: pl.DataFrame, reading: str, bootstrap: Bootstrap) -> tuple[float | int | None, ...]:
    """Difference, bounds, p and matches of one pair, whose decisions are the columns a and b."""
    used = paired.drop_nulls(["a", "b", "human"])
    if reading == "exclude":
        used = used.filter(pl.col("human") != "neither")
    if used.is_empty():
        return None, None, None, None, 0
    annotators = used["annotator"].rank("dense").cast(pl.Int64).to_numpy() - 1
    one, other = (_alpha(used, used[side], annotators, bootstrap) for side in "ab")
    if one.value is None or other.value is None:
        return None, None, None, None, used.height
    difference = one.value - other.value
    low, high, _ = percentiles(one.drawn - other.drawn, bootstrap.confidence)
    return difference, low, high, randomisation_p(_exchanged(used, annotators, bootstrap), difference), used.height


def _alpha(used: pl.DataFrame, decisions: pl.Series, annotators: NDArray[np.int64], bootstrap: Bootstrap) -> Agreement:
    coders = [series.cast(pl.String).to_arrow() for series in (used["human"], decisions)]
    return krippendorff(coders, clusters=pl.Series(annotators).to_arrow(), bootstrap=bootstrap)


def _exchanged(used: pl.DataFrame, annotators: NDArray[np.int64], bootstrap: Bootstrap) -> NDArray[np.float64]:
    """The differences once the metrics have exchanged their decisions for a random half of the annotators."""
    generator = np.random.default_rng(bootstrap.seed)
    differences = np.full(bootstrap.replicates, np.nan)
    for replicate in range(bootstrap.replicates):
        swap = pl.Series((generator.random(annotators.max() + 1) < 0.5)[annotators])
        both = used.select(
            pl.when(swap).then("b").otherwise("a").alias("a"), pl.when(swap).then("a").otherwise("b").alias("b")
        )
        one, other = (_alpha(used, both[side], annotators, Bootstrap(0)).value for side in "ab")
        if one is not None and other is not None:
            differences[replicate] = one - other
    return differences
