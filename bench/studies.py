"""What corpora and studies compute: corpus BLEU, agreement with its bootstrap, rank correlations, syntactic counts.

python -m bench.studies
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import krippendorff as krippendorff_package
import numpy as np
import polars as pl
import pyarrow as pa
import sacrebleu
from numpy.typing import NDArray
from scipy import stats

from bench import corpora
from bench.tables import micro, table, times
from gistmark.bench.pairs import pairs_of
from gistmark.bench.peers.sacrebleu import CACHES
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark.score import score
from gistmark.studies.preference import judged, preference
from gistmark.studies.sessions import summaries_frame
from gistmark.studies.simulator import simulate
from gistmark.summary import summarise
from gistmark.syntax import parser
from gistmark_datasets import scitldr_sample
from gistmark_engine.agreement import krippendorff
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.kernels.resampling import bootstrap_sums
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.bleu import bleu
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.plan import score_columns
from gistmark_engine.ranks import correlate

ROUNDS = 3
HEADINGS = ("work", "against", "peer", "gistmark", "ratio", "at least")
MATCHES, ANNOTATORS, REPLICATES, FEW = 480, 20, 1000, 20
SERIES, LENGTH, SOME = 10_000, 6, 500
ROWS, TEXTS = 2000, 60


@dataclass(frozen=True, slots=True)
class Duel:
    """One line: what `ours` and `theirs` compute, how much of it (times are of one part), and whether they agree.

    floor  the ratio to reach, None where none was set
    """

    work: str
    against: str
    ours: Contestant
    theirs: Contestant
    same: Callable[[], bool]
    floor: float

    def cells(self) -> tuple[str, ...]:
        """The line's cells; "differs" in place of a ratio of unequal values."""
        if not self.same():
            return self.work, self.against, "-", "-", "differs", f"{self.floor:g}x"
        spent = race({"ours": self.ours, "theirs": self.theirs}, ROUNDS, clock_of(1))
        reached = times(ratio(spent["theirs"], spent["ours"]))
        return (
            self.work,
            self.against,
            micro(median(spent["theirs"])),
            micro(median(spent["ours"])),
            reached,
            f"{self.floor:g}x",
        )


def duels() -> Iterator[Duel]:
    """All lines."""
    yield _corpus_bleu()
    yield _alpha()
    yield _ranks()
    yield _counts()


def _corpus_bleu() -> Duel:
    """BLEU of a corpus from texts to its score, a row."""
    pairs = pairs_of(corpora.pairs(corpora.SHORT, ROWS), ("summary", "references"))
    metric, theirs = bleu(parity="reference"), sacrebleu.BLEU()
    summaries, streams = pairs.texts["summary"], [[row[0] for row in pairs.texts["references"]]]

    def ours() -> float | None:
        assert metric.corpus is not None
        scored = score_columns(pairs.columns, [metric], threads=1)
        sums = {name: float(np.asarray(scored[name]).sum()) for name in metric.corpus.statistics}
        return metric.corpus.finish(sums)["bleu"]

    def peer() -> float:
        for module, name in CACHES.items():
            getattr(sys.modules[module], name).__call__.cache_clear()
        return float(theirs.corpus_score(summaries, streams).score)

    def same() -> bool:
        return bool(np.isclose(ours() or 0.0, peer(), rtol=1e-15, atol=0))

    return Duel(
        "BLEU of a corpus, 25/25 words, a row", "sacrebleu", Contestant(ours, ROWS), Contestant(peer, ROWS), same, 100
    )


