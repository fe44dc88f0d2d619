"""What a study's folder adds to a report: its pictures and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from markupsafe import Markup

from gistmark.report import charts
from gistmark.studies.robustness_table import perturbations
from gistmark_engine.errors import InputError

TABLES = {
    "references": "Reference abstraction (words)",
    "summaries": "Summary abstraction (words)",
    "ratios": "Abstraction ratio (medians and quartiles)",
    "risks": "Screening classes",
    "combined": "ROUGE beside the abstraction ratio",
    "exponents": "Median abstraction ratio by exponent",
    "overall": "Over all perturbations",
    "odds": "Odds of being accepted",
    "table": "Scores",
    "comparisons": "Tests between metrics",
}
"""Tables that are shown as they are, by the names of their files."""

SHOWN = 200
"""Lines of a table or picture beyond which it is left in its file."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A perturbation's cell: Spearman's ρ of score with level (None: undefined), and what stands below it."""

    value: float | None
    note: str
    verdict: str


Heat = tuple[Sequence[str], Mapping[str, Sequence[Tile | None]]]
"""Column names, and tiles by the name of their line."""


@dataclass(frozen=True, slots=True)
class Section:
    """A study: heat maps, pictures and tables by title."""

    name: str
    heat: Mapping[str, Heat] = field(default_factory=dict)
    pictures: Mapping[str, Markup] = field(default_factory=dict)
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def section(folder: Path) -> Section:
    """The study kept in a folder; raises InputError where there is none."""
    found = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
    tables = {title: pl.read_parquet(found[name]) for name, title in TABLES.items() if name in found}
    small = {title: table for title, table in tables.items() if 0 < table.height <= SHOWN}
    if {"statistics", "curves"} <= found.keys():
        return Section("Robustness", heat=_heat(pl.read_parquet(found["statistics"])), tables=small)
    if {"alphas", "win_rates"} <= found.keys():
        return Section("Preference", pictures=_agreement(found), tables=small)
    if {"ratios", "risks"} <= found.keys():
        return Section("Abstraction", tables=small)
    if "correlations" in found:
        return Section("Human scores", pictures=_human(pl.read_parquet(found["correlations"])), tables=small)
    if "table" in found:
        return Section("SciTLDR", tables=small)
    raise InputError(f"{folder} holds no study; name a folder that gistmark study has written")


def _heat(statistics: pl.DataFrame) -> dict[str, Heat]:
    """A map a corpus: fields down, perturbations across."""
    maps: dict[str, Heat] = {}
    for (corpus,), part in statistics.group_by("corpus", maintain_order=True):
        names = perturbations(part)
        expected = dict(part.select("perturbation", "expected").rows())
        lines = {}
        for (name,), rows in part.group_by("field", maintain_order=True):
            tiles = {row["perturbation"]: _tile(row) for row in rows.iter_rows(named=True)}
            lines[str(name)] = [tiles.get(each) for each in names]
        maps[str(corpus)] = ([f"{name} ({expected[name]})" for name in names], lines)
    return maps


def _tile(row: Mapping[str, object]) -> Tile:
    low, high = row["spearman_low"], row["spearman_high"]
    interval = "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
    value = row["spearman"]
    return Tile(value if isinstance(value, float) else None, interval, str(row["verdict"]).replace("_", " "))


def _agreement(found: Mapping[str, Path]) -> dict[str, Markup]:
    """Alphas of all metrics at their own thresholds, and win rates of models."""
    alphas = pl.read_parquet(found["alphas"]).filter(
        pl.col("reading") == "merged", pl.col("threshold") != "zero", pl.col("alpha").is_not_null()
    )
    rates = pl.read_parquet(found["win_rates"]).filter(
        pl.col("dimension") != "side", pl.col("slot") == "all", pl.col("round") == "all", pl.col("rate").is_not_null()
    )
    pictures = {
        "Krippendorff's α with the readers": (alphas.select("metric", "alpha", "low", "high").rows(), 0.0),
        "Share of decided matches won": (rates.select("level", "rate", "low", "high").rows(), 0.5),
    }
    return {title: charts.intervals(rows[:SHOWN], title, null=null) for title, (rows, null) in pictures.items() if rows}


def _human(table: pl.DataFrame) -> dict[str, Markup]:
    """Kendall's correlation with every human score at the level of summaries."""
    rows = table.filter(level="summary", coefficient="kendall").drop_nulls("value")
    return {
        f"Kendall's τ with {human}, within documents": charts.intervals(
            part.select("metric", "value", "low", "high").rows()[:SHOWN], f"Kendall's τ with {human}"
        )
        for (human,), part in rows.group_by("human", maintain_order=True)
    }
