"""What is measured on: pairs of real text in any length and number, the real evaluation set, hostile texts."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gistmark_datasets import scitldr_sample

SHARED = "GISTMARK_SHARED"
"""Names the folder whose `data/cnndm_summeval.parquet` is the real evaluation set."""

SHORT = (25, 25)
SIZES = (SHORT, (60, 50), (25, 160), (60, 400), (160, 160))
"""Words of the summary and of the other text."""

Ints = NDArray[np.int64]


@cache
def words() -> tuple[str, ...]:
    """Every word of the sample's abstracts, in order: about 100,000."""
    sources = pl.read_parquet(scitldr_sample(), columns=["source"])["source"].unique(maintain_order=True)
    return tuple(" ".join(sources.to_list()).split())


@cache
def windows(size: int) -> pa.Array:
    """All runs of `size` words, wrapped around at the end, one for each word they start at."""
    wrapped = words() + words()[:size]
    return pa.array([" ".join(wrapped[at : at + size]) for at in range(len(words()))], pa.large_string())


def pairs(sizes: tuple[int, int], rows: int, block: int = 0, lines: bool = False) -> pl.DataFrame:
    """`rows` pairs of real text, no text twice: columns `summary`, `references` and `source`, the last two the same.

    Each text is two runs of real words. The first run of the summary lies inside the first run of the other text, the second
    comes from elsewhere: about half of a summary is copied, which real pairs lie on both sides of.

    sizes  words of the summary and of the other text
    block  blocks of rows of different numbers share no text (while rows is the same)
    lines  every sentence on a line of its own
    """
    summary, other = sizes
    count = len(words())
    index = np.arange(rows, dtype=np.int64) + block * rows
    order = np.random.default_rng(0).permutation(count)
    start, turn = order[index % count], index // count
    inside = max((other - other // 2) - (summary - summary // 2), 0)
    offset = np.random.default_rng(block).integers(0, inside + 1, rows)
    texts = _two_runs(other, start, order[(index + 1 + 2 * turn) % count], lines)
    summaries = _two_runs(summary, (start + offset) % count, order[(index + 2 + 2 * turn) % count], lines)
    return pl.DataFrame({"summary": summaries, "references": texts, "source": texts})


def _two_runs(size: int, first: Ints, second: Ints, lines: bool) -> pl.Series:
    """Texts of `size` words: half of them from the places `first`, half from `second`."""
    runs = windows(size - size // 2).take(pa.array(first)), windows(size // 2).take(pa.array(second))
    texts = pl.Series(pc.binary_join_element_wise(*runs, pa.scalar(" ", pa.large_string()))).cast(pl.String)
    return texts.str.replace_all(". ", ".\n", literal=True) if lines else texts


def real_set() -> tuple[str, pl.DataFrame]:
    """The real evaluation set and its name: 16 systems × 100 articles, or the sample's 3 systems × 618 abstracts."""
    shared = os.environ.get(SHARED)
    path = Path(shared, "data", "cnndm_summeval.parquet") if shared else None
    if path and path.exists():
        return "cnndm_summeval", pl.read_parquet(path).rename({"candidate": "summary"})
    return "scitldr_test", pl.read_parquet(scitldr_sample())


def against_source(frame: pl.DataFrame) -> pl.DataFrame:
    """The same summaries with their source as the reference."""
    return frame.with_columns(references="source")


def one_token(length: int) -> str:
    """One token again and again."""
    return " ".join(["again"] * length)


def all_distinct(length: int, seed: int) -> str:
    """No token twice; the same tokens for every seed, in another order."""
    return " ".join(f"w{number}" for number in np.random.default_rng(seed).permutation(length))


def few_kinds(length: int, kinds: int, seed: int) -> str:
    """Random tokens of `kinds` kinds, which make n-grams repeat and copied runs overlap."""
    return " ".join(f"w{number}" for number in np.random.default_rng(seed).integers(0, kinds, length))


def real_text(length: int, seed: int) -> str:
    """Real words from a random place on."""
    stream = words() * (length // len(words()) + 2)
    start = int(np.random.default_rng(seed).integers(0, len(words())))
    return " ".join(stream[start : start + length])
