"""LCS alone, on token ids, against rapidfuzz.

python -m bench.lcs
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from bench import corpora
from bench.tables import micro, table, times
from gistmark.bench.pairs import pairs_of
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark_engine.kernels.kept import MULTISET
from gistmark_engine.kernels.overlap import Pairs, overlap_pairs
from gistmark_engine.metric import Batch, Citation, Metric, Tokenizer
from gistmark_engine.plan import score_columns

ROWS = 2000
NO_ORDERS = np.zeros(0, np.int64)
HEADINGS = ("work", "against", "peer", "gistmark", "ratio", "at least")
FLOOR = "1.5x"


def tokenised(rows: int) -> Pairs:
    """Short pairs as token ids of the engine; beside a source, every token of a reference is numbered."""
    kept: list[Pairs] = []

    def keep(batch: Batch) -> Mapping[str, NDArray[np.float64]]:
        kept.append(batch.tokenised.reference_pairs())
        return {}

    tokenizer = Tokenizer("rouge", whole=True)
    metric = Metric("ids", ("summary", "references", "source"), {}, keep, Citation("the ids alone"), tokenizer)
    score_columns(pairs_of(corpora.pairs(corpora.SHORT, rows), metric.inputs).columns, [metric], threads=1)
    if len(kept) != 1:
        raise RuntimeError(f"{rows} rows make {len(kept)} ranges; one is wanted")
    return kept[0]


def lines(rounds: int) -> tuple[list[tuple[str, ...]], bool]:
    """The lines of the table of ratios, and whether both sides give equal lengths.

    rapidfuzz takes any sequences: lists of token ids, and strings with one character a token, its quickest.
    """
    pairs = tokenised(ROWS)
    lists, strings = (
        [[make(pairs.ids[start:stop]) for start, stop in spans] for spans in (pairs.target, pairs.base)]
        for make in (np.ndarray.tolist, _string)
    )
    by_lists, same_lists = _line("lists of ids", pairs, lists, rounds)
    by_strings, same_strings = _line("a character a token", pairs, strings, rounds)
    return [by_lists, by_strings], same_lists and same_strings


def _line(form: str, pairs: Pairs, texts: Sequence[Sequence[Any]], rounds: int) -> tuple[tuple[str, ...], bool]:
    def ours() -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = overlap_pairs(pairs, NO_ORDERS, MULTISET, True, -1)[-1]
        return lengths

    def theirs() -> NDArray[Any]:
        return cpdist(texts[0], texts[1], scorer=LCSseq.similarity, dtype=np.int64, workers=1)

    same = bool(np.array_equal(ours(), theirs()))
    spent = race({"ours": Contestant(ours, ROWS), "theirs": Contestant(theirs, ROWS)}, rounds, clock_of(1))
    reached = times(ratio(spent["theirs"], spent["ours"])) if same else "differs"
    rates = micro(median(spent["theirs"])), micro(median(spent["ours"]))
    return ("LCS alone, 25/25 words", f"rapidfuzz cpdist(LCSseq), {form}", *rates, reached, FLOOR), same


def _string(ids: NDArray[np.int32]) -> str:
    return "".join(map(chr, ids))


if __name__ == "__main__":
    cells, equal = lines(5)
    print(table("LCS alone", "CPU time, one thread.", HEADINGS, cells))
    sys.exit(not equal)
