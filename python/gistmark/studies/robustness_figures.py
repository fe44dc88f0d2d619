"""Pictures of a robustness study: which metric answers which perturbation, and how scores run over the levels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from gistmark.studies.figures import empty_figure, save
from gistmark.studies.robustness import Study
from gistmark.studies.robustness_table import perturbations

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def save_figures(study: Study, directory: str | Path) -> list[Path]:
    """Write heatmap.png and curves_<metric>.png for every metric, and return their paths.

    heatmap  field × perturbation: mean ρ as colour (blue −1, red +1, grey undefined), M and verdict as text, over all
             corpora
    curves   mean score by level, a row a field, the perturbations side by side, a line a corpus

    Raises MissingExtra without matplotlib (extra `studies`).
    """
    pictures = {"heatmap.png": heatmap(study.statistics)}
    for (metric,), rows in study.curves.group_by("metric", maintain_order=True):
        pictures[f"curves_{metric}.png"] = curves(rows)
    paths = [Path(directory) / name for name in pictures]
    for path, picture in zip(paths, pictures.values(), strict=True):
        save(picture, path)
    return paths


def heatmap(statistics: pl.DataFrame) -> Figure:
    """Mean ρ of every field under every perturbation, over all corpora."""
    pooled = "pooled" if "pooled" in statistics["scope"] else "corpus"
    rows = statistics.filter(scope=pooled)
    fields = rows["field"].unique(maintain_order=True).to_list()
    names = perturbations(rows)
    figure: Figure = empty_figure(2.2 + 1.6 * len(names), 1.2 + 0.26 * len(fields))
    axes = figure.subplots()
    grid = [[float("nan")] * len(names) for _ in fields]
    for row in rows.iter_rows(named=True):
        y, x = fields.index(row["field"]), names.index(row["perturbation"])
        if row["spearman"] is not None:
            grid[y][x] = row["spearman"]
        share = "–" if row["monotonicity"] is None else f"{row['monotonicity']:.2f}"
        axes.text(
            x,
            y,
            f"M {share} {row['verdict'].replace('_', ' ')}",
            ha="center",
            va="center",
            fontsize=6,
            color=_ink(row["spearman"]),
        )
    axes.set_facecolor("0.8")
    image = axes.imshow(grid, vmin=-1, vmax=1, cmap="coolwarm", aspect="auto")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(fields)), fields, fontsize=7)
    axes.set_title("Spearman's ρ of score with level")
    figure.colorbar(image, label="mean ρ over documents")
    return figure


def curves(means: pl.DataFrame) -> Figure:
    """Mean score by level of one metric's fields, all perturbations of a field on one scale."""
    fields = means["field"].unique(maintain_order=True).to_list()
    names, stride = perturbations(means), int(means["level"].max()) + 2  # type: ignore[call-overload]
    width, height = 1.2 + 1.6 * len(names), 0.8 + 1.0 * len(fields)
    figure: Figure = empty_figure(width, height, fitted=False)  # fitting margins takes most of the time
    figure.subplots_adjust(0.9 / width, 0.45 / height, 1 - 0.1 / width, 1 - 0.35 / height, hspace=0.15)
    panels = figure.subplots(len(fields), squeeze=False, sharex=True)[:, 0]
    corpora = means["corpus"].unique(maintain_order=True).to_list()
    lines: dict[object, Line2D] = {}
    for (name, perturbation, corpus), rows in means.group_by("field", "perturbation", "corpus", maintain_order=True):
        start = names.index(perturbation) * stride
        at = [start + level for level in rows["level"]]
        colour = f"C{corpora.index(corpus) % 10}"
        lines[corpus] = panels[fields.index(name)].plot(at, rows["score"].to_list(), ".-", color=colour)[0]
    for axes, name in zip(panels, fields, strict=True):
        axes.set_ylabel(name, fontsize=8)
        axes.xaxis.set_visible(axes is panels[-1])
    for place, perturbation in enumerate(names):
        middle = place * stride + stride / 2 - 1
        panels[0].text(middle, 1.08, perturbation, ha="center", fontsize=9, transform=panels[0].get_xaxis_transform())
    levels = range(stride - 1)
    places = [place * stride + level for place in range(len(names)) for level in levels]
    panels[-1].set_xticks(places, [*levels] * len(names), fontsize=7)
    panels[-1].set_xlabel("level", fontsize=8)
    panels[0].legend(lines.values(), lines.keys(), fontsize=6)
    return figure


def _ink(rho: float | None) -> str:
    """A colour that can be read on the cell's."""
    return "white" if rho is not None and abs(rho) > 0.7 else "black"
