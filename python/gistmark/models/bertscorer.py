"""What computes BERTScore: rows in chunks, each distinct text encoded once, pairs matched on the device."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gistmark.models.ahead import ahead
from gistmark.models.bertscore import Cache, Rules
from gistmark.models.chunks import BYTES, Chunk, chunks, spans
from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.embedder import Embedder
from gistmark.models.kept import Kept
from gistmark.models.matching import Embedded, match
from gistmark.models.ragged import Ints
from gistmark.models.run import Tell
from gistmark.models.shown import tensor
from gistmark.models.stage import Stage
from gistmark.models.texts import Texts, read
from gistmark.models.weights import Floats, Rarity, equal_weights, shares
from gistmark.models.windows import Parts, single, windowed
from gistmark_engine.metric import STATUS, Batch, Values

FIELDS = ("bertscore_p", "bertscore_r", "bertscore_f1", *status_fields("bertscore"))


class Bertscorer:
    """Scores batches by `rules`; holds the model, and embeddings of references, until it is let go."""

    def __init__(self, stage: Stage, tell: Tell, rules: Rules, cache: Cache | None) -> None:
        self.pieces, self.rules = stage.pieces, rules
        self.kept = Kept(cache.path, cache.limit, stage, rules.windows) if cache else None
        self.embedders = [Embedder(one, self.kept, tell) for one in stage.split()]
        self.tokens = min(one.capacity for one in self.embedders) // 2  # of a chunk: what is kept has the other half

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        summaries, references = read(batch, "summary"), read(batch, "references")
        weights = self._rarity(references) if self.rules.idf else equal_weights(self.pieces)
        table = np.full((batch.rows, len(FIELDS)), np.nan)
        work = chunks(summaries, references, self._cut, self.tokens)
        _share(self.embedders, ahead(work), lambda embedder, chunk: self._score(embedder, chunk, weights, table))
        if self.rules.baseline:
            base = np.array(self.rules.baseline)
            table[:, :3] = (table[:, :3] - base) / (1 - base)
        return dict(zip(FIELDS, table.T, strict=True))

    def close(self) -> None:
        """Close the file of kept embeddings."""
        if self.kept:
            self.kept.close()

    def _cut(self, texts: list[str]) -> tuple[Parts, Ints]:
        bodies = self.pieces.bodies([text.strip() for text in texts])
        return (windowed if self.rules.windows else single)(self.pieces, bodies), bodies.lengths

    def _rarity(self, references: Texts) -> Floats:
        """The weights of all word pieces by their rarity among the references of the column."""
        rarity = Rarity(len(self.pieces.tokenizer))
        for start, stop in spans(references.sizes, BYTES * self.tokens):
            texts, at = references.take(np.arange(start, stop)).distinct()
            rarity.add(self._cut(texts)[0].whole, np.bincount(at, minlength=len(texts)))
        return rarity.weights()

    def _score(self, embedder: Embedder, chunk: Chunk, weights: Floats, table: Floats) -> None:
        """Fill the chunk's rows of `table`: precision, recall, F1, status and counts of tokens."""
        first = chunk.bounds[:-1]
        found = np.fmax.reduceat(self._pairs(embedder, chunk, weights), first, axis=0)
        most = chunk.pieces if self.rules.windows else np.minimum(chunk.pieces, self.pieces.room)
        kept, total = (n[chunk.left[first]] + np.add.reduceat(n[chunk.right], first) for n in (most, chunk.pieces))
        status = cut_status(kept, total)
        status = np.where(np.isnan(found).any(axis=1), STATUS["undefined"], status)
        status = np.where(chunk.pieces[chunk.left[first]] == 0, STATUS["empty_summary"], status)
        status = np.where(np.add.reduceat(chunk.pieces[chunk.right], first) == 0, STATUS["empty_reference"], status)
        table[chunk.rows] = np.column_stack([found, status, kept, total])

    def _pairs(self, embedder: Embedder, chunk: Chunk, weights: Floats) -> Floats:
        """Precision, recall and F1 of every pair, (pairs, 3); NaN where there is none."""
        left, right = chunk.pieces[chunk.left] == 0, chunk.pieces[chunk.right] == 0
        scores = np.full((len(left), 3), np.nan)
        scores[left if not self.rules.parity else left | right] = 0
        scores[right & (not self.rules.parity)] = np.nan
        usable = ~(left | right)
        if usable.any():
            scores[usable, :2] = self._match(embedder, chunk, chunk.left[usable], chunk.right[usable], weights)
            scores[usable, 2] = _harmonic(scores[usable, 0], scores[usable, 1])
        return scores

    def _match(self, embedder: Embedder, chunk: Chunk, left: Ints, right: Ints, weights: Floats) -> Floats:
        """Precision and recall of pairs of texts that have word pieces, (pairs, 2)."""
        stay, go = np.unique(right), np.setdiff1d(left, right)
        texts = np.union1d(stay, go)
        starts = embedder.embed(chunk.parts, stay, go)
        whole = chunk.parts.whole.take(texts)
        portions, weightless = shares(whole, weights)
        embedded = Embedded(
            embedder.shelf.table,
            starts[texts],
            whole.lengths,
            tensor(embedder.stage.device, portions),
            whole.bounds[:-1],
        )
        a, b = np.searchsorted(texts, left), np.searchsorted(texts, right)
        scores = match(embedded, a, b, self.rules.zero).astype(np.float64).clip(-1, 1)
        scores[weightless[np.column_stack([a, b])]] = np.nan
        return scores


def _harmonic(p: Floats, r: Floats) -> Floats:
    """2pr / (p + r), 0 where both are 0 or cancel out."""
    total = p + r
    return np.divide(2 * p * r, total, out=np.where(np.isnan(total), np.nan, 0.0), where=total != 0)


def _share(embedders: Sequence[Embedder], items: Iterator[Chunk], work: Callable[[Embedder, Chunk], None]) -> None:
    """Every item worked on by whichever embedder is free."""
    lock, end = threading.Lock(), object()

    def serve(embedder: Embedder) -> None:
        while True:
            with lock:
                item = next(items, end)
            if item is end:
                return
            work(embedder, item)  # type: ignore[arg-type]

    if len(embedders) == 1:
        serve(embedders[0])
        return
    with ThreadPoolExecutor(len(embedders)) as pool:
        list(pool.map(serve, embedders))
