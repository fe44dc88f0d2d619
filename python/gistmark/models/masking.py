"""Which word pieces of a sentence are masked, and the variants of the sentence that this makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.ragged import Ints, Ragged, bounds_of, places

CONTINUES = "##"
"""Begins a piece that continues a word; tokenizers without it have whole words only."""


@dataclass(frozen=True, slots=True)
class Masking:
    """Every `gap`-th piece is masked, `run` in a row, where it has enough characters.

    whole, lead, follow  the fewest characters of a piece that is a word, that begins one, and that continues one
    """

    gap: int
    run: int
    whole: int
    lead: int
    follow: int


@dataclass(frozen=True, slots=True)
class Variants:
    """Sentences with some of their pieces masked, each with one or more.

    sentence  int64 (variants,), which sentence each is
    ids       its pieces, masked
    at        the places that are masked
    answers   int64, the pieces that were there, as long as `at.values`
    """

    sentence: Ints
    ids: Ragged
    at: Ragged
    answers: Ints


class Vocabulary:
    """How many characters each word piece has, and whether it continues a word; by id."""

    def __init__(self, tokenizer: Any) -> None:
        pieces = [piece or "" for piece in tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))]
        self.continues = np.array([piece.startswith(CONTINUES) for piece in pieces], np.bool_)
        self.sizes = np.array([len(piece) for piece in pieces], np.int64) - len(CONTINUES) * self.continues
        self.mask = int(tokenizer.mask_token_id)

    def long_enough(self, sentences: Ragged, rule: Masking) -> NDArray[np.bool_]:
        """Which pieces may be masked, bool (all pieces,)."""
        follows = self.continues[sentences.values]
        leads = np.append(follows[1:], False)
        leads[sentences.bounds[1:][sentences.lengths > 0] - 1] = False
        least = np.where(follows, rule.follow, np.where(leads, rule.lead, rule.whole))
        return self.sizes[sentences.values] >= least


def variants(sentences: Ragged, vocabulary: Vocabulary, rule: Masking) -> Variants:
    """All variants of all sentences, in order: the first masks from the first piece on, the next from the second on."""
    gaps = np.minimum(rule.gap, sentences.lengths)
    sentence = np.repeat(np.arange(len(sentences)), gaps)
    shift = places(np.zeros(len(sentences), np.int64), gaps)
    ids = sentences.take(sentence)
    lengths = ids.lengths
    at = places(np.zeros(len(ids), np.int64), lengths)
    gap, start = np.repeat(gaps[sentence], lengths), np.repeat(shift, lengths)
    chosen = _chosen(at % np.maximum(gap, 1), start, gap, rule.run)
    long_enough = Ragged(vocabulary.long_enough(sentences, rule).astype(np.int32), sentences.bounds)
    masked = chosen & (long_enough.take(sentence).values > 0)
    counts = np.diff(bounds_of(masked.astype(np.int64))[ids.bounds])
    kept = np.flatnonzero(counts)
    values = np.where(masked, vocabulary.mask, ids.values).astype(np.int32)
    spots = Ragged(at[masked].astype(np.int32), bounds_of(counts)).take(kept)
    return Variants(sentence[kept], Ragged(values, ids.bounds).take(kept), spots, ids.values[masked].astype(np.int64))


def _chosen(offset: Ints, start: Ints, gap: Ints, run: int) -> NDArray[np.bool_]:
    """Whether a piece at place `offset` of its gap is one of the `run` that begin at `start`, going round at its end."""
    stop = start + run
    inside = (offset >= start) & (offset < stop)
    around = (offset >= start) | (offset < stop % np.maximum(gap, 1))
    chosen: NDArray[np.bool_] = (gap == 1) | np.where(stop >= gap, around, inside)
    return chosen
