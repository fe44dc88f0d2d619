"""What computes BLANC-help: masked sentences behind summaries and behind fillers, each such input read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gistmark.models.blanc import Rules, measure_of
from gistmark.models.chunks import spans
from gistmark.models.cloze import cloze, guess
from gistmark.models.cuts import cut_status, status_fields
from gistmark.models.documents import Block, blocks
from gistmark.models.fitting import fit
from gistmark.models.masking import Variants, Vocabulary, variants
from gistmark.models.ragged import Ints, Ragged, bounds_of, join, places
from gistmark.models.reading import Sentences, sentences
from gistmark.models.run import Tell
from gistmark.models.stage import Stage
from gistmark.models.tiles import TOKENS
from gistmark.studies.sentences import splitter
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS, Batch, Values

FIELDS = ("blanc_help", *status_fields("blanc_help"))


@dataclass(frozen=True, slots=True)
class Uses:
    """Every variant of a sentence behind every summary of its source, cut to fit.

    pair     int64 (uses,), the pair of source and summary
    variant  int64 (uses,)
    summary  int64 (uses, 3): which summary, the first of its pieces that is there, and how many are
    kept, total  int64 (pairs,), word pieces of all sentences, each with the summary: those that are read, and all
    """

    pair: Ints
    variant: Ints
    summary: Ints
    kept: Ints
    total: Ints


class Helping:
    """Scores batches by `rules`; fillers of the same length before the same variant are read once for all summaries."""

    def __init__(self, stage: Stage, tell: Tell, rules: Rules, filler: str, separator: str, least: int) -> None:
        self.stage, self.tell, self.rules, self.least = stage, tell, rules, least
        self.splitter = splitter(rules.split)
        self.vocabulary = Vocabulary(stage.pieces.tokenizer)
        self.separator = stage.pieces.bodies([separator])[0].tolist()
        self.filler = _piece(stage, filler)

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        table = np.full((batch.rows, len(FIELDS)), np.nan)
        for block in blocks(batch):
            table[block.rows] = self._score(block)[block.pair]
        return dict(zip(FIELDS, table.T, strict=True))

    def _score(self, block: Block) -> NDArray[np.float64]:
        """The fields of each distinct pair of source and summary."""
        sources = sentences(block.sources, self.splitter, self.stage.pieces)
        summaries = sentences(block.summaries, self.splitter, self.stage.pieces)
        forms, uses = self._uses(sources, summaries, block.pairs)
        before, after, owner = self._guess(forms, uses, summaries.whole)
        score = measure_of(before, after, owner, len(block.pairs), self.rules.measure)
        status = np.where(np.isnan(score), STATUS["undefined"], cut_status(uses.kept, uses.total))
        status = np.where(summaries.whole.lengths[block.pairs[:, 1]] == 0, STATUS["empty_summary"], status)
        status = np.where(sources.whole.lengths[block.pairs[:, 0]] == 0, STATUS["empty_source"], status)
        score = np.nan_to_num(score) if self.rules.parity else score
        return np.column_stack([score, status, uses.kept, uses.total])

    def _uses(self, sources: Sentences, summaries: Sentences, pairs: Ints) -> tuple[Variants, Uses]:
        counts = sources.counts[pairs[:, 0]]
        pair = np.repeat(np.arange(len(pairs)), counts)
        sentence, summary = places(sources.bounds[pairs[:, 0]], counts), pairs[pair, 1]
        lengths, sizes = sources.pieces.lengths[sentence], summaries.whole.lengths[summary]
        of = [part.tolist() for part in np.split(summaries.pieces.lengths, summaries.bounds[1:-1])]
        kept = fit(lengths, sizes, of, summary, self.stage.pieces.room - len(self.separator), self.least)
        read, there = (
            np.bincount(pair, tokens, len(pairs)).astype(np.int64)
            for tokens in (kept.sentence + kept.summary, lengths + sizes)
        )
        cuttings, cutting = np.unique(np.stack([sentence, kept.sentence], 1), axis=0, return_inverse=True)
        cut_sentences = sources.pieces.slices(cuttings[:, 0], np.zeros(len(cuttings), np.int64), cuttings[:, 1])
        forms = variants(cut_sentences, self.vocabulary, self.rules.masking)
        made = np.bincount(forms.sentence, minlength=len(cuttings))
        counts = made[cutting]
        prefix = np.repeat(np.stack([summary, kept.start, kept.summary], 1), counts, axis=0)
        variant = places(bounds_of(made)[cutting], counts)
        return forms, Uses(np.repeat(pair, counts), variant, prefix, read, there)

    def _guess(
        self, forms: Variants, uses: Uses, summaries: Ragged
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Ints]:
        """Whether each masked piece was guessed behind the fillers and behind the summary, and whose guess it is."""
        longest = int(summaries.lengths.max(initial=0))
        pool = Ragged(
            np.concatenate([summaries.values, np.full(longest, self.filler, np.int32)]),
            np.append(summaries.bounds, summaries.bounds[-1] + longest),
        )  # the last row is fillers
        fillers = uses.summary * [0, 0, 1] + np.array([len(summaries), 0, 0])
        helps = np.where(uses.summary[:, 2:] > 0, uses.summary, fillers)
        wanted = np.column_stack([np.concatenate([fillers, helps]), np.tile(uses.variant, 2)])
        inputs, which = np.unique(wanted, axis=0, return_inverse=True)
        spots = forms.at.lengths[inputs[:, 3]]
        right = self._right(forms, pool, inputs)
        counts = spots[which]
        found = right[places(bounds_of(spots)[which], counts)]
        half = len(found) // 2
        return found[:half], found[half:], np.repeat(uses.pair, counts[: len(uses.pair)])

    def _right(self, forms: Variants, pool: Ragged, inputs: Ints) -> NDArray[np.bool_]:
        """Whether each masked piece of the inputs is guessed: what is before it (a row of `pool`, where it starts, its
        length), and its variant; int64 (inputs, 4)."""
        found = []
        for start, stop in spans(inputs[:, 2] + forms.ids.lengths[inputs[:, 3]], TOKENS):
            some = inputs[start:stop]
            lead = join(pool.slices(*some[:, :3].T), Ragged.repeat(self.separator, len(some)))
            found.append(guess(self.stage, cloze(self.stage, forms, some[:, 3], lead), self.tell))
        return np.concatenate([np.empty(0, np.bool_), *found])


def _piece(stage: Stage, filler: str) -> int:
    """The id of the piece `filler`."""
    tokenizer = stage.pieces.tokenizer
    found = tokenizer.convert_tokens_to_ids(filler)
    if found is None or (found == tokenizer.unk_token_id and filler != tokenizer.unk_token):
        raise OptionError(f"blanc_help: {filler!r} is no piece of {stage.checkpoint.name}; set filler to one")
    return int(found)
