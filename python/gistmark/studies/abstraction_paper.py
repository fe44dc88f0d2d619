"""An abstraction study set beside the published Tables 4–8: which cells agree to the printed digits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import polars as pl

from gistmark.near import near
from gistmark.studies.abstraction import GROUP, Abstraction
from gistmark_engine.errors import OptionError

MODELS = ("Pegasus", "MT5", "BART", "DistilBart")
DATASETS = {"XSUM": ("XSUM",), "CNN/DM": ("CNN/DM", "CNN/DailyMail")}
_SCHEMA = {
    "table": pl.String(),
    "model": pl.String(),
    "field": pl.String(),
    "published": pl.Float64(),
    "found": pl.Float64(),
    "agrees": pl.Boolean(),
}


def corpus_of(pairs: pl.DataFrame, dataset: str, models: Mapping[str, str], corpus: str | None = None) -> str:
    """What a study of `pairs` calls the corpus that `against_paper` compares: `corpus`, or the only one there is.

    Raises OptionError, before the study is made, for anything that it would not find.
    """
    _check_dataset(dataset)
    there = {name: set(pairs[name].cast(pl.String)) if name in pairs.columns else {"all"} for name in GROUP}
    if corpus is None and len(there["corpus"]) > 1:
        raise OptionError(f"there are several corpora, name the paper's: {', '.join(sorted(there['corpus']))}")
    name = min(there["corpus"]) if corpus is None else corpus
    for wanted, known, what in (
        (name, there["corpus"], "corpus"),
        *((one, there["system"], "system") for one in models),
    ):
        if wanted not in known:
            raise OptionError(
                f"there is no {what} {wanted!r}{near(wanted, known)}; there are {', '.join(sorted(known))}"
            )
    for model in models.values():
        if model not in MODELS:
            raise OptionError(f"the paper has {', '.join(MODELS)}, not {model!r}")
    return name


def against_paper(study: Abstraction, dataset: str, models: Mapping[str, str], corpus: str) -> pl.DataFrame:
    """One row a published number: table, model ("" for references), field, published, found, agrees.

    dataset  "XSUM" or "CNN/DM"; corpus: what the study calls it
    models   the study's systems → "Pegasus", "MT5", "BART", "DistilBart"; rows of other models have no `found`

    `agrees`: what was found, rounded to the printed digits, is what is printed ("≈0": below 0.005); null without
    `found`. Table 8's risk is 1 for HIGH, 0 for Low.
    """
    _check_dataset(dataset)
    text = resources.files("gistmark.studies").joinpath("paper_tables.json").read_text(encoding="utf-8")
    tables = json.loads(text)["ra_sa_ar"]
    sources = {
        "table4": study.references,
        "table5": study.summaries.rename({"c_s1": "c_s"}),
        "table6": study.ratios,
        "table7": study.risks,
        "table8": study.combined.rename({f"rouge{kind}_f1": f"rouge{kind}" for kind in "12L"}),
    }
    sources["table4"] = sources["table4"].rename({"c_r1": "c_r"})
    systems = {model: system for system, model in models.items()}
    rows = []
    for name, table in sources.items():
        for printed in tables[name]["rows"]:
            if printed["dataset"] in DATASETS[dataset]:
                model = printed.get("model", "")
                ours = _row(table, corpus, systems.get(model) if model else None, bool(model))
                rows += [(name, model, *cell) for cell in _cells(printed, ours)]
    return pl.DataFrame(rows, _SCHEMA, orient="row")


def _check_dataset(dataset: str) -> None:
    if dataset not in DATASETS:
        raise OptionError(f"the paper has tables of {', '.join(DATASETS)}, not of {dataset!r}")


def _row(table: pl.DataFrame, corpus: str, system: str | None, by_system: bool) -> dict[str, Any]:
    """The study's numbers for a printed row; nothing where it has none."""
    if by_system and system is None:
        return {}
    rows = table.filter(corpus=corpus, system=system) if by_system else table.filter(corpus=corpus)
    return rows.row(0, named=True) if rows.height else {}


def _cells(
    printed: Mapping[str, Any], ours: Mapping[str, Any]
) -> Iterator[tuple[str, float, float | None, bool | None]]:
    """Field, published and found number, and whether they agree."""
    for field, value in printed.items():
        if field in ("dataset", "model", "interpretation", "row_sum"):
            continue
        about = isinstance(value, dict)
        published = _number(value["value"] if about else value)
        found = _number(ours[field]) if ours.get(field) is not None else None
        decimals = len(str(value).partition(".")[2])
        digits = max(decimals, 3 if field.startswith("rouge") else 2)  # 0.04 and 0.4 were printed with their zeros
        agrees = None if found is None else found < 0.005 if about else round(found, digits) == published
        yield field, published, found, agrees


def _number(value: Any) -> float:
    return float(value == "HIGH") if isinstance(value, str) else float(value)
