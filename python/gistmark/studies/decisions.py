"""From two scores to a decision: left, right, or neither where they are too close to call."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources

import polars as pl

from gistmark.studies.tournament import CHOICES

DECISION = pl.Enum(CHOICES)


@dataclass(frozen=True, slots=True)
class Threshold:
    """How far two scores must lie apart before they decide, and which one then wins.

    paper      whether the threshold is one of the paper's Table 5; else it is a default of this project
    assumed    whether the direction is an assumption: the paper gives none for syntactic counts and ratios
    """

    value: float
    higher: bool = True
    paper: bool = False
    assumed: bool = False


@functools.cache
def thresholds() -> dict[str, Threshold]:
    """The thresholds on record by column name: `syn_W` … `syn_CN_per_C`, `judge_relevance` …, project defaults."""
    record = json.loads(resources.files("gistmark.studies").joinpath("thresholds.json").read_text(encoding="utf-8"))
    out = {}
    for row in record["table5"]:
        name = row["id"] if row["group"] == "llm_judge" else "syn_" + row["id"].replace("/", "_per_")
        out[name] = Threshold(row["threshold"], row["higher_is_better"], True, row["direction_status"] == "assumed")
    for group in record["project_defaults"]["groups"]:
        out |= {name: Threshold(group["threshold"]) for name in group["ids"]}
    return out


def threshold_for(column: str, better: str | None = "higher") -> Threshold:
    """The threshold of a metric's column; one that is not on record has 0 (ties only) and the metric's own direction.

    better  "higher", "lower", or None where the metric says neither: then higher wins and the direction is assumed
    """
    found = thresholds().get(column, Threshold(0.0, better != "lower", assumed=better is None))
    return found if found.paper else Threshold(found.value, better != "lower", assumed=better is None)


def decide(left: pl.Expr, right: pl.Expr, threshold: float, higher: bool = True) -> pl.Expr:
    """The decision between two scores, an Enum of left, right, neither.

    With d = left − right, its sign turned where lower is better: neither where d = 0 or |d| lies below the threshold,
    else the side d points to. A difference of exactly the threshold decides; it is compared with
    threshold − 1e−12·max(1, threshold), so that 0.3 − 0.1 reaches 0.2. A null (or NaN) score: null.
    """
    difference = (left.cast(pl.Float64) - right.cast(pl.Float64)).fill_nan(None) * (1.0 if higher else -1.0)
    close = (difference == 0) | (difference.abs() < threshold - 1e-12 * max(1.0, threshold))
    return (
        pl.when(difference.is_null())
        .then(None)
        .when(close)
        .then(pl.lit("neither"))
        .when(difference > 0)
        .then(pl.lit("left"))
        .otherwise(pl.lit("right"))
        .cast(DECISION)
    )


def accept(left: pl.Expr, right: pl.Expr, cut: float, higher: bool = True) -> pl.Expr:
    """The decision between two scores read as a reader's: neither where neither score reaches `cut`, else the better.

    Equal scores are neither. A null (or NaN) score: null.
    """
    reach = pl.max_horizontal if higher else pl.min_horizontal
    best = reach(left.cast(pl.Float64), right.cast(pl.Float64))
    short = best < cut if higher else best > cut
    chosen = decide(left, right, 0.0, higher)
    return pl.when(chosen.is_null()).then(None).when(short).then(pl.lit("neither")).otherwise(chosen).cast(DECISION)
