"""Pictures of a preference study: alphas with their intervals, win rates, alpha against the threshold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from gistmark.studies.figures import empty_figure
from gistmark.studies.preference import Preference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = ("-", "--", ":")  # after the ten colours are used up
FEWEST = 0.7  # inches, so that a picture of one row can be read


def save_figures(study: Preference, directory: str | Path) -> list[Path]:
    """Write alphas.png, win_rates.png and, where a threshold exceeds 0, sensitivity.png; returns their paths.

    Raises MissingExtra without matplotlib (extra `studies`).
    """
    pictures = {"alphas.png": alphas(study.alphas), "win_rates.png": win_rates(study.win_rates)}
    if study.sensitivity.height:
        pictures["sensitivity.png"] = sensitivity(study.sensitivity)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        picture.savefig(folder / name, dpi=120, metadata={"Software": None})  # the same study gives the same bytes
    return [folder / name for name in pictures]


def alphas(table: pl.DataFrame) -> Figure:
    """Each metric's alpha with its interval, at its own threshold and at 0, merged reading."""
    merged = table.filter(pl.col("reading") == "merged", pl.col("alpha").is_not_null())
    names = merged["metric"].unique(maintain_order=True).to_list()[::-1]
    figure: Figure = empty_figure(7.0, FEWEST + 0.24 * len(names))
    axes = figure.subplots()
    own = merged.filter(pl.col("threshold") != "zero")
    for label, rows, shift in (("own threshold", own, 0.12), ("threshold 0", merged.filter(threshold="zero"), -0.12)):
        places = [names.index(name) + shift for name in rows["metric"]]
        [points] = axes.plot(rows["alpha"].to_list(), places, "o", markersize=3, label=label)
        bounds = rows.select("low", "high").fill_null(float("nan"))
        axes.hlines(places, bounds["low"].to_list(), bounds["high"].to_list(), colors=points.get_color())
    axes.axvline(0.0, color="0.5", linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_xlabel("Krippendorff's α with the readers")
    axes.legend(fontsize=7)
    return figure


def win_rates(table: pl.DataFrame) -> Figure:
    """Win rates of models and personalisation in both rounds, with Wilson intervals."""
    rows = table.filter(
        pl.col("dimension") != "side",
        pl.col("slot") == "all",
        pl.col("round") != "all",
        pl.col("rate").is_not_null(),
    )
    levels = rows["level"].unique(maintain_order=True).to_list()
    figure: Figure = empty_figure(1.5 + 1.4 * len(levels), 3.2)
    axes = figure.subplots()
    for name, shift in (("first", -0.2), ("final", 0.2)):
        bars = rows.filter(round=name)
        places = [levels.index(level) + shift for level in bars["level"]]
        axes.bar(places, bars["rate"].to_list(), width=0.38, label=f"{name} round")
        axes.vlines(places, bars["low"].to_list(), bars["high"].to_list(), colors="black", linewidth=0.9)
    axes.axhline(0.5, color="0.5", linewidth=0.8)
    axes.set_xticks(range(len(levels)), levels)
    axes.set_ylim(0, 1)
    axes.set_ylabel("share of decided matches won")
    axes.legend(fontsize=7)
    return figure


def sensitivity(table: pl.DataFrame) -> Figure:
    """Alpha and decision rate of every metric over multiples of its threshold."""
    figure: Figure = empty_figure(10.0, 4.2)
    left, right = figure.subplots(1, 2, sharex=True)
    for k, ((metric,), rows) in enumerate(table.group_by("metric", maintain_order=True)):
        for axes, column in ((left, "alpha"), (right, "decision_rate")):
            present = rows.filter(pl.col(column).is_not_null())
            style = {"linestyle": LINES[k // 10 % len(LINES)], "linewidth": 0.9, "label": metric}
            axes.plot(present["multiple"].to_list(), present[column].to_list(), **style)
    left.set_ylabel("Krippendorff's α with the readers")
    right.set_ylabel("share of matches decided")
    figure.supxlabel("multiple of the threshold")
    figure.legend(handles=right.lines, loc="outside right upper", fontsize=6)
    return figure
