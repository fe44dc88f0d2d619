"""A robustness study as text: metrics down, perturbations across, as in the paper's Table 2."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from gistmark.studies.markdown import lines as as_table
from gistmark.studies.perturbations import EXPECTED
from gistmark.studies.robustness import Study


def markdown(study: Study) -> str:
    """Tables in Markdown, one a corpus and one pooled: ρ, M and the verdict of every field under every perturbation,
    with what they rest on below: levels, generators, cut-offs, documents left out, verdicts under other cut-offs.
    """
    parts = ["# Robustness study", *(_table(part) for part in study.statistics.partition_by("scope", "corpus"))]
    return "\n\n".join([*parts, _notes(study), *_left_out(study)]) + "\n"


def _left_out(study: Study) -> list[str]:
    """Documents without a chain, by perturbation and reason."""
    counts = study.dropped.group_by("perturbation", "reason", maintain_order=True).len()
    if counts.is_empty():
        return []
    lines = [
        ["perturbation", "reason", "documents"],
        ["---"] * 3,
        *([str(cell) for cell in row] for row in counts.rows()),
    ]
    return [f"## Left out\n\n{as_table(lines)}"]


def perturbations(table: pl.DataFrame) -> list[str]:
    """The perturbations of a table, in the order that all tables and figures keep."""
    present = set(table["perturbation"])
    return [name for name in EXPECTED if name in present]


def _table(statistics: pl.DataFrame) -> str:
    """One table: a line a field, a column a perturbation."""
    columns = perturbations(statistics)
    expected = dict(statistics.select("perturbation", "expected").unique().rows())
    title = f"## {statistics['corpus'][0]}"
    head = ["metric", "field", *(f"{name} ({expected[name]})" for name in columns)]
    lines = [head, ["---"] * len(head)]
    for (metric, name, polarity), rows in statistics.group_by("metric", "field", "polarity", maintain_order=True):
        cells = {row["perturbation"]: _cell(row) for row in rows.iter_rows(named=True)}
        sign = {"negated": " (negated)", "no_polarity": " °"}.get(str(polarity), "")
        lines.append([str(metric), f"{name}{sign}", *(cells.get(column, "") for column in columns)])
    return f"{title}\n\n{as_table(lines)}"


def _cell(row: Mapping[str, object]) -> str:
    """ρ with its interval, M, and the verdict."""
    low, high = _number(row["spearman_low"]), _number(row["spearman_high"])
    interval = f" [{low}, {high}]" if row["spearman_low"] is not None else ""
    verdict = str(row["verdict"]).replace("_", " ")
    return f"ρ {_number(row['spearman'])}{interval}, M {_number(row['monotonicity'])}: {verdict}"


def _number(value: object) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _notes(study: Study) -> str:
    """What the numbers rest on."""
    settings, cuts, bootstrap = study.settings, study.settings.cuts, study.settings.bootstrap
    robust = study.sensitivity.group_by("scope", "corpus", "perturbation", "field").agg(pl.col("verdict").n_unique())
    moved = robust.filter(pl.col("verdict") > 1).height
    lines = [
        f"ρ: Spearman's correlation of score with level, mean over documents where it is defined, with its "
        f"{bootstrap.confidence:.0%} interval over documents ({bootstrap.replicates} bootstrap replicates, seed "
        f"{bootstrap.seed}). M: share of steps in the expected direction, mean over documents; stable steps are "
        f"compared by {settings.stable_mode}. °: a field without a better direction, scored as it is.",
        f"Cut-offs (this project's): pass with ρ ≥ {cuts.rho} and M ≥ {cuts.monotonicity}, wrong direction from ρ "
        f"{cuts.wrong} against, undefined beyond {cuts.undefined:.0%} of the documents. Under the other cut-offs "
        f"of the grid (ρ 0.3, 0.5, 0.7 × M 0.3, 0.5, 0.7) {moved} of {robust.height} verdicts change.",
        f"Level 0 is the {settings.base} text (for incremental: empty text), up to {settings.levels} levels, "
        f"sentences by {settings.split}, seed {settings.seed}.",
        *_generators(study),
        *(f"{metric}: `{text}`" for metric, text in study.signatures.items()),
    ]
    return "\n\n".join(lines)


def _generators(study: Study) -> list[str]:
    """Who wrote the chains, and which documents have none."""
    table = study.chains.filter(level=0)
    lines = []
    for (name, generator), rows in table.group_by("perturbation", "generator", maintain_order=True):
        gone = study.dropped.filter(perturbation=name)["reason"].value_counts(sort=True).rows()
        absent = "".join(f"; {_documents(count)} left out ({reason})" for reason, count in gone)
        lines.append(f"{name}: by {generator}, {_documents(rows.height)}{absent}.")
    return lines


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"
