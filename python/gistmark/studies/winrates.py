"""Win rates: how often a model, a personalised summary or a side of the screen wins, with Wilson intervals."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

Z95 = 1.959963984540054  # the normal distribution's 0.975 quantile

ROUNDS = (("all", pl.lit(True)), ("first", ~pl.col("final")), ("final", pl.col("final")))


def wilson(wins: pl.Expr, decided: pl.Expr, z: float = Z95) -> tuple[pl.Expr, pl.Expr]:
    """Bounds of Wilson's score interval of a share, each in [0, 1]; null where nothing was decided.

    Wilson 1927, Journal of the American Statistical Association 22(158).
    """
    n = pl.when(decided > 0).then(decided).cast(pl.Float64)
    share = wins / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * (share * (1 - share) / n + z * z / (4 * n * n)).sqrt() / (1 + z * z / n)
    return (middle - half).clip(0.0, 1.0), (middle + half).clip(0.0, 1.0)


def win_rates(matches: pl.DataFrame) -> pl.DataFrame:
    """One row a dimension, level, round and slot.

    matches  as from `sessions.matches_frame`. A dimension's matches are those whose two sides differ in it: `model`,
             `personalised` ("personalised", "generic"), `side` (all matches: "left", "right").

    Columns: dimension, level, round ("all", "first", "final"), slot ("all", "AB", "CD", "final"), wins, decided,
    neither, rate = wins/decided with Wilson 95% bounds low and high, all three null in a cell without a decision.
    """
    counted = pl.concat(list(_cells(matches)))
    low, high = wilson(pl.col("wins"), pl.col("decided"))
    rate = pl.when(pl.col("decided") > 0).then(pl.col("wins") / pl.col("decided"))
    return counted.with_columns(rate=rate, low=low, high=high)


def _cells(matches: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The counts of every dimension in every round and slot."""
    slots = [("all", pl.lit(True)), *((slot, pl.col("slot") == slot) for slot in ("AB", "CD"))]
    cells = [(name, "all", chosen) for name, chosen in ROUNDS] + [("first", slot, chosen) for slot, chosen in slots[1:]]
    for dimension, compared in (("model", _models(matches)), ("personalised", _personas(matches)), ("side", matches)):
        sides = compared.with_columns(pl.lit("left").alias("side_left"), pl.lit("right").alias("side_right"))
        for round_name, slot, chosen in cells:
            yield _counts(sides.filter(chosen), dimension, round_name, slot)


def _models(matches: pl.DataFrame) -> pl.DataFrame:
    """The matches between two models."""
    return matches.filter(pl.col("model_left") != pl.col("model_right"))


def _personas(matches: pl.DataFrame) -> pl.DataFrame:
    """The matches of a personalised summary against a generic one, the two named so."""
    named = {
        f"personalised_{side}": pl.when(pl.col(f"personalised_{side}"))
        .then(pl.lit("personalised"))
        .otherwise(pl.lit("generic"))
        for side in ("left", "right")
    }
    differing = matches.filter(pl.col("personalised_left") != pl.col("personalised_right"))
    return differing.with_columns(**named)


def _counts(sides: pl.DataFrame, dimension: str, round_name: str, slot: str) -> pl.DataFrame:
    """Wins, decided matches and neithers of each level of a dimension."""
    entries = pl.concat(
        [
            sides.select(level=f"{dimension}_{side}", won=pl.col("human") == side, neither=pl.col("human") == "neither")
            for side in ("left", "right")
        ]
    )
    return (
        entries.group_by("level")
        .agg(
            wins=pl.col("won").sum().cast(pl.Int64),
            decided=(~pl.col("neither")).sum().cast(pl.Int64),
            neither=pl.col("neither").sum().cast(pl.Int64),
        )
        .sort("level")
        .select(
            pl.lit(dimension).alias("dimension"),
            pl.col("level"),
            pl.lit(round_name).alias("round"),
            pl.lit(slot).alias("slot"),
            "wins",
            "decided",
            "neither",
        )
    )
