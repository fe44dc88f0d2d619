"""The five pictures of an abstraction study: RA and SA by article, AR by system, risk classes, ROUGE against AR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from gistmark.studies.abstraction import KINDS, RISKS, Abstraction
from gistmark.studies.figures import empty_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-4  # AR below it is drawn on it: a logarithm has no place for 0


def save_figures(study: Abstraction, directory: str | Path) -> list[Path]:
    """Write ra_by_article.png, sa_by_article.png, ar_by_system.png, risks.png and rouge_against_ar.png.

    Raises MissingExtra without matplotlib (extra `studies`).
    """
    documents = study.scores.unique(["corpus", "source", "references"], keep="first", maintain_order=True)
    pictures = {
        "ra_by_article.png": by_article(documents.with_columns(system=pl.lit("references")), "ra"),
        "sa_by_article.png": by_article(study.scores, "sa"),
        "ar_by_system.png": ratios(study.scores),
        "risks.png": risks(study.risks),
        "rouge_against_ar.png": scatter(study.scores),
    }
    paths = [Path(directory) / name for name in pictures]
    for path, picture in zip(paths, pictures.values(), strict=True):
        save(picture, path)
    return paths


def by_article(scores: pl.DataFrame, name: str) -> Figure:
    """RA or SA (words) of every article in its order, a panel a kind, a line a corpus and system."""
    figure: Figure = empty_figure(9, 7)
    panels = figure.subplots(len(KINDS), sharex=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        for (corpus, system), rows in scores.group_by("corpus", "system", maintain_order=True):
            values = [float("nan") if value is None else value for value in rows[f"{name}{kind}"]]
            axes.plot(range(len(values)), values, marker=".", linewidth=0.6, label=f"{corpus}, {system}")
        axes.set_ylabel(f"{name.upper()}{kind} (words)")
    panels[0].legend(fontsize=6)
    panels[-1].set_xlabel("article")
    return figure


def ratios(scores: pl.DataFrame) -> Figure:
    """AR of every system as boxes (median, quartiles, 5th to 95th percentile) on a logarithmic scale, with a line at 1."""
    groups = list(scores.group_by("corpus", "system", maintain_order=True))
    figure: Figure = empty_figure(9, 2.4 + 0.5 * len(groups))
    panels = figure.subplots(1, len(KINDS), sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        values = [rows[f"ar{kind}"].drop_nulls().clip(FLOOR).to_list() for _, rows in groups]
        axes.boxplot(values, orientation="horizontal", whis=(5, 95), showfliers=False)
        axes.axvline(1.0, color="red", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_xlabel(f"AR{kind}")
    panels[0].set_yticks(
        range(1, len(groups) + 1), [f"{corpus}, {system}" for (corpus, system), _ in groups], fontsize=7
    )
    return figure


def risks(table: pl.DataFrame) -> Figure:
    """How many summaries of every system are in each class."""
    figure: Figure = empty_figure(9, 1.6 + 0.5 * table.height)
    axes = figure.subplots()
    labels = [f"{corpus}, {system}" for corpus, system in table.select("corpus", "system").rows()]
    left = [0] * table.height
    for risk, colour in zip(RISKS, ("firebrick", "orange", "seagreen", "steelblue"), strict=True):
        axes.barh(labels, table[risk].to_list(), left=left, label=risk, color=colour)
        left = [start + width for start, width in zip(left, table[risk].to_list(), strict=True)]
    axes.set_xlabel("summaries")
    axes.legend(fontsize=7)
    return figure


def scatter(scores: pl.DataFrame) -> Figure:
    """ROUGE-1 F1 against AR1 (logarithmic), saturated rows hollow."""
    figure: Figure = empty_figure(7, 5)
    axes = figure.subplots()
    for k, ((corpus, system), rows) in enumerate(scores.group_by("corpus", "system", maintain_order=True)):
        shown = rows.drop_nulls(["ar1", "rouge1_f1"]).with_columns(pl.col("ar1").clip(FLOOR))
        for saturated, label in ((False, f"{corpus}, {system}"), (True, None)):
            points = shown.filter(ar1_saturated=saturated)
            face = "none" if saturated else f"C{k}"
            x, y = points["ar1"].to_list(), points["rouge1_f1"].to_list()
            axes.scatter(x, y, s=14, edgecolors=f"C{k}", facecolors=face, label=label)
    axes.axvline(1.0, color="red", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("AR1")
    axes.set_ylabel("ROUGE-1 F1")
    axes.legend(fontsize=6)
    return figure
