"""Does a metric respond as it should when a summary is changed? Chains, scores, statistics and verdicts in one call.

The paper's first research question ("Information Satisfaction", sections 3.1 and 5): Spearman's correlation of score
with level, and the share of steps in the expected direction. Its number of levels, its text to perturb and its rule
for a pass are not published; those here are the project's, recorded beside every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from gistmark.catalogue import resolve, signature
from gistmark.files import write
from gistmark.roles import assign, default_metrics
from gistmark.score import score
from gistmark.studies.archive import check_archive, digest, kept, load, open_archive
from gistmark.studies.chosen import chosen_chains
from gistmark.studies.documents import KEY, Base, documents, wanted
from gistmark.studies.perturbations import EXPECTED, Chains, chains
from gistmark.studies.responses import NanPolicy, by_corpus, by_document, by_level, long_scores
from gistmark.studies.rewrites import Rewrites
from gistmark.studies.rewriting import REWRITTEN, Rewriter
from gistmark.studies.verdicts import Cuts, overall, sensitivity, verdict
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric
from gistmark_engine.ranks import Mode

REWRITES = "rewrites.jsonl"
BLOCK = 500  # documents scored between two saves


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that changes a number of the study, beside documents and metrics. See the functions that read them:
    `documents` (base, sample), `chains` (levels, split), `by_document` (stable_mode), `by_corpus` (nan_policy,
    bootstrap), `verdict` (cuts). `seed` draws sample, distractors, phrases and personas; `bootstrap` has its own.
    """

    levels: int = 5
    seed: int = 0
    base: Base = "reference"
    split: str = "newline"
    sample: int | None = None
    stable_mode: Mode = "transition"
    nan_policy: NanPolicy = "omit"
    cuts: Cuts = field(default_factory=Cuts)
    bootstrap: Bootstrap = field(default_factory=lambda: Bootstrap(replicates=1000))


@dataclass(frozen=True, slots=True)
class Study:
    """What a robustness study found, as tables (their columns: see the functions that make them).

    settings     as given
    signatures   of the metrics, by name
    chains       `chains`; dropped: documents without a chain, and why
    scores       chains with all fields of all metrics
    responses    `by_document`
    statistics   `by_corpus`, with the verdict
    sensitivity  `sensitivity`: the verdicts under other cut-offs
    overall      `overall`
    curves       `by_level`
    """

    settings: Settings
    signatures: Mapping[str, str]
    chains: pl.DataFrame
    dropped: pl.DataFrame
    scores: pl.DataFrame
    responses: pl.DataFrame
    statistics: pl.DataFrame
    sensitivity: pl.DataFrame
    overall: pl.DataFrame
    curves: pl.DataFrame


def robustness(
    pairs: pl.DataFrame,
    metrics: Iterable[str | Metric] | None = None,
    perturbations: Sequence[str] | None = None,
    *,
    settings: Settings = Settings(),
    glossary: Mapping[str, str] | None = None,
    rewrites: Rewrites | Rewriter | None = None,
    output: str | Path | None = None,
    threads: int | None = None,
) -> Study:
    """Perturb documents, score every level of every chain, and say how each metric responds.

    pairs          columns named by their roles (summary, references, source, query, persona), and corpus, doc_id
    metrics        names or records; None: those of rouge, datastats and abstraction whose columns are there
    perturbations  of "distractor", "incremental", "lengthen", "shorten", "audience", "persona_swap"; None: the first
                   two, and what was rewritten or else the proxies of "lengthen" and "shorten"
    glossary       term → plain words, for the proxy of "audience"
    rewrites       chains written by a model (`read_rewrites`), or a `Rewriter` that makes those of "lengthen", "shorten"
                   and "audience" once all else is known to be right; they take the place of rules and proxies
    output         directory for study.json and one Parquet table each, rewrites.jsonl where a model rewrote; a run that
                   was cut off goes on where it stopped

    Proxies never share a study with model rewrites (OptionError).
    """
    rows = documents(pairs, base=settings.base, sample=settings.sample, seed=settings.seed)
    if rows.is_empty():
        raise InputError("there is no document with a text to perturb", column=wanted(settings.base))
    levels, seed = settings.levels, settings.seed
    make = partial(chosen_chains, rows, levels=levels, seed=seed, split=settings.split, glossary=glossary)
    columns = _scorable(make([]).table, rows)
    chosen = default_metrics(assign(None, columns.columns), columns.columns) if metrics is None else resolve(metrics)
    if isinstance(rewrites, Rewriter):  # whatever can be refused is refused before a model is asked
        make([name for name in perturbations or () if name not in REWRITTEN])
        score(columns, chosen, threads=threads)
        kept_lines = None if output is None else check_archive(output) / REWRITES
        rewrites = rewrites.lines(rows, REWRITTEN if perturbations is None else perturbations, levels, seed, kept_lines)
    made = make(perturbations, rewrites)
    directory = None if output is None else open_archive(output, "robustness", chosen, _record(settings, rows, made))
    if directory and rewrites and not isinstance(rewrites, str | Path):
        write(pl.DataFrame(rewrites), directory / REWRITES)
    scores = _scores(_scorable(made.table, rows), chosen, directory, threads)
    return _study(made, scores, chosen, settings, directory)


