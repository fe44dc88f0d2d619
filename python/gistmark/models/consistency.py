"""What a classifier says of the sentences of a summary, each beside its source: what FactCC and SummaC share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    fields    the metric's, the status last
    reduce    makes them, the status aside
    """

    metric: str
    labels: tuple[str, ...]
    split: str
    window: int | None
    fields: tuple[str, ...]
    reduce: Reduce


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
        table = np.full((batch.rows, len(self.rules.fields)), np.nan)
        for block in blocks(batch):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(self.rules.fields, table.T, strict=True))

    def _score(self, block: Block) -> Floats:
        """The fields of each distinct pair of source and summary."""
        windows, window_bounds = self._bodies(block.sources, self._windows)
        sentences, sentence_bounds = self._bodies(block.summaries, self.splitter.split)
        wide, tall = np.diff(window_bounds)[block.pairs[:, 0]], np.diff(sentence_bounds)[block.pairs[:, 1]]
        usable = (wide > 0) & (tall > 0)
        scores = np.full((len(usable), len(self.rules.fields)), np.nan)
        scores[:, -1] = np.where(tall == 0, STATUS["empty_summary"], STATUS["empty_source"])
        if not usable.any():
            return scores
        wide, tall = wide[usable], tall[usable]
        window, sentence = window_bounds[block.pairs[usable, 0]], sentence_bounds[block.pairs[usable, 1]]
        seen = Seen(places(sentence, tall), np.repeat(window, tall), np.repeat(wide, tall))
        best, cut_off = self._best(windows, sentences, seen)
        starts = bounds_of(tall)[:-1]
        status = np.where(np.logical_or.reduceat(cut_off, starts), STATUS["truncated"], STATUS["ok"])
        scores[usable] = np.column_stack([self.rules.reduce(best, starts), status])
        return scores

    def _best(self, windows: Ragged, sentences: Ragged, seen: Seen) -> tuple[Floats, NDArray[np.bool_]]:
        """The highest probability of each label for each sentence seen, (sentences, labels), and whether a window was cut."""
        best, cut_off = np.zeros((len(seen.sentence), len(self.labels))), np.zeros(len(seen.sentence), np.bool_)
        wide, long = windows.lengths, sentences.lengths[seen.sentence]
        for at, nth in tiles(seen.windows, lambda at, nth: wide[seen.first[at] + nth] + long[at]):
            left, right = windows.take(seen.first[at] + nth), sentences.take(seen.sentence[at])
            inputs = self.stage.pieces.pairs(left, right, cut="first")
            np.maximum.at(best, at, self._classify(inputs))
            np.logical_or.at(cut_off, at, inputs.truncated)
        return best, cut_off

    def _windows(self, source: str) -> Sequence[str]:
        size = self.rules.window
        if size is None:
            return [source]
        found = self.splitter.split(source)
        return [self.splitter.glue.join(found[at : at + size]) for at in range(0, len(found), size)]

    def _bodies(self, texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> tuple[Ragged, Ints]:
        """The word pieces of all parts of all texts that have any, and where those of each text begin and end; no more
        of a part than tells that it is too long."""
        parts, bounds = cut(texts, split)
        bodies = self.stage.pieces.bodies(parts)
        bodies = bodies.head(np.full(len(bodies), self.stage.pieces.pair_room + 1))
        filled = bodies.lengths > 0
        return bodies.take(np.flatnonzero(filled)), bounds_of(filled.astype(np.int64))[bounds]

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
