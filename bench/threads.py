"""What a second thread is worth.

python -m bench.threads
"""

from __future__ import annotations

import os
import time
from functools import partial
from statistics import median

import polars as pl

from bench import corpora
from bench.tables import micro, table
from gistmark.bench.pairs import pairs_of
from gistmark.bench.race import Contestant, race, ratio
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_columns

ROUNDS = 15


def line(name: str, frame: pl.DataFrame) -> tuple[str, ...]:
    """Time a row of one and of two threads, on the wall, and their ratio."""
    pairs = pairs_of(frame, ("summary", "references"))
    sides = {
        f"{threads}": Contestant(partial(score_columns, pairs.columns, [rouge()], threads=threads), len(pairs.rows))
        for threads in (1, 2)
    }
    spent = race(sides, ROUNDS, time.perf_counter)
    return name, micro(median(spent["1"])), micro(median(spent["2"])), f"{ratio(spent['1'], spent['2']):.2f}x", "1.8x"


def main() -> None:
    """Print the table."""
    name, frame = corpora.real_set()
    lines = [
        line("100,000 pairs of 25/25 words", corpora.pairs(corpora.SHORT, 100_000)),
        line("10,000 pairs of 60/400 words", corpora.pairs((60, 400), 10_000)),
        *(line(f"{name}, {n} times", corpora.against_source(pl.concat([frame] * n))) for n in (4, 40)),
    ]
    note = f"ROUGE-1/2/L, time on the wall, median of {ROUNDS} interleaved rounds; {os.cpu_count()} cores here."
    print(table("Two threads", note, ("work", "one thread", "two threads", "speed-up", "at least"), lines))


if __name__ == "__main__":
    main()
