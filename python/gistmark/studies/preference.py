"""The preference study: do metrics decide between summaries as readers do, and what makes a summary win?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path

import polars as pl

from gistmark.studies.alpha_tests import comparisons
from gistmark.studies.alphas import INTERVALS, Alpha, Judged, alphas, table
from gistmark.studies.decisions import threshold_for
from gistmark.studies.families import family_means, sensitivity
from gistmark.studies.regression import Cluster, odds_ratios
from gistmark.studies.sessions import matches_frame
from gistmark.studies.tournament import Session
from gistmark.studies.winrates import win_rates
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.metric import Metric


@dataclass(frozen=True, slots=True)
class Preference:
    """The tables of the study, each a frame.

    alphas        agreement with the readers, one row a metric, threshold and reading of "neither"
    families      mean alpha a family
    sensitivity   alpha and decision rate at multiples of each threshold
    win_rates     by model, personalisation and side, in each round and slot
    odds          odds ratios of the paired form and of the sides form, in a column `form`
    beside_paper  the published numbers with this study's beside them
    comparisons   differences of two metrics' alphas, see `alpha_tests.comparisons`; no rows where none were wanted
    """

    alphas: pl.DataFrame
    families: pl.DataFrame
    sensitivity: pl.DataFrame
    win_rates: pl.DataFrame
    odds: pl.DataFrame
    beside_paper: pl.DataFrame
    comparisons: pl.DataFrame

    def write(self, directory: str | Path) -> None:
        """Write each table as Parquet and as CSV into `directory`, which is made if need be."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        for part in fields(self):
            frame: pl.DataFrame = getattr(self, part.name)
            frame.write_parquet(folder / f"{part.name}.parquet")
            frame.write_csv(folder / f"{part.name}.csv")


def judged(metrics: Sequence[Metric], family: str = "automatic") -> list[Judged]:
    """The scores of `metrics` as the study takes them, under the thresholds on record."""
    return [
        Judged(column, family, threshold_for(column, spec.better))
        for metric in metrics
        for column, spec in metric.columns.items()
        if spec.is_score
    ]


def preference(
    sessions: Iterable[Session],
    scored: pl.DataFrame,
    columns: Sequence[Judged],
    base: str,
    verdicts: Mapping[str, tuple[str, pl.Series]] | None = None,
    bootstrap: Bootstrap = INTERVALS,
    cluster: Cluster = "annotator",
    ridge: float | None = None,
    compare: Iterable[tuple[str, str]] = (),
) -> Preference:
    """All tables of the study.

    sessions  checked sessions of two models, each with and without personalisation
    scored    one row a summary: annotator, query_id, label and the columns named in `columns`; what `sessions.
              summaries_frame` gives, scored by any metrics
    columns   what to decide by, see `judged`
    base      the model that odds ratios take as reference (the paper: DeepSeek)
    verdicts  decisions of pairwise judges, see `alphas.alphas`
    ridge     what takes the place of separated fits, see `regression.odds_ratios`
    compare   pairs of columns or judges whose agreement is compared

    Raises `InputError` for a summary without scores, `MissingExtra` without statsmodels.
    """
    matches = matches_frame(sessions)
    found = alphas(matches, scored, columns, verdicts, bootstrap)
    rates = win_rates(matches)
    odds = pl.concat(
        odds_ratios(matches, base, form, cluster, ridge).with_columns(form=pl.lit(form)) for form in ("paired", "sides")
    )
    means = family_means(found, bootstrap.confidence)
    return Preference(
        alphas=table(found),
        families=means,
        sensitivity=sensitivity(matches, scored, columns),
        win_rates=rates,
        odds=odds,
        beside_paper=beside_paper(found, means, rates, odds, base),
        comparisons=comparisons(matches, found, compare, bootstrap),
    )


def beside_paper(
    found: Iterable[Alpha], means: pl.DataFrame, rates: pl.DataFrame, odds: pl.DataFrame, base: str
) -> pl.DataFrame:
    """The published numbers beside this study's: quantity, paper, here (null where this study has none).

    `base` stands where the paper has DeepSeek. The paper's 0.43 for personalised Llama fits both the interaction and
    the effect within Llama, so that it is shown beside both. Readers and data differ: no equality is expected.
    """
    text = resources.files("gistmark.studies").joinpath("paper_tables.json").read_text(encoding="utf-8")
    paper = json.loads(text)["information_satisfaction"]["rq2"]
    best = max((one.agreement.value for one in found if _own(one) and one.agreement.value is not None), default=None)
    final, first, ratios = paper["final_round"], paper["first_round"], paper["odds_ratios"]
    other = next((name for name in odds["effect"] if name.endswith(", generic")), "").removesuffix(", generic")
    rows = [
        *((f"mean alpha, {name}", value, _mean(means, name)) for name, value in paper["alpha_means"].items()),
        (f"best alpha ({paper['alpha_best']['metric']} in the paper)", paper["alpha_best"]["alpha"], best),
        ("final round, base wins", final["deepseek"], _rate(rates, base, "final")),
        ("final round, personalised wins", final["personalised"], _rate(rates, "personalised", "final")),
        ("first round, base wins", first["cross_model_deepseek"], _rate(rates, base, "first")),
        ("first round AB, personalised wins", first["personalised_AB"], _rate(rates, "personalised", "first", "AB")),
        ("first round CD, personalised wins", first["personalised_CD"], _rate(rates, "personalised", "first", "CD")),
        ("odds ratio, personalised in base", ratios[_IN_BASE], _odds(odds, f"personalised, {base}")),
        ("odds ratio, personalised in other", ratios["personalised_llama"], _odds(odds, f"personalised, {other}")),
        ("odds ratio, interaction", ratios["personalised_llama"], _odds(odds, "interaction")),
        ("odds ratio, final round", ratios["round_stage"]["or"], _odds(odds, "final")),
    ]
    return pl.DataFrame(rows, schema={"quantity": pl.String, "paper": pl.Float64, "here": pl.Float64}, orient="row")


_IN_BASE = "personalised_deepseek_vs_generic_deepseek"


def _own(one: Alpha) -> bool:
    """Whether an alpha is of a metric's own threshold under the paper's reading."""
    return one.reading == "merged" and one.threshold in ("published", "default", "verdict")


def _mean(means: pl.DataFrame, family: str) -> float | None:
    """A family's mean alpha under its own thresholds and the paper's reading."""
    return _only(means.filter(family=family, threshold="own", reading="merged")["alpha"])


def _rate(rates: pl.DataFrame, level: str, round_name: str, slot: str = "all") -> float | None:
    """A level's win rate in one round and slot."""
    return _only(rates.filter(level=level, round=round_name, slot=slot)["rate"])


def _odds(odds: pl.DataFrame, effect: str) -> float | None:
    """An effect's odds ratio in the paper's form, two rows a match."""
    return _only(odds.filter(effect=effect, form="sides")["odds_ratio"])


def _only(values: pl.Series) -> float | None:
    """The one value of a column, None if it has none."""
    return values.item() if values.len() else None
