"""Where the time of a robustness study goes: 50 documents × 5 perturbations × 6 levels × all lexical metrics.

python -m bench.robustness
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

import polars as pl

import gistmark as gm
from bench.tables import table
from gistmark.studies.chosen import chosen_chains
from gistmark.studies.documents import KEY, documents
from gistmark.studies.responses import by_corpus, by_document, by_level, long_scores
from gistmark.studies.robustness import Settings, robustness
from gistmark.studies.robustness_figures import save_figures
from gistmark.studies.verdicts import overall, sensitivity, verdict
from gistmark_datasets import scitldr_sample

ROUNDS, DOCUMENTS = 3, 50
METRICS = ("rouge", "bleu", "chrf", "chrfpp", "ter", "meteor", "datastats", "abstraction")
PERTURBATIONS = ("distractor", "incremental", "lengthen", "shorten", "audience")
GLOSSARY = {"model": "program", "models": "programs", "learning": "practice", "neural": "brain-like", "data": "records"}
SETTINGS = Settings(base="system", split="punkt", sample=DOCUMENTS)

Made = TypeVar("Made")


class Clock:
    """Seconds of each part, on the wall and of the processor, one pair a round."""

    def __init__(self) -> None:
        self.spent: dict[str, list[tuple[float, float]]] = {}

    def time(self, part: str, make: Callable[[], Made]) -> Made:
        """What `make` makes, timed."""
        start = time.perf_counter(), time.process_time()
        made = make()
        spent = time.perf_counter() - start[0], time.process_time() - start[1]
        self.spent.setdefault(part, []).append(spent)
        return made


def papers() -> pl.DataFrame:
    """The sample's papers, the abstract as the summary: the text that has sentences enough to take away."""
    pairs = pl.read_parquet(scitldr_sample()).unique("doc_id", keep="first", maintain_order=True)
    return pairs.with_columns(summary=pl.col("source"))


def parts(clock: Clock, pairs: pl.DataFrame) -> None:
    """The study's own steps, one after the other."""
    rows = clock.time("documents", lambda: documents(pairs, base="system", sample=DOCUMENTS))
    chains = clock.time(
        "chains",
        lambda: chosen_chains(rows, PERTURBATIONS, levels=5, seed=0, split="punkt", glossary=GLOSSARY).table,
    )
    frame = chains.join(rows.select(*KEY, "source", "references"), on=KEY, how="left", maintain_order="left")
    scores = clock.time(f"scores ({frame.height} rows)", lambda: gm.score(frame, METRICS))
    metrics = [gm.catalogue()[name] for name in METRICS]
    long = clock.time("long form", lambda: long_scores(scores, metrics))
    responses = clock.time("correlations and monotonicity", lambda: by_document(long, SETTINGS.stable_mode))
    means = clock.time("means and intervals", lambda: by_corpus(responses, SETTINGS.bootstrap, SETTINGS.nan_policy))
    judged = means.with_columns(verdict(SETTINGS.cuts))
    clock.time("verdicts, curves", lambda: (sensitivity(judged, SETTINGS.cuts), overall(judged), by_level(long)))


def whole(clock: Clock, pairs: pl.DataFrame) -> None:
    """The study in one call, its pictures, and the call that finds it finished."""
    with tempfile.TemporaryDirectory() as place:

        def make() -> None:
            robustness(pairs, METRICS, PERTURBATIONS, settings=SETTINGS, glossary=GLOSSARY, output=f"{place}/study")

        clock.time("whole study, kept on disk", make)
        clock.time("the same again, found on disk", make)
    study = robustness(pairs, METRICS, PERTURBATIONS, settings=SETTINGS, glossary=GLOSSARY)
    with tempfile.TemporaryDirectory() as place:
        clock.time("figures", lambda: save_figures(study, place))


def main() -> None:
    """Print the table; the first round, which may compile, is left out."""
    clock, pairs = Clock(), papers()
    for _ in range(ROUNDS + 1):
        parts(clock, pairs)
        whole(clock, pairs)
    lines = []
    for part, (first, *warm) in clock.spent.items():
        wall, processor = (median(times) for times in zip(*warm, strict=True))
        lines.append((part, f"{wall:.3f} s", f"{processor:.3f} s", f"{first[0]:.3f} s"))
    note = (
        f"{DOCUMENTS} abstracts of the sample, {len(PERTURBATIONS)} perturbations, up to 6 levels, {len(METRICS)} metrics, "
        f"{SETTINGS.bootstrap.replicates} bootstrap replicates; all cores, median of {ROUNDS} rounds."
    )
    print(table("Robustness study", note, ("part", "on the wall", "CPU", "first round, on the wall"), lines))


if __name__ == "__main__":
    main()
