"""The picture of a study of human scores: how each metric goes with each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from gistmark.studies.figures import empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def correlations(table: pl.DataFrame, level: str = "summary", coefficient: str = "kendall") -> Figure:
    """A panel a human score: every metric's coefficient with its interval.

    table  as from `gistmark.studies.human.correlations`

    Raises MissingExtra without matplotlib (extra `studies`).
    """
    rows = table.filter(level=level, coefficient=coefficient).drop_nulls("value")
    names = rows["metric"].unique(maintain_order=True).to_list()[::-1]
    scores = rows.partition_by("human", maintain_order=True)
    figure: Figure = empty_figure(2.0 + 2.2 * len(scores), 1.0 + 0.24 * len(names))
    panels = figure.subplots(1, max(len(scores), 1), sharey=True, squeeze=False)[0]
    for axes, part in zip(panels, scores, strict=False):
        places = [names.index(name) for name in part["metric"]]
        bounds = part.select("low", "high").fill_null(float("nan"))
        axes.hlines(places, bounds["low"].to_list(), bounds["high"].to_list())
        axes.plot(part["value"].to_list(), places, "o", markersize=3)
        axes.axvline(0.0, color="0.5", linewidth=0.8)
        axes.set_title(part["human"][0], fontsize=9)
    panels[0].set_yticks(range(len(names)), names, fontsize=7)
    figure.supxlabel(f"{coefficient}, {level} level", fontsize=8)
    return figure
