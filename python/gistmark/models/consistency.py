"""What a classifier says of the sentences of a summary, each beside its source: what FactCC and SummaC share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.documents import Block, blocks, cut
from gistmark.models.pieces import Inputs
from gistmark.models.ragged import Ints, Ragged, bounds_of, places
from gistmark.models.run import Tell, told
from gistmark.models.stage import Stage, in_order
from gistmark.models.tiles import tiles
from gistmark.studies.sentences import splitter
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS, Batch, Values

Floats = NDArray[np.float64]
Reduce = Callable[[Floats, Ints], Floats]
"""From probabilities by sentence, float64 (sentences, labels), and the sentence each summary begins with, to a row of
fields a summary."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How texts become pairs, and probabilities scores.

    metric    who speaks in errors
    labels    the classes whose probabilities are wanted
    split     how sentences are cut, see `gistmark.studies.sentences`
    window    sentences of the source that are shown at a time; None: the whole source as it is
    fields    the metric's scores
    reduce    makes them
    """

    metric: str
    labels: tuple[str, ...]
    split: str
    window: int | None
    fields: tuple[str, ...]
    reduce: Reduce


@dataclass(frozen=True, slots=True)
class Parts:
    """Those parts of texts (sentences, windows) that have word pieces.

    heads    their word pieces, see `Pieces.heads`
    lengths  int64 (parts,), how many there were
    bounds   int64 (texts + 1,): text k has the parts bounds[k]:bounds[k + 1]
    """

    heads: Ragged
    lengths: Ints
    bounds: Ints


@dataclass(frozen=True, slots=True)
class Seen:
    """The sentences of all pairs of texts, each beside every window of its source; int64 (sentences,) each.

    sentence  which it is
    first     its source's first window
    windows   how many that source has
    """

    sentence: Ints
    first: Ints
    windows: Ints


class Consistency:
    """Scores batches by `rules`: a pair (part of the source, sentence of the summary) is classified once."""

    def __init__(self, stage: Stage, tell: Tell, rules: Rules) -> None:
        self.stage, self.tell, self.rules = stage, tell, rules
        self.splitter = splitter(rules.split)
        self.labels = [_place(stage, label, rules.metric) for label in rules.labels]

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        names = (*self.rules.fields, *status_fields(self.rules.metric))
        table = np.full((batch.rows, len(names)), np.nan)
        for block in blocks(batch):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(names, table.T, strict=True))

    def _score(self, block: Block) -> Floats:
        """The fields of each distinct pair of source and summary."""
        windows, sentences = (
            self._parts(block.sources, self._windows),
            self._parts(block.summaries, self.splitter.split),
        )
        wide, tall = np.diff(windows.bounds)[block.pairs[:, 0]], np.diff(sentences.bounds)[block.pairs[:, 1]]
        usable = (wide > 0) & (tall > 0)
        scores = np.full((len(usable), len(self.rules.fields)), np.nan)
        status = np.where(tall == 0, STATUS["empty_summary"], STATUS["empty_source"])
        tokens = np.zeros((len(usable), 2), np.int64)
        if usable.any():
            wide, tall = wide[usable], tall[usable]
            window, sentence = windows.bounds[block.pairs[usable, 0]], sentences.bounds[block.pairs[usable, 1]]
            seen = Seen(places(sentence, tall), np.repeat(window, tall), np.repeat(wide, tall))
            best, read = self._best(windows, sentences, seen)
            starts = bounds_of(tall)[:-1]
            scores[usable] = self.rules.reduce(best, starts).reshape(len(starts), -1)
            tokens[usable] = np.add.reduceat(read, starts)
            status[usable] = cut_status(*tokens[usable].T)
        return np.column_stack([scores, status, tokens])

    def _best(self, windows: Parts, sentences: Parts, seen: Seen) -> tuple[Floats, Ints]:
        """The highest probability of each label for each sentence seen, (sentences, labels); and the word pieces of its
        pairs with a window, those that were read and all, int64 (sentences, 2)."""
        best, tokens = np.zeros((len(seen.sentence), len(self.labels))), np.zeros((len(seen.sentence), 2), np.int64)
        pieces, wide, long = self.stage.pieces, windows.heads.lengths, sentences.heads.lengths[seen.sentence]
        for at, nth in tiles(seen.windows, lambda at, nth: wide[seen.first[at] + nth] + long[at]):
            window, sentence = seen.first[at] + nth, seen.sentence[at]
            inputs = pieces.pairs(windows.heads.take(window), sentences.heads.take(sentence), cut="first")
            np.maximum.at(best, at, self._classify(inputs))
            total = windows.lengths[window] + sentences.lengths[sentence]
            np.add.at(tokens, at, np.stack([np.minimum(total, pieces.pair_room), total], 1))
        return best, tokens

    def _windows(self, source: str) -> Sequence[str]:
        size = self.rules.window
        if size is None:
            return [source]
        found = self.splitter.split(source)
        return [self.splitter.glue.join(found[at : at + size]) for at in range(0, len(found), size)]

    def _parts(self, texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> Parts:
        parts, bounds = cut(texts, split)
        heads, lengths = self.stage.pieces.heads(parts)
        filled = lengths > 0
        return Parts(heads.take(np.flatnonzero(filled)), lengths[filled], bounds_of(filled.astype(np.int64))[bounds])

    def _classify(self, inputs: Inputs) -> Floats:
        """The probabilities of the wanted labels, (pairs, labels)."""

        def read(output: Any, _: object) -> Any:
            logits = output[0].float()  # [b, classes]
            return (logits.sigmoid() if logits.shape[1] == 1 else logits.softmax(1))[:, self.labels]

        return in_order(told(self.stage, inputs, read, self.tell), len(inputs)).astype(np.float64)


def _place(stage: Stage, label: str, metric: str) -> int:
    """Which output of the model stands for `label`."""
    names = {name.lower(): int(place) for place, name in stage.models[0].config.id2label.items()}
    if label.lower() not in names:
        raise OptionError(f"{metric}: {stage.checkpoint.name} has no label {label!r}; it has {', '.join(names)}")
    return names[label.lower()]
