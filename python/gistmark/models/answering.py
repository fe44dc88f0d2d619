"""What computes SummaQA: the spans that a model takes from summaries, beside the entities of their sources."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.documents import Block, blocks
from gistmark.models.questions import Questions, ask, questioner
from gistmark.models.ragged import Ints, Ragged
from gistmark.models.run import Tell, told
from gistmark.models.shown import Shown
from gistmark.models.stage import Read, Stage, in_order
from gistmark.models.tiles import tiles
from gistmark_engine.metric import STATUS, Batch, Values

FIELDS = ("summaqa_prob", "summaqa_f1", "summaqa_questions", *status_fields("summaqa"))
Floats = NDArray[np.float64]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of `summaqa`: its pipeline for entities, and what becomes of spans and empty answers."""

    recogniser: str
    legal: bool
    merge: bool
    parity: bool


class Answering:
    """Scores batches by `rules`: a question is put to a summary once, however many rows ask for it."""

    def __init__(self, stage: Stage, tell: Tell, rules: Rules) -> None:
        self.stage, self.tell, self.rules = stage, tell, rules
        self.nlp = questioner(rules.recogniser)

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        table = np.full((batch.rows, len(FIELDS)), np.nan)
        for block in blocks(batch):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(FIELDS, table.T, strict=True))

    def _score(self, block: Block) -> Floats:
        """The fields of each distinct pair of source and summary."""
        questions, (summaries, lengths) = self._ask(block), self.stage.pieces.heads(block.summaries)
        length = lengths[block.pairs[:, 1]]
        empty = length == 0
        blank = np.array([not source.strip() for source in block.sources], np.bool_)[block.pairs[:, 0]]
        counts = np.diff(questions.bounds)[block.pairs[:, 0]]
        parity = self.rules.parity
        scores = np.where((counts > 0) | parity, np.zeros((2, 1)), np.nan).T.copy()  # (pairs, 2)
        tokens = np.zeros((len(counts), 2), np.int64)
        asked = (counts > 0) & (parity | ~empty)
        if asked.any():
            sums, tokens[asked] = self._sums(questions, summaries, length[asked], block.pairs[asked], counts[asked])
            scores[asked] = sums / counts[asked, None]
        status = np.where(empty, STATUS["empty_summary"], cut_status(*tokens.T))
        status = np.where(counts == 0, STATUS["undefined"], status)
        status = np.where(blank, STATUS["empty_source"], status)
        return np.column_stack([scores, counts, status, tokens])

    def _ask(self, block: Block) -> Questions:
        for place, source in enumerate(block.sources):
            if len(source) > self.nlp.max_length:
                raise block.blame(0, place, f"text of more than {self.nlp.max_length} characters")
        return ask(block.sources, self.nlp)

    def _sums(
        self, questions: Questions, summaries: Ragged, lengths: Ints, pairs: Ints, counts: Ints
    ) -> tuple[Floats, Ints]:
        """Probability and F1 of all answers of each pair of source and summary, added up, (pairs, 2); and the word pieces
        of all its questions, each with the summary, those that were read and all, int64 (pairs, 2).

        lengths, counts  int64 (pairs,): the summary's word pieces, the source's questions
        """
        sums, tokens = np.zeros((len(pairs), 2)), np.zeros((len(pairs), 2), np.int64)
        first, summary, bodies = questions.bounds[pairs[:, 0]], pairs[:, 1], self.stage.pieces.bodies(questions.texts)
        asking, answering = bodies.lengths, summaries.lengths[summary]
        for at, nth in tiles(counts, lambda at, nth: asking[first[at] + nth] + answering[at]):
            asked = first[at] + nth
            answers = [questions.answers[question] for question in asked]
            np.add.at(sums, at, self._answer(bodies.take(asked), answers, summaries.take(summary[at])))
            total = asking[asked] + lengths[at]
            np.add.at(tokens, at, np.stack([np.minimum(total, self.stage.pieces.pair_room), total], 1))
        return sums, tokens

    def _answer(self, bodies: Ragged, answers: Sequence[str], summaries: Ragged) -> Floats:
        """Probability and F1 of what each summary answers to the question beside it, (inputs, 2)."""
        pieces = self.stage.pieces
        inputs = replace(pieces.pairs(bodies, summaries), types=None)
        lead = len(pieces.prefix) + np.minimum(bodies.lengths, pieces.pair_room) + len(pieces.middle)
        spans = in_order(told(self.stage, inputs, self._reader(lead), self.tell), len(inputs))
        f1 = np.empty(len(inputs))
        for at, (start, stop) in enumerate(spans[:, :2].astype(np.int64)):
            tokens = pieces.tokenizer.convert_ids_to_tokens(inputs.ids[at][start : stop + 1].tolist())
            answer = " ".join(tokens).replace(" ##", "") if self.rules.merge else " ".join(tokens)
            f1[at] = overlap(answer, answers[at], 0.0 if self.rules.parity else 1.0)
        return np.column_stack([spans[:, 2], f1])

    def _reader(self, lead: Ints) -> Read[Any]:
        """Reads the answers of a batch, of inputs whose summary begins after `lead` tokens: start, end and probability,
        float64 [b, 3]."""
        import torch

        legal = self.rules.legal

        def read(output: Any, shown: Shown) -> Any:
            asked = torch.arange(shown.mask.shape[1], device=shown.ids.device) < shown.tensor(lead[shown.rows])[:, None]
            start, end = (
                logits.float().masked_fill(~shown.mask, -torch.inf).softmax(1).masked_fill(asked, 0)
                for logits in (output.start_logits, output.end_logits)
            )  # [b, n]
            if legal:
                best, place = (start[:, :, None] * end[:, None, :]).triu().flatten(1).max(1)
                first, last = place // start.shape[1], place % start.shape[1]
            else:
                (p, first), (q, last) = start.max(1), end.max(1)
                best = p * q
            return torch.stack([first.double(), last.double(), best.double()], 1)

        return read


def overlap(answer: str, wanted: str, both_empty: float) -> float:
    """F1 of the words two answers share, as SQuAD 1.1 has it; `both_empty` where neither has any."""
    found, gold = _words(answer), _words(wanted)
    if not found and not gold:
        return both_empty
    shared = (Counter(found) & Counter(gold)).total()
    return 2 * shared / (len(found) + len(gold))


def _words(answer: str) -> list[str]:
    return _ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split()
