"""What computes SUPERT: the sentences of sources and summaries as vectors, matched on the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.documents import Block, blocks, flat
from gistmark.models.embedder import MEMORY
from gistmark.models.matching import Embedded, match
from gistmark.models.ragged import Ints, bounds_of, places
from gistmark.models.run import Tell, told
from gistmark.models.shown import Shown, tensor
from gistmark.models.stage import Stage
from gistmark.models.stopwords import STOP_WORDS
from gistmark.models.supert import Measure
from gistmark.studies.sentences import splitter
from gistmark_engine.metric import STATUS, Batch, Values

FIELDS = ("supert", *status_fields("supert"))
BYTES = 3
"""Bytes of text that a token has at least, for most texts."""


class Supporting:
    """Scores batches; a block's texts are encoded once, its pairs matched in batches."""

    def __init__(self, stage: Stage, tell: Tell, sentences: int, measure: Measure, split: str) -> None:
        import torch

        self.stage, self.tell, self.sentences, self.measure = stage, tell, sentences, measure
        self.splitter = splitter(split)
        model = stage.models[0]
        self.dtype = (
            torch.float32 if model.dtype == torch.float32 else torch.float16
        )  # unit vectors want digits, not range
        self.width = int(model.config.hidden_size)
        self.block = BYTES * MEMORY[stage.device.type] // (self.width * self.dtype.itemsize)
        self.counted = _counted(stage.pieces.tokenizer)

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        table = np.full((batch.rows, len(FIELDS)), np.nan)
        for block in blocks(batch, self.block):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(FIELDS, table.T, strict=True))

    def _score(self, block: Block) -> NDArray[np.float64]:
        """The fields of each distinct pair of source and summary."""
        sources = [self.splitter.split(text)[: self.sentences] for text in block.sources]
        summaries = [self.splitter.split(text) for text in block.summaries]
        embedded, given, there = self._embed([*sources, *summaries])
        right, left = block.pairs[:, 0], block.pairs[:, 1] + len(sources)
        usable = (embedded.lengths[left] > 0) & (embedded.lengths[right] > 0)
        score = np.full(len(left), np.nan)
        if usable.any():
            found = match(embedded, left[usable], right[usable], zero=False).astype(np.float64).clip(-1, 1)
            score[usable] = _measured(found, self.measure)
        kept, total = (count[left] + count[right] for count in (given, there))
        status = np.where(usable, cut_status(kept, total), STATUS["undefined"])
        status = np.where(there[right] == 0, STATUS["empty_source"], status)
        status = np.where(there[left] == 0, STATUS["empty_summary"], status)
        return np.column_stack([score, status, kept, total])

    def _embed(self, texts: Sequence[Sequence[str]]) -> tuple[Embedded, Ints, Ints]:
        """Texts given by their sentences as vectors of the tokens that count; how many of each text's word pieces were
        encoded, and how many it has, int64 (texts,)."""
        import torch

        parts, bounds = flat(texts)
        bodies = self.stage.pieces.bodies(parts)
        inputs = self.stage.pieces.single(bodies)
        kept = self.counted[inputs.ids.values]
        ends = bounds_of(kept.astype(np.int64))[inputs.ids.bounds]  # counted tokens before each sentence
        table = torch.empty((int(ends[-1]), self.width), dtype=self.dtype, device=self.stage.device)
        offsets = places(np.zeros(len(parts), np.int64), inputs.ids.lengths)[kept]

        def put(output: Any, shown: Shown) -> None:
            first, counts = ends[shown.rows], np.diff(ends)[shown.rows]
            target = places(first, counts)
            source = np.repeat(shown.starts, counts) + offsets[target]
            vectors = output[0].flatten(0, 1)[shown.tensor(source)].float()
            unit = torch.nn.functional.normalize(vectors, dim=-1).to(table.device, table.dtype)
            table.index_copy_(0, shown.tensor(target).to(table.device), unit)

        for _ in told(self.stage, inputs, put, self.tell):
            pass
        starts, lengths = ends[bounds[:-1]], np.diff(ends[bounds])
        weights = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
        embedded = Embedded(table, starts, lengths, tensor(table.device, weights), starts)
        given = np.minimum(bodies.lengths, self.stage.pieces.room)
        return embedded, np.diff(bounds_of(given)[bounds]), np.diff(bodies.bounds[bounds])


def _counted(tokenizer: Any) -> NDArray[np.bool_]:
    """Which ids are neither special tokens nor stop words."""
    words = [piece or "" for piece in tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))]
    counted = np.array([word.lower() not in STOP_WORDS for word in words], np.bool_)
    special: Ints = np.array(
        [id for id in (tokenizer.cls_token_id, tokenizer.sep_token_id) if id is not None], np.int64
    )
    counted[special] = False
    return counted


def _measured(found: NDArray[np.float64], measure: Measure) -> NDArray[np.float64]:
    """One number of precision and recall, (pairs, 2); F1 is 0 where they cancel out."""
    p, r = found.T
    f1 = np.divide(2 * p * r, p + r, out=np.zeros_like(p), where=p + r != 0)
    chosen: NDArray[np.float64] = {"f1": f1, "precision": p, "recall": r}[measure]
    return chosen