def _alpha() -> Duel:
    """Krippendorff's alpha of two coders of three categories with its bootstrap over annotators, a replicate."""
    draw = np.random.default_rng(0)
    human = draw.integers(0, 3, MATCHES)
    codes = np.stack([human, np.where(draw.random(MATCHES) < 0.6, human, draw.integers(0, 3, MATCHES))])
    coders = [pa.array(coder) for coder in codes]
    annotators = np.arange(MATCHES) // (MATCHES // ANNOTATORS)
    clusters = pa.array(annotators)
    drawn = np.empty((FEW, ANNOTATORS))
    bootstrap_sums(np.eye(ANNOTATORS), 0, drawn)
    places = [np.repeat(np.arange(MATCHES), row[annotators]) for row in drawn.astype(np.int64)]

    def ours() -> NDArray[np.float64]:
        return krippendorff(coders, clusters=clusters, bootstrap=Bootstrap(REPLICATES)).drawn

    def theirs() -> list[float]:
        package: Any = krippendorff_package
        return [package.alpha(reliability_data=codes[:, at], level_of_measurement="nominal") for at in places]

    def same() -> bool:
        return bool(np.allclose(ours()[:FEW], theirs(), rtol=1e-12, atol=1e-12))

    work = f"alpha over {MATCHES} matches, a bootstrap replicate of {REPLICATES:,}"
    return Duel(work, "krippendorff in a loop", Contestant(ours, REPLICATES), Contestant(theirs, FEW), same, 50)


def _ranks() -> Duel:
    """Spearman's correlation of many short series, a series."""
    draw = np.random.default_rng(0)
    x, y = (draw.integers(0, 9, (SERIES, LENGTH)).astype(np.float64) for _ in "xy")
    offsets = pa.array(np.arange(SERIES + 1) * LENGTH, pa.int64())
    lists = [pa.LargeListArray.from_arrays(offsets, pa.array(side.ravel())) for side in (x, y)]

    def ours() -> NDArray[np.float64]:
        return np.asarray(correlate("spearman", *lists)["spearman"].fill_null(np.nan))

    def theirs() -> list[float]:
        with np.errstate(all="ignore"):
            return [stats.spearmanr(*pair).statistic for pair in zip(x[:SOME], y[:SOME], strict=True)]

    def same() -> bool:
        return bool(np.allclose(ours()[:SOME], theirs(), rtol=1e-12, atol=1e-14, equal_nan=True))

    work = f"Spearman of {SERIES:,} series of {LENGTH}, a series"
    return Duel(work, "scipy.stats.spearmanr", Contestant(ours, SERIES), Contestant(theirs, SOME), same, 100)


def _counts() -> Duel:
    """The 23 syntactic measures' counts against the parse they are made from, a text."""
    texts = pl.read_parquet(scitldr_sample())["source"].unique(maintain_order=True).head(TEXTS).to_list()
    nlp = parser.load(parser.DEFAULT_MODEL)
    parses = parser.parse(texts, nlp)
    work = f"syntactic counts of {TEXTS} abstracts, a text"
    ours, theirs = Contestant(parses.counts, TEXTS), Contestant(lambda: parser.parse(texts, nlp), TEXTS)
    return Duel(work, "parsing the same texts (spaCy)", ours, theirs, lambda: True, 20)


def study_seconds() -> tuple[tuple[str, str], ...]:
    """CPU seconds of a whole preference study and of comparing systems: kernels are warm at the second run."""
    clock, sessions = clock_of(1), simulate(20, 8)
    metrics = [datastats(), abstraction()]

    def study() -> None:
        scored = score(summaries_frame(sessions), metrics, threads=1)
        preference(sessions, scored, judged(metrics), "model-a")

    pairs = corpora.real_set()[1]
    scored = score(pairs, metrics, threads=1)

    def intervals() -> None:
        summarise(scored, metrics, "system", intervals="bootstrap")

    rows = []
    for work, run in (("preference study, 160 sessions", study), ("end table with intervals, the real set", intervals)):
        run()
        start = clock()
        run()
        rows.append((work, f"{clock() - start:.1f} s"))
    return tuple(rows)


def main() -> int:
    """Print both tables; 1 if any value differs."""
    rows = [duel.cells() for duel in duels()]
    print(table("Corpora and studies", f"Median ratio of {ROUNDS} interleaved rounds, CPU time.", HEADINGS, rows))
    print(
        table("Whole studies", "DataStats and RA/SA/AR, 1,000 replicates, CPU time.", ("work", "time"), study_seconds())
    )
    return int(any("differs" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
