"""How abstractive are references and systems? RA, SA and AR of any corpus × system, as in the paper's Tables 4–8.

"Abstractiveness Metrics for Evaluating Text Summarization", sections 4–6. AR is heavy-tailed (one wholly copied
reference puts a mean in the millions), so it is condensed by median and quartiles only, and correlations are given
with and without saturated rows: those where (1 − c_R)³ < 1e-6 and AR is the work of ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl

from gistmark import metrics
from gistmark.catalogue import signature
from gistmark.score import score
from gistmark.statistics import pearson, spearman
from gistmark.studies.archive import digest, kept, open_archive
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric

KINDS = ("1", "2", "L")
EXPONENTS = (1, 2, 3, 4)
RISKS = ("high", "moderate", "balanced", "extractive")
GROUP = ("corpus", "system")


@dataclass(frozen=True, slots=True)
class Abstraction:
    """What an abstraction study found.

    scores        the pairs with all fields of abstraction and rouge, and e<k>_ar1 … of the other exponents
    references    Table 4, a row a corpus over its distinct documents: n, mean and median of ra1, ra2, raL (words), mean
                  c_r1, novel = 1 − c_r1
    summaries     Table 5, a row a corpus and system: n, mean and median of sa1, sa2, saL, mean c_s1
    ratios        Table 6: n, median and quartiles (_q1, _q3) of ar1, ar2, arL, and how many rows are saturated
    risks         Table 7: rows in each class of `ar_risk`, and those without one
    combined      Table 8: mean ROUGE F1 beside the median ar1 and ar2; `risk` by the rule that the printed table
                  follows: HIGH where the median ar1 > 2, else Low
    correlations  rouge1_f1, rouge2_f1, rougeL_f1 with ar1, ar2, arL over all rows and without saturated ones: Pearson's
                  and Spearman's coefficients, n and status
    exponents     median ar1, ar2, arL with 1 − c raised to 1, 2, 3 and 4
    signatures    of the metrics, by name
    """

    scores: pl.DataFrame
    references: pl.DataFrame
    summaries: pl.DataFrame
    ratios: pl.DataFrame
    risks: pl.DataFrame
    combined: pl.DataFrame
    correlations: pl.DataFrame
    exponents: pl.DataFrame
    signatures: Mapping[str, str]


def abstraction(
    pairs: pl.DataFrame,
    *,
    preset: Literal["ra_sa_ar_paper"] | None = None,
    stem: bool = False,
    output: str | Path | None = None,
    threads: int | None = None,
) -> Abstraction:
    """The abstraction study of pairs with columns summary, references, source, and optionally corpus and system.

    preset  "ra_sa_ar_paper": the settings that give the published tables
    stem    ROUGE with Porter stems
    output  directory for study.json and one Parquet table each; scores that are there already are not made again
    """
    for column in ("summary", "references", "source"):
        if column not in pairs.columns:
            raise InputError("the abstraction study reads it, and it is not there", column=column)
    if pairs.is_empty():
        raise InputError("the abstraction study has no row to read")
    named = pairs.with_columns(_named(pairs, "corpus"), _named(pairs, "system"))
    chosen = _metrics(preset, stem)
    make = partial(score, named, chosen, threads=threads)
    if output is None:
        return _study(make(), chosen)
    directory = open_archive(output, "abstraction", chosen, {"pairs_sha256": digest(named)})
    study = _study(kept(directory / "scores.parquet", make), chosen)
    for name in ("references", "summaries", "ratios", "risks", "combined", "correlations", "exponents"):
        kept(directory / f"{name}.parquet", partial(getattr, study, name))
    return study


def _named(pairs: pl.DataFrame, column: str) -> pl.Expr:
    """A grouping column as strings; "all" where it is missing."""
    return (pl.col(column).cast(pl.String) if column in pairs.columns else pl.lit("all")).alias(column)


def _metrics(preset: Literal["ra_sa_ar_paper"] | None, stem: bool) -> list[Metric]:
    """Abstraction with every exponent, and ROUGE."""
    others = [exponent for exponent in EXPONENTS if exponent != 3]
    return [
        metrics.abstraction(preset=preset),
        metrics.rouge(stem=stem),
        *(metrics.abstraction(preset=preset, exponent=float(k), prefix=f"e{k}_") for k in others),
    ]


def _study(scores: pl.DataFrame, chosen: Sequence[Metric]) -> Abstraction:
    """The tables of scored pairs."""
    systems = scores.group_by(GROUP, maintain_order=True)
    return Abstraction(
        scores=scores,
        references=_references(scores),
        summaries=systems.agg(pl.len().alias("n"), *_typical("sa"), c_s1=pl.col("c_s1").mean()),
        ratios=systems.agg(pl.len().alias("n"), *_quartiles(), *_saturated()),
        risks=systems.agg(
            *((pl.col("ar_risk") == risk).sum().alias(risk) for risk in RISKS), unclassed=pl.col("ar_risk").null_count()
        ),
        combined=systems.agg(
            pl.col("rouge1_f1", "rouge2_f1", "rougeL_f1").mean(),
            pl.col("ar1", "ar2").median(),
            pl.when(pl.col("ar1").median() > 2).then(pl.lit("HIGH")).otherwise(pl.lit("Low")).alias("risk"),
        ),
        correlations=_correlations(scores),
        exponents=_exponents(scores),
        signatures=signature(chosen),
    )


def _references(scores: pl.DataFrame) -> pl.DataFrame:
    """Table 4: systems share their references, so each document counts once."""
    documents = scores.unique(["corpus", "source", "references"], keep="first", maintain_order=True)
    groups = documents.group_by("corpus", maintain_order=True)
    c_r1 = pl.col("c_r1").mean()
    return groups.agg(pl.len().alias("n"), *_typical("ra"), c_r1=c_r1, novel=1 - c_r1)


def _typical(name: str) -> list[pl.Expr]:
    """Mean and median of RA or SA of every kind."""
    columns = [f"{name}{kind}" for kind in KINDS]
    return [pl.col(columns).mean(), pl.col(columns).median().name.suffix("_median")]


def _quartiles() -> list[pl.Expr]:
    """Median and quartiles of AR of every kind."""
    columns = [f"ar{kind}" for kind in KINDS]
    ends = [pl.col(columns).quantile(at, "linear").name.suffix(end) for at, end in ((0.25, "_q1"), (0.75, "_q3"))]
    return [pl.col(columns).median(), *ends]


def _saturated() -> list[pl.Expr]:
    """How many rows have an AR that ε decides."""
    return [pl.col(f"ar{kind}_saturated").sum().alias(f"ar{kind}_saturated") for kind in KINDS]


def _correlations(scores: pl.DataFrame) -> pl.DataFrame:
    """ROUGE against AR by corpus, over all systems and by system."""
    tables = []
    groups = [scores.with_columns(system=pl.lit("all")), scores] if scores["system"].n_unique() > 1 else [scores]
    for rows in groups:
        for rouge, kind in ((rouge, kind) for rouge in KINDS for kind in KINDS):
            whole = rows.filter(pl.col(f"ar{kind}").is_not_null())
            for label, kept_rows in (("all", whole), ("unsaturated", whole.filter(~pl.col(f"ar{kind}_saturated")))):
                x, y = pl.col(f"rouge{rouge}_f1").implode(), pl.col(f"ar{kind}").implode()
                found = kept_rows.group_by(GROUP, maintain_order=True).agg(pearson(x, y), spearman(x, y))
                names = {"rouge": f"rouge{rouge}_f1", "ar": f"ar{kind}", "rows": label}
                tables.append(found.with_columns(**{key: pl.lit(value) for key, value in names.items()}))
    flat = pl.concat(tables).unnest("pearson", "spearman")
    values = ["pearson", "pearson_status", "spearman", "spearman_status"]
    return flat.select(*GROUP, "rouge", "ar", "rows", pl.col("pearson_n").alias("n"), *values)


def _exponents(scores: pl.DataFrame) -> pl.DataFrame:
    """Median AR by exponent."""
    tables = []
    for exponent in EXPONENTS:
        prefix = "" if exponent == 3 else f"e{exponent}_"
        medians = [pl.col(f"{prefix}ar{kind}").median().alias(f"ar{kind}") for kind in KINDS]
        found = scores.group_by(GROUP, maintain_order=True).agg(medians)
        tables.append(found.with_columns(exponent=pl.lit(exponent)).select(*GROUP, "exponent", "^ar.$"))
    return pl.concat(tables)