def _scorable(table: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The chains with what their levels are scored against; the chains of one document follow each other."""
    texts = [name for name in ("source", "references") if name in rows.columns]
    readers = [name for name in ("query", "persona") if name in rows.columns]
    numbered = rows.with_row_index("document").select("document", *KEY, *texts)
    frame = table.join(numbered, on=KEY, how="left", maintain_order="left").sort("document", maintain_order=True)
    if not readers:
        return frame
    each = rows.unique(["corpus", "doc_id"], keep="first").select("corpus", pl.col("doc_id").alias("reader"), *readers)
    return frame.join(each, on=["corpus", "reader"], how="left", maintain_order="left")


def _record(settings: Settings, rows: pl.DataFrame, made: Chains) -> dict[str, object]:
    """What the study is beside its metrics, as JSON: equal for equal studies."""
    return {
        "perturbations": _perturbations(made),
        "settings": asdict(settings),
        "level_definition": chains.__doc__,
        "documents": rows.height,
        "documents_sha256": digest(rows),
        "chains_sha256": digest(made.table),
    }


def _perturbations(made: Chains) -> list[str]:
    """All that were asked for, documents or not, in their usual order."""
    named = {*made.table["perturbation"], *made.dropped["perturbation"]}
    return [name for name in EXPECTED if name in named]


def _scores(
    frame: pl.DataFrame, metrics: Sequence[Metric], directory: Path | None, threads: int | None
) -> pl.DataFrame:
    """All levels scored in one plan, or, with a directory, in one a block of documents."""
    if directory is None:
        return score(frame, metrics, threads=threads).drop("document")
    whole, parts = directory / "scores.parquet", directory / "scores.parts"
    if not whole.exists():
        blocks = frame.group_by(pl.col("document") // BLOCK, maintain_order=True)
        files = [(parts / f"{number:06d}.parquet", block) for (number,), block in blocks]
        done = [kept(path, partial(score, block, metrics, threads=threads)) for path, block in files]
        whole_of = pl.concat(done) if done else score(frame, metrics, threads=threads)
        kept(whole, lambda: whole_of.drop("document"))
    if parts.exists():
        for path in parts.iterdir():
            path.unlink()
        parts.rmdir()
    return load(whole)


def _study(
    made: Chains,
    scores: pl.DataFrame,
    metrics: Sequence[Metric],
    settings: Settings,
    directory: Path | None,
) -> Study:
    """The statistics, kept in the directory if there is one."""

    def keep(name: str, table: pl.DataFrame) -> pl.DataFrame:
        return table if directory is None else kept(directory / f"{name}.parquet", lambda: table)

    long = long_scores(scores, metrics)
    responses = by_document(long, settings.stable_mode)
    means = by_corpus(responses, settings.bootstrap, settings.nan_policy).with_columns(verdict(settings.cuts))
    return Study(
        settings=settings,
        signatures=signature(metrics),
        chains=keep("chains", made.table),
        dropped=keep("dropped", made.dropped),
        scores=scores,
        responses=keep("responses", responses),
        statistics=keep("statistics", means),
        sensitivity=keep("sensitivity", sensitivity(means, settings.cuts)),
        overall=keep("overall", overall(means)),
        curves=keep("curves", by_level(long)),
    )
