"""The embeddings that a job works with, in one tensor of bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gistmark.models.ragged import Ints, bounds_of


class Shelf:
    """Token embeddings by text: those of texts to be kept from below, those wanted for one chunk above them.

    When there is no room left, everything is forgotten and the shelf filled anew. A chunk larger than the shelf makes it
    larger.

    table  tensor [capacity, width] of unit vectors on the device
    """

    def __init__(self, capacity: int, width: int, dtype: Any, device: Any) -> None:
        self.capacity, self.width, self.dtype, self.device = capacity, width, dtype, device
        self.table: Any = None
        self._kept: dict[bytes, int] = {}
        self._used = 0

    def place(self, keys: Sequence[bytes], lengths: Ints, loose: Ints) -> tuple[Ints, list[int]]:
        """Where the texts `keys` and the loose ones of those lengths begin, and which of `keys` are not there yet.

        lengths  int64 (texts,) tokens of the texts with keys, which stay
        loose    int64 (others,) tokens of those that stay until the next call
        """
        missing = [at for at, key in enumerate(keys) if key not in self._kept]
        if self._used + lengths[missing].sum() + loose.sum() > self.capacity:
            self._kept.clear()
            self._used = 0
            missing = list(range(len(keys)))
        starts = self._used + bounds_of(lengths[missing])
        self._kept.update(zip((keys[at] for at in missing), starts.tolist(), strict=False))
        self._used = int(starts[-1])
        self._reserve(self._used + int(loose.sum()))
        kept = np.array([self._kept[key] for key in keys], np.int64)
        return np.concatenate([kept, self._used + bounds_of(loose)[:-1]]), missing

    def _reserve(self, tokens: int) -> None:
        """Make the table so large, at first no larger than it needs to be."""
        import torch

        size = 0 if self.table is None else len(self.table)
        if tokens <= size:
            return
        grown = torch.empty(max(tokens, min(2 * size, self.capacity)), self.width, dtype=self.dtype, device=self.device)
        if size:
            grown[:size] = self.table
        self.table = grown
