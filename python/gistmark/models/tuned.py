"""What computes BLANC-tune: masked sentences read by the model, and by copies that learnt a summary each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gistmark.models.blanc import Rules, measure_of
from gistmark.models.cloze import cloze, guess
from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.documents import Block, blocks
from gistmark.models.masking import Variants, Vocabulary, variants
from gistmark.models.ragged import Ints, Ragged, bounds_of, places
from gistmark.models.reading import sentences
from gistmark.models.run import Tell
from gistmark.models.stage import Stage
from gistmark.models.training import Training, examples, tune
from gistmark.studies.sentences import splitter
from gistmark_engine.metric import STATUS, Batch, Values

FIELDS = ("blanc_tune", *status_fields("blanc_tune"))


class Tuned:
    """Scores batches by `rules`; every summary is learnt once in a block, every source guessed once without."""

    def __init__(self, stage: Stage, tell: Tell, rules: Rules, training: Training) -> None:
        self.stage, self.tell, self.rules, self.training = stage.split()[0], tell, rules, training
        self.splitter = splitter(rules.split)
        self.vocabulary = Vocabulary(stage.pieces.tokenizer)

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        table = np.full((batch.rows, len(FIELDS)), np.nan)
        for block in blocks(batch):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(FIELDS, table.T, strict=True))

    def _score(self, block: Block) -> NDArray[np.float64]:
        """The fields of each distinct pair of source and summary."""
        pieces = self.stage.pieces
        sources = sentences(block.sources, self.splitter, pieces)
        summaries = pieces.bodies(block.summaries)
        room = np.full(len(sources.pieces), pieces.room)
        forms = variants(sources.pieces.head(room), self.vocabulary, self.rules.masking)
        made = bounds_of(np.bincount(forms.sentence, minlength=len(room)))[
            sources.bounds
        ]  # variants before each source
        score = self._measure(block.pairs, forms, made, summaries)
        given = np.diff(bounds_of(np.minimum(sources.pieces.lengths, room))[sources.bounds])
        kept, total = given[block.pairs[:, 0]], sources.whole.lengths[block.pairs[:, 0]]
        status = np.where(np.isnan(score), STATUS["undefined"], cut_status(kept, total))
        status = np.where(summaries.lengths[block.pairs[:, 1]] == 0, STATUS["empty_summary"], status)
        status = np.where(total == 0, STATUS["empty_source"], status)
        return np.column_stack([np.nan_to_num(score) if self.rules.parity else score, status, kept, total])

    def _measure(self, pairs: Ints, forms: Variants, made: Ints, summaries: Ragged) -> NDArray[np.float64]:
        """The score of each pair; source k has the variants made[k]:made[k + 1]."""
        first = self._guess(self.stage, forms, np.arange(len(forms.ids)))
        before, after, owner = [np.empty(0, np.bool_)], [np.empty(0, np.bool_)], [np.empty(0, np.int64)]
        for summary in np.unique(pairs[:, 1]):
            mine = np.flatnonzero(pairs[:, 1] == summary)
            counts = np.diff(made)[pairs[mine, 0]]
            which = places(made[pairs[mine, 0]], counts)
            spots = forms.at.lengths[which]
            known = first[places(forms.at.bounds[which], spots)]
            before.append(known)
            after.append(self._learn(forms, which, summaries[summary]) if summaries.lengths[summary] else known)
            owner.append(np.repeat(np.repeat(mine, counts), spots))
        return measure_of(
            np.concatenate(before), np.concatenate(after), np.concatenate(owner), len(pairs), self.rules.measure
        )

    def _learn(self, forms: Variants, which: Ints, summary: NDArray[np.int32]) -> NDArray[np.bool_]:
        """What a copy of the model that learnt the summary guesses right."""
        found = examples(summary, self.stage.pieces, self.vocabulary, self.rules.masking, self.training)
        self.tell(self.training.epochs * sum(len(ids) for ids, _ in found), 0)
        model = tune(self.stage.models[0], found, self.training, lambda tokens: self.tell(0, tokens))
        return self._guess(replace(self.stage, models=[model]), forms, which)

    def _guess(self, stage: Stage, forms: Variants, which: Ints) -> NDArray[np.bool_]:
        return guess(stage, cloze(stage, forms, which, Ragged.repeat([], len(which))), self.tell)
