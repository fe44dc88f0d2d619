"""Texts as unit vectors on a device: encoded unless they are there already."""

from __future__ import annotations

from typing import Any

import numpy as np

from gistmark.models.kept import Kept
from gistmark.models.packing import try_packing
from gistmark.models.ragged import Ints, bounds_of, places
from gistmark.models.run import Tell
from gistmark.models.shelf import Shelf
from gistmark.models.shown import Shown
from gistmark.models.stage import Stage, forward
from gistmark.models.windows import Parts

MEMORY = {"cpu": 128 << 20, "cuda": 4 << 30}
"""Bytes of embeddings on a device, at most a quarter of a GPU's."""


class Embedder:
    """A model on one device, and the shelf beside it.

    kept  where embeddings outlive the job, if anywhere
    """

    def __init__(self, stage: Stage, kept: Kept | None, tell: Tell) -> None:
        import torch

        self.stage, self.kept, self.tell = stage, kept, tell
        model = stage.models[0]
        if stage.device.type == "cuda" and model.dtype != torch.float32:
            try_packing(stage)
        width = int(model.config.hidden_size)
        dtype = torch.float32 if model.dtype == torch.float32 else torch.float16  # unit vectors want digits, not range
        self.capacity = _memory(stage.device) // (width * dtype.itemsize)
        self.shelf = Shelf(self.capacity, width, dtype, stage.device)

    def embed(self, parts: Parts, stay: Ints, go: Ints) -> Ints:
        """Where on the shelf each text of `parts` begins, int64 (texts,); -1 for those not asked for.

        stay, go  texts to keep and texts that are wanted until the next call
        """
        lengths = parts.whole.lengths
        keys = [parts.whole[text].tobytes() for text in stay]
        starts = np.full(len(lengths), -1, np.int64)
        starts[np.concatenate([stay, go])], absent = self.shelf.place(keys, lengths[stay], lengths[go])
        if self.kept:
            absent = [at for at in absent if not self.kept.fetch(keys[at], self._vectors(starts, lengths, stay[at]))]
        self._encode(parts, np.concatenate([stay[absent], go]), starts)
        if self.kept:
            self.kept.store((keys[at], self._vectors(starts, lengths, stay[at])) for at in absent)
        return starts

    def _vectors(self, starts: Ints, lengths: Ints, text: int) -> Any:
        """The vectors of one text, [tokens, width], as they lie on the shelf."""
        return self.shelf.table[starts[text] : starts[text] + lengths[text]]

    def _encode(self, parts: Parts, texts: Ints, starts: Ints) -> None:
        """Put the vectors of `texts` on the shelf."""
        import torch

        counts = np.bincount(parts.text, minlength=len(starts))
        rows = places(bounds_of(counts)[texts], counts[texts])
        skip, keep, target = parts.skip[rows], parts.keep[rows], starts[parts.text[rows]] + parts.at[rows]
        table = self.shelf.table

        def put(output: Any, shown: Shown) -> None:
            hidden = output[0]  # [b, n, width] or packed, [1, tokens, width]
            at, count = shown.rows, keep[shown.rows]
            source = places(shown.starts + skip[at], count)
            vectors = hidden.flatten(0, 1)[shown.tensor(source)].float()
            unit = torch.nn.functional.normalize(vectors, dim=-1)
            table.index_copy_(0, shown.tensor(places(target[at], count)), unit.to(table.dtype))

        inputs = parts.inputs.take(rows)
        self.tell(int(inputs.ids.lengths.sum()), 0)
        for _ in forward(self.stage, inputs, put, lambda tokens: self.tell(0, tokens)):
            pass


def _memory(device: Any) -> int:
    """Bytes that embeddings may take."""
    import torch

    most = MEMORY[device.type]
    return most if device.type == "cpu" else min(most, torch.cuda.get_device_properties(device).total_memory // 4)
