"""The embeddings that a job works with, in one tensor of bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gistmark.models.ragged import Ints, bounds_of


class Shelf:
    """Token embeddings by text: those of texts to be kept from below, those wanted for one chunk above them.

    When there is no room left, everything is forgotten and the shelf filled anew. A chunk larger than the shelf makes it
    larger until the next one. A CPU gives memory when it is written to, so there the shelf has its size at once; on a
    GPU it grows.

    table  tensor [capacity, width] of unit vectors on the device
    """

    def __init__(self, capacity: int, width: int, dtype: Any, device: Any) -> None:
        import torch

        self.capacity = capacity
        self.table: Any = torch.empty(0, width, dtype=dtype, device=device)
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
        self._reserve(int(starts[-1] + loose.sum()))
        self._kept.update(zip((keys[at] for at in missing), starts.tolist(), strict=False))
        self._used = int(starts[-1])
        kept = np.array([self._kept[key] for key in keys], np.int64)
        return np.concatenate([kept, self._used + bounds_of(loose)[:-1]]), missing

    def _reserve(self, tokens: int) -> None:
        """Make the table so large, and no larger than the capacity if that suffices; what is in use stays."""
        size = len(self.table)
        if tokens <= size <= max(tokens, self.capacity):
            return
        least = self.capacity if self.table.device.type == "cpu" else min(2 * size, self.capacity)
        used, self.table = self.table[: self._used], self.table.new_empty((max(tokens, least), self.table.shape[1]))
        self.table[: self._used] = used
