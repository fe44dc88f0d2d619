"""Mean agreement of families of metrics, and how agreement moves with the threshold."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from gistmark.studies.alphas import ALPHA_COLUMNS, Alpha, Judged, alpha, decided, paired_scores
from gistmark_engine.bootstrap import Bootstrap, percentiles

MULTIPLES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


def family_means(found: Iterable[Alpha], confidence: float = 0.95) -> pl.DataFrame:
    """The mean alpha of each family's metrics, a threshold kind and reading, with its bootstrap interval.

    A family's metrics under their published or default thresholds form one mean ("own"). Metrics without an alpha are
    left out and counted in n_null. Replicates resample the same annotators for all metrics.
    """
    groups: dict[tuple[str, str, str], list[Alpha]] = {}
    for one in found:
        kind = "own" if one.threshold in ("published", "default", "verdict") else one.threshold
        groups.setdefault((one.judged.family, kind, one.reading), []).append(one)
    rows = [(*key, *_mean(members, confidence)) for key, members in sorted(groups.items())]
    names = dict.fromkeys(("family", "threshold", "reading"), pl.String)
    numbers = dict.fromkeys(("alpha", "low", "high"), pl.Float64)
    counts = dict.fromkeys(("n", "n_null"), pl.Int64)
    return pl.DataFrame(rows, schema={**names, **numbers, **counts}, orient="row")


def _mean(members: list[Alpha], confidence: float) -> tuple[float | None, float | None, float | None, int, int]:
    """Mean alpha, its bounds, how many metrics have one and how many have none."""
    defined = [m.agreement for m in members if m.agreement.value is not None]
    if not defined:
        return None, None, None, 0, len(members)
    drawn = np.array([agreement.drawn for agreement in defined])
    present = ~np.isnan(drawn)
    count = present.sum(axis=0)
    means = np.full(drawn.shape[1], np.nan)
    np.divide(np.where(present, drawn, 0.0).sum(axis=0), count, out=means, where=count > 0)
    low, high, _ = percentiles(means, confidence)
    value = float(np.mean([agreement.value for agreement in defined]))
    return value, low, high, len(defined), len(members) - len(defined)


def sensitivity(
    matches: pl.DataFrame, scored: pl.DataFrame, judged: Iterable[Judged], multiples: Iterable[float] = MULTIPLES
) -> pl.DataFrame:
    """Alpha and decision rate of each column at multiples of its threshold, merged reading, without intervals.

    Columns with threshold 0 have nothing to multiply and are left out. High thresholds lower alpha by abstaining.
    """
    listed = [one for one in judged if one.threshold.value > 0]
    paired = paired_scores(matches, scored, [one.column for one in listed])
    rows = []
    for one in listed:
        for multiple in multiples:
            value = multiple * one.threshold.value
            found = alpha(paired, one, "multiple", value, "merged", decided(paired, one, value), Bootstrap())
            rows.append(found.row | {"multiple": multiple})
    return pl.DataFrame(rows, schema={**ALPHA_COLUMNS, "multiple": pl.Float64()}).drop("low", "high")
