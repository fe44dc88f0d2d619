"""What the Polars expression adds to the engine's call.

python -m bench.overhead
"""

from __future__ import annotations

from functools import partial
from statistics import median

import polars as pl

import gistmark as gm
from bench import corpora
from bench.tables import micro, table
from gistmark.bench.pairs import pairs_of
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_columns

ROUNDS, ROWS = 7, 100_000


def line(name: str, metrics: list[Metric], frame: pl.DataFrame) -> tuple[str, ...]:
    """Time a row of the engine and of the expression, one thread each, and what the second adds."""
    pairs = pairs_of(frame, ("summary", "references", "source"))
    expression = gm.scores(metrics, summary="summary", references="references", source="source", threads=1)
    sides = {
        "engine": Contestant(partial(score_columns, pairs.columns, metrics, threads=1), frame.height),
        "expression": Contestant(partial(frame.select, expression), frame.height),
    }
    spent = race(sides, ROUNDS, clock_of(1))
    added = ratio(spent["expression"], spent["engine"]) - 1
    return name, micro(median(spent["engine"])), micro(median(spent["expression"])), f"{added:+.0%}", "+15%"


def main() -> None:
    """Print the table."""
    frame = corpora.pairs(corpora.SHORT, ROWS)
    lines = [
        line("rouge", [gm.metrics.rouge()], frame),
        line(
            "rouge, datastats, abstraction",
            [gm.metrics.rouge(), gm.metrics.datastats(), gm.metrics.abstraction()],
            frame,
        ),
    ]
    note = f"{ROWS:,} pairs of 25/25 words, one thread, CPU time, median of {ROUNDS} interleaved rounds."
    print(table("Expression", note, ("metrics", "engine, a row", "expression, a row", "added", "at most"), lines))


if __name__ == "__main__":
    main()
