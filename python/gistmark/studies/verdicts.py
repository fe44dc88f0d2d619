"""From how a metric responds to a perturbation to a verdict, with every cut-off in sight."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from gistmark_engine.errors import OptionError

VERDICTS = ("pass", "weak", "unstable", "wrong_direction", "drift_up", "drift_down", "undefined")
VERDICT = pl.Enum(VERDICTS)

REQUIRED = ("distractor", "incremental", "lengthen", "shorten", "audience")


@dataclass(frozen=True, slots=True)
class Cuts:
    """The project's cut-offs; the paper gives none.

    rho           least mean correlation in the expected direction, and the drift that a stable metric stays under
    monotonicity  least mean share of agreeing steps
    wrong         mean correlation against the expected direction that counts as the wrong direction
    undefined     share of documents without a correlation above which there is none to speak of
    """

    rho: float = 0.5
    monotonicity: float = 0.5
    wrong: float = 0.1
    undefined: float = 0.5

    def __post_init__(self) -> None:
        for name in ("rho", "monotonicity", "wrong", "undefined"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise OptionError(f"cut-off {name} must lie between 0 and 1, not {getattr(self, name)!r}")


GRID = tuple((rho, share) for rho in (0.3, 0.5, 0.7) for share in (0.3, 0.5, 0.7))


def verdict(cuts: Cuts) -> pl.Expr:
    """The verdict of a row with columns expected, spearman, monotonicity (means) and undefined_fraction.

    Expected increase or decrease, d being its sign: "pass" if d·ρ ≥ rho and M ≥ monotonicity; else "wrong_direction"
    if d·ρ ≤ −wrong; else "undefined" if ρ is undefined, or is in more than `undefined` of the documents; else "weak".
    Expected stable: "pass" if M ≥ monotonicity and ρ is undefined (as above) or |ρ| < rho; else "drift_up" or
    "drift_down" if |ρ| ≥ rho; else "unstable".
    """
    rho, share = pl.col("spearman"), pl.col("monotonicity").fill_null(-1.0)
    undefined = rho.is_null() | (pl.col("undefined_fraction") > cuts.undefined)
    toward = pl.when(pl.col("expected") == "increase").then(rho).otherwise(-rho)
    directed = (
        pl.when((toward >= cuts.rho) & (share >= cuts.monotonicity))
        .then(pl.lit("pass"))
        .when(toward <= -cuts.wrong)
        .then(pl.lit("wrong_direction"))
        .when(undefined)
        .then(pl.lit("undefined"))
        .otherwise(pl.lit("weak"))
    )
    stable = (
        pl.when((share >= cuts.monotonicity) & (undefined | (rho.abs() < cuts.rho)))
        .then(pl.lit("pass"))
        .when(rho >= cuts.rho)
        .then(pl.lit("drift_up"))
        .when(rho <= -cuts.rho)
        .then(pl.lit("drift_down"))
        .otherwise(pl.lit("unstable"))
    )
    return pl.when(pl.col("expected") == "stable").then(stable).otherwise(directed).cast(VERDICT).alias("verdict")


def sensitivity(statistics: pl.DataFrame, cuts: Cuts) -> pl.DataFrame:
    """The verdicts of every row under each pair of cut-offs of the grid (ρ 0.3, 0.5, 0.7 × M 0.3, 0.5, 0.7)."""
    tables = [
        statistics.with_columns(
            rho_cut=pl.lit(rho),
            monotonicity_cut=pl.lit(share),
            verdict=verdict(Cuts(rho, share, cuts.wrong, cuts.undefined)),
        )
        for rho, share in GRID
    ]
    keys = ["scope", "corpus", "perturbation", "generator", "metric", "field", "rho_cut", "monotonicity_cut", "verdict"]
    return pl.concat(tables).select(keys)


def overall(statistics: pl.DataFrame) -> pl.DataFrame:
    """Whether a metric's field passes as a whole: "pass" with all of distractor, incremental, lengthen, shorten and
    audience passed, "fail" with any perturbation not passed, else "incomplete": some of the five were not run.
    """
    passed = pl.col("verdict") == "pass"
    complete = pl.all_horizontal((pl.col("perturbation") == name).any() for name in REQUIRED)
    outcome = (
        pl.when(~passed.all())
        .then(pl.lit("fail"))
        .when(complete)
        .then(pl.lit("pass"))
        .otherwise(pl.lit("incomplete"))
        .cast(pl.Enum(["pass", "fail", "incomplete"]))
    )
    groups = statistics.group_by("scope", "corpus", "metric", "field", maintain_order=True)
    return groups.agg(outcome.alias("overall"), passed.sum().alias("passed"), pl.len().alias("run"))
