"""How far from the limit: one pass over the same bytes that only finds where tokens start and end.

python -m bench.boundaries
"""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numba import njit

from bench import corpora
from bench.tables import micro, table, times
from gistmark.bench.pairs import pairs_of
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark_engine.arrow import read_texts
from gistmark_engine.characters import no_characters
from gistmark_engine.jit import OPTIONS
from gistmark_engine.kernels.classify import classify
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_columns
from gistmark_engine.tokenizers.rule import ROUGE

ROUNDS = 7
ROWS = {corpora.SHORT: 8000, (60, 400): 1500, (160, 160): 2000}


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def find_boundaries(address: Any, length: Any, classes: Any, lower: Any, pad: Any, folded: Any, masks: Any) -> Any:
    """Fold and mark every text, as the engine's first pass does, and nothing else."""
    size = 0
    for t in range(len(address)):
        size += classify(
            address[t], length[t], ROUGE, classes, lower, pad, folded, 0, masks[0], masks[1], masks[2]
        )  # fmt: skip
    return size


def line(sizes: tuple[int, int], rows: int) -> tuple[str, ...]:
    """Time a row of that pass and of ROUGE-1/2/L, and the rate of the first."""
    pairs = pairs_of(corpora.pairs(sizes, rows), ("summary", "references"))
    texts, _ = read_texts(pairs.columns)
    address, length = texts.address, texts.length
    longest = int(length.max())
    scratch = (
        np.zeros(64, np.uint8),
        np.empty(2 * longest + 1024, np.uint8),
        np.empty((3, longest // 32 + 8), np.uint64),
    )
    tables = no_characters()
    limit = partial(find_boundaries, address, length, tables.classes, tables.lower, *scratch)
    if limit() != length.sum():
        raise RuntimeError("the pass did not read every byte")
    sides = {
        "limit": Contestant(limit, rows),
        "rouge": Contestant(partial(score_columns, pairs.columns, [rouge()], threads=1), rows),
    }
    spent = race(sides, ROUNDS, clock_of(1))
    rate = f"{length.sum() / rows / median(spent['limit']) / 1e9:.2f} GB/s"
    cells = micro(median(spent["limit"])), rate, micro(median(spent["rouge"]))
    return (f"{sizes[0]}/{sizes[1]} words", *cells, times(ratio(spent["rouge"], spent["limit"])))


def main() -> None:
    """Print the table."""
    lines = [line(sizes, rows) for sizes, rows in ROWS.items()]
    note = f"Distinct texts, one thread, CPU time, median of {ROUNDS} interleaved rounds."
    headings = ("pairs", "boundaries alone, a row", "rate", "ROUGE-1/2/L, a row", "times the limit")
    print(table("Distance from the limit", note, headings, lines))


if __name__ == "__main__":
    main()
