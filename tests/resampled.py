"""What tests of intervals and comparisons share: scores, and the draws behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import gistmark as gm
from gistmark_engine.kernels.resampling import bootstrap_sums, exchanged_sums
from gistmark_engine.metric import Batch, Citation, Field, Metric

CORPUS = [gm.metrics.bleu(parity="reference"), gm.metrics.chrf(parity="reference"), gm.metrics.ter(parity="reference")]
Frame = pl.DataFrame


def never(batch: Batch) -> dict[str, object]:
    raise AssertionError("scores that are there are compared")


MADE = Metric(
    name="made",
    inputs=("summary",),
    fields={"score": Field(summary=("mean",)), "skewed": Field(summary=("median", "quartiles"))},
    run=never,
    cite=Citation("none"),
)


def times(rows: int, replicates: int, seed: int) -> np.ndarray:
    """How often each row is in each bootstrap replicate: the sums of the unit vectors."""
    sums = np.empty((replicates, rows))
    bootstrap_sums(np.eye(rows), seed, sums)
    return sums.astype(int)


def swaps(rows: int, replicates: int, seed: int) -> np.ndarray:
    """Which rows each replicate exchanges."""
    sums = np.empty((2, replicates, rows))
    exchanged_sums(np.eye(rows), np.zeros((rows, rows)), seed, sums)
    return sums[1].astype(bool)


def first(sums: np.ndarray) -> np.ndarray:
    return sums[:, 0]


class Drawn:
    """A generator for sacreBLEU that draws what we drew."""

    def __init__(self, rows: int, replicates: int, seed: int) -> None:
        self.rows, self.replicates, self.seed = rows, replicates, seed

    def choice(self, *_: Any, **__: Any) -> np.ndarray:
        return np.array([np.repeat(np.arange(self.rows), row) for row in times(self.rows, self.replicates, self.seed)])

    def integers(self, *_: Any, **__: Any) -> np.ndarray:
        return swaps(self.rows, self.replicates, self.seed)


def systems(shift: float, rows: int = 40, seed: int = 0) -> Frame:
    """Two systems on the same texts, whose scores differ by `shift` on average."""
    draw = np.random.default_rng(seed)
    text = draw.normal(size=rows)
    scores = np.concatenate([text + draw.normal(0, 0.5, rows), text + draw.normal(shift, 0.5, rows)])
    ids = [f"t{row}" for row in range(rows)] * 2
    return pl.DataFrame({"system": ["a"] * rows + ["b"] * rows, "id": ids, "score": scores, "skewed": scores})
