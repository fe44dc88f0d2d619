"""BLANC's rule for a sentence and a summary that are too long for the model together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gistmark.models.ragged import Ints


@dataclass(frozen=True, slots=True)
class Fit:
    """What is left of sentence and summary, int64 (pairs,) each.

    sentence  pieces of the sentence, from its start
    start     the summary's first piece
    summary   pieces of the summary from there
    """

    sentence: Ints
    start: Ints
    summary: Ints


def fit(sentence: Ints, summary: Ints, of: Sequence[Sequence[int]], which: Ints, room: int, least: int) -> Fit:
    """Cut the end of the sentence, but leave it `least` pieces; if that does not do, drop the summary's last sentences,
    and if not one fits, keep the end of the first.

    sentence, summary  int64 (pairs,), how many pieces they have
    of, which          the lengths of each summary's sentences, and int64 (pairs,) which summary it is
    room               pieces that fit together
    """
    least = min(least, room)
    kept = sentence - np.clip(sentence + summary - room, 0, np.maximum(sentence - least, 0))
    start, length = np.zeros_like(summary), summary.copy()
    for pair in np.flatnonzero(kept + summary > room):
        start[pair], length[pair] = _trim(of[which[pair]], int(room - kept[pair]))
    return Fit(kept, start, length)


def _trim(lengths: Sequence[int], room: int) -> tuple[int, int]:
    """Where what is kept of a summary begins, and its length."""
    total = np.cumsum(lengths)
    whole = int(np.searchsorted(total, room, side="right"))
    if whole:
        return 0, int(total[whole - 1])
    return max(lengths[0] - room, 0), min(lengths[0], room)
