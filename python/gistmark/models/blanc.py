"""What BLANC-help and BLANC-tune share: their options, and how guesses become a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gistmark.models.masking import Masking
from gistmark.models.ragged import Ints
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field

Measure = Literal["relative", "improve"]
Split = Literal["punkt", "newline"]

CITE = Citation(
    "Vasilyev et al. 2020, Fill in the BLANC: Human-free quality estimation of document summaries", "blanc 0.3.4"
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options that both have, see `blanc_help`."""

    measure: Measure
    masking: Masking
    split: Split
    parity: bool


def field(measure: Measure) -> Field:
    """The score's column."""
    return Field("float64", -1.0 if measure == "relative" else 0.0, 1.0, "higher")


def masking(metric: str, gap: int, gap_mask: int, least: Sequence[int]) -> Masking:
    """The rule by which pieces are masked. Raises `OptionError` for one that masks nothing."""
    for name, value in (("gap", gap), ("gap_mask", gap_mask)):
        if value < 1:
            raise OptionError(f"{metric}: {name} must be at least 1, not {value}")
    return Masking(gap, gap_mask, *least)


def measure_of(
    before: NDArray[np.bool_], after: NDArray[np.bool_], pair: Ints, pairs: int, measure: Measure
) -> NDArray[np.float64]:
    """The score of every pair, NaN where nothing was guessed.

    before, after  bool (guesses,): right without and with the summary
    pair           int64 (guesses,), whose guess it is
    """

    def count(which: NDArray[np.bool_]) -> Ints:
        return np.bincount(pair[which], minlength=pairs)

    gained, lost, all_of = count(after & ~before), count(before & ~after), count(np.ones_like(before))
    over, under = (gained - lost, all_of) if measure == "relative" else (gained, all_of - lost)
    score: NDArray[np.float64] = np.divide(over, under, out=np.full(pairs, np.nan), where=under > 0)
    return score
