"""How much each word piece counts in BERTScore."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark.models.pieces import Pieces
from gistmark.models.ragged import Ragged

Floats = NDArray[np.float64]


def equal_weights(pieces: Pieces) -> Floats:
    """1 for every word piece, 0 for the tokens that begin a text and separate it from another; by id."""
    tokenizer = pieces.tokenizer
    weights = np.ones(len(tokenizer))
    weights[[id for id in (tokenizer.cls_token_id, tokenizer.sep_token_id) if id is not None]] = 0
    return weights


class Rarity:
    """Counts in how many of the references a word piece occurs."""

    def __init__(self, vocabulary: int) -> None:
        self.texts = 0
        self.counts = np.zeros(vocabulary, np.int64)

    def add(self, texts: Ragged, times: NDArray[np.int64]) -> None:
        """Texts with their special tokens, and how often each of them is a reference."""
        rows = np.repeat(np.arange(len(texts)), texts.lengths)
        distinct = np.unique(rows * len(self.counts) + texts.values)
        rows, ids = np.divmod(distinct, len(self.counts))
        np.add.at(self.counts, ids, times[rows])
        self.texts += int(times.sum())

    def weights(self) -> Floats:
        """log((n + 1) / (df + 1)) by id."""
        return np.log((self.texts + 1) / (self.counts + 1))


def shares(texts: Ragged, weights: Floats) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Each token's weight divided by its text's sum, float32, and which texts have no weight at all; theirs are 0."""
    values = weights[texts.values]
    sums = np.zeros(len(texts))
    filled = texts.lengths > 0
    sums[filled] = np.add.reduceat(values, texts.bounds[:-1][filled])
    none = sums == 0
    return (values / np.repeat(np.where(none, 1, sums), texts.lengths)).astype(np.float32), none
