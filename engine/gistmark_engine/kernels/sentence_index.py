"""Which sentences of a text hold a token: for texts of so many sentences that most have nothing to do with one at hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.records import NULL


class SentenceIndex(NamedTuple):
    """Per entry, `head`: the last place of its token that is noted; by place, `following`: the one noted before, in another
    sentence, and `sentence`: whose place it is. `asked`: when an entry was last asked for; `found`: when a sentence was."""

    head: np.ndarray
    following: np.ndarray
    sentence: np.ndarray
    asked: np.ndarray
    found: np.ndarray


@inlined
def make_index(vocabulary, tokens, sentences):
    """Room for a text of so many tokens and sentences."""
    return SentenceIndex(
        np.full(vocabulary + 2, NULL, np.int64), np.empty(tokens + 1, np.int64), np.empty(tokens + 1, np.int64),
        np.zeros(vocabulary + 2, np.int64), np.zeros(sentences + 1, np.int64),
    )  # fmt: skip


@inlined
def learn_index(entries, spans, count, index):
    """Note the sentences entries[spans[k, 0]:spans[k, 1]]; entry 0 is none."""
    head, sentence = index.head, index.sentence
    for k in range(count):
        for i in range(spans[k, 0], spans[k, 1]):
            entry = entries[i]
            if entry > 0 and (head[entry] == NULL or sentence[head[entry]] != k):
                index.following[i], sentence[i], head[entry] = head[entry], k, i


@inlined
def forget_index(entries, spans, count, index):
    for k in range(count):
        index.found[k] = 0
        for i in range(spans[k, 0], spans[k, 1]):
            index.head[entries[i]] = NULL
            index.asked[entries[i]] = 0
