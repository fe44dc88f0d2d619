"""How far metrics decide as readers do: Krippendorff's alpha a metric and a family, with decision rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from gistmark.studies.decisions import Threshold, accept, decide
from gistmark_engine.agreement import Agreement, krippendorff
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError

KEYS = ("annotator", "query_id", "label")
READINGS = ("merged", "exclude")
INTERVALS = Bootstrap(1000)


@dataclass(frozen=True, slots=True)
class Judged:
    """A column of scores that the study turns into decisions.

    family  the group whose mean alpha it enters ("automatic", a judge's model …)
    cut     the score from which a summary is acceptable; None: the reading "acceptability" is left out
    """

    column: str
    family: str
    threshold: Threshold
    cut: float | None = None


@dataclass(frozen=True, slots=True)
class Alpha:
    """One metric's agreement with the readers under one threshold and one reading of "neither"."""

    judged: Judged
    threshold: str
    value: float | None
    reading: str
    decisions: pl.Series
    agreement: Agreement

    @property
    def row(self) -> dict[str, object]:
        """The row it makes in a table."""
        decided, found = self.decisions.drop_nulls(), self.agreement
        rate = None if decided.is_empty() else float((decided != "neither").sum()) / decided.len()
        return {
            "metric": self.judged.column,
            "family": self.judged.family,
            "threshold": self.threshold,
            "value": self.value,
            "direction_assumed": self.judged.threshold.assumed,
            "reading": self.reading,
            "alpha": found.value,
            "low": found.low,
            "high": found.high,
            "n": found.units,
            "n_null": self.decisions.null_count(),
            "decision_rate": rate,
            "status": found.status,
        }


ALPHA_COLUMNS: Mapping[str, pl.DataType] = {
    "metric": pl.String(),
    "family": pl.String(),
    "threshold": pl.String(),
    "value": pl.Float64(),
    "direction_assumed": pl.Boolean(),
    "reading": pl.String(),
    "alpha": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "n_null": pl.Int64(),
    "decision_rate": pl.Float64(),
    "status": pl.String(),
}


def paired_scores(matches: pl.DataFrame, scored: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """The matches with each score column of `scored` twice, as `column_left` and `column_right`.

    scored  one row a summary: annotator, query_id, label and the score columns. Raises `InputError` where a summary
            of a match is missing or occurs twice.
    """
    names = list(dict.fromkeys(columns))
    doubled = scored.filter(scored.select(KEYS).is_duplicated())
    if doubled.height:
        raise InputError("a summary is scored twice", column="label", value=doubled.select(KEYS).row(0))
    out = matches
    for side in ("left", "right"):
        renamed = scored.select(*KEYS, *(pl.col(name).alias(f"{name}_{side}") for name in names), __found=pl.lit(True))
        keys = {"left_on": ["annotator", "query_id", side], "right_on": list(KEYS)}
        out = out.join(renamed, how="left", maintain_order="left", **keys)  # type: ignore[arg-type]
        lost = out.filter(pl.col("__found").is_null())
        if lost.height:
            raise InputError(
                "no scores for a summary of a match", value=lost.select("annotator", "query_id", side).row(0)
            )
        out = out.drop("__found")
    return out


def alphas(
    matches: pl.DataFrame,
    scored: pl.DataFrame,
    judged: Iterable[Judged],
    verdicts: Mapping[str, tuple[str, pl.Series]] | None = None,
    bootstrap: Bootstrap = INTERVALS,
) -> list[Alpha]:
    """The agreement of every column with the readers, at its threshold and at 0, under every reading of "neither".

    matches   as from `sessions.matches_frame`
    verdicts  decisions of pairwise judges: name → (family, one of left, right, neither or null a row of `matches`)

    Readings: "merged": a metric too close to call and a reader who accepts neither are one category, as the paper has
    it. "exclude": matches in which the reader accepted neither are left out. "acceptability": the metric says neither
    where no score reaches its cut (columns with a cut only).
    """
    listed = list(judged)
    paired = paired_scores(matches, scored, [one.column for one in listed])
    found = [alpha for one in listed for alpha in _of_column(paired, one, bootstrap)]
    for name, (family, decisions) in (verdicts or {}).items():
        judge, given = Judged(name, family, Threshold(0.0)), decisions.cast(matches["human"].dtype)
        found += [alpha(paired, judge, "verdict", None, reading, given, bootstrap) for reading in READINGS]
    return found


def _of_column(paired: pl.DataFrame, one: Judged, bootstrap: Bootstrap) -> Iterator[Alpha]:
    """The agreements of one column."""
    for kind, value in (("published" if one.threshold.paper else "default", one.threshold.value), ("zero", 0.0)):
        decisions = decided(paired, one, value)
        for reading in READINGS:
            yield alpha(paired, one, kind, value, reading, decisions, bootstrap)
    if one.cut is not None:
        left, right = pl.col(f"{one.column}_left"), pl.col(f"{one.column}_right")
        decisions = paired.select(accept(left, right, one.cut, one.threshold.higher)).to_series()
        yield alpha(paired, one, "cut", one.cut, "acceptability", decisions, bootstrap)


def decided(paired: pl.DataFrame, one: Judged, value: float) -> pl.Series:
    """A column's decision of every match at the threshold `value`."""
    left, right = pl.col(f"{one.column}_left"), pl.col(f"{one.column}_right")
    return paired.select(decide(left, right, value, one.threshold.higher)).to_series()


def alpha(
    paired: pl.DataFrame,
    one: Judged,
    kind: str,
    value: float | None,
    reading: str,
    decisions: pl.Series,
    bootstrap: Bootstrap,
) -> Alpha:
    """One agreement: reader and metric code each match, annotators are resampled whole."""
    human = paired["human"]
    if reading == "exclude":
        human = paired.select(pl.when(pl.col("human") != "neither").then(pl.col("human"))).to_series()
    coders = [series.cast(pl.String).to_arrow() for series in (human, decisions)]
    agreement = krippendorff(coders, clusters=paired["annotator"].to_arrow(), bootstrap=bootstrap)
    return Alpha(one, kind, value, reading, decisions, agreement)


def table(found: Iterable[Alpha]) -> pl.DataFrame:
    """One row an agreement: metric, family, threshold and its value, reading, alpha with bounds, n, n_null,
    decision_rate (share of non-null decisions for a side), status."""
    return pl.DataFrame([alpha.row for alpha in found], schema=ALPHA_COLUMNS)
