"""Products too large to be laid out at once, a part at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gistmark.models.chunks import spans
from gistmark.models.ragged import Ints, bounds_of

TOKENS = 1 << 20
"""Tokens that are laid out at a time."""
PAIRS = 1 << 16
"""Pairs that are counted at a time."""


def tiles(counts: Ints, size: Callable[[Ints, Ints], Ints]) -> Iterator[tuple[Ints, Ints]]:
    """Every item k beside each of its partners 0, …, counts[k] - 1, in order: int64 arrays of items and partners.

    size  tells how many tokens such pairs have
    """
    bounds = bounds_of(counts)
    for start in range(0, int(bounds[-1]), PAIRS):
        pair = np.arange(start, min(start + PAIRS, int(bounds[-1])))
        item = np.searchsorted(bounds, pair, side="right") - 1
        partner = pair - bounds[item]
        for low, high in spans(size(item, partner), TOKENS):
            yield item[low:high], partner[low:high]
