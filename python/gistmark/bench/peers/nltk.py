"""NLTK's METEOR without synonyms, on tokens between white space."""

from __future__ import annotations

from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, load
from gistmark_engine.metrics.meteor import meteor


class NoSynonyms:
    """In place of a WordNet."""

    def synsets(self, _: str) -> list[Any]:
        return []


def nltk_meteor() -> Peer:
    """METEOR of each row; splitting its texts is part of the call."""
    return Peer(
        name="nltk_meteor",
        metric=meteor(parity="reference"),
        roles=("summary", "references"),
        start=_start,
        values=lambda scores: {"meteor": scores},
        distribution="nltk",
    )


def _start() -> Call:
    score = load("nltk.translate.meteor_score", "nltk").meteor_score
    return partial(_score, partial(score, wordnet=NoSynonyms()))


def _score(score: Any, texts: Texts) -> list[float]:
    rows = zip(texts["summary"], texts["references"], strict=True)
    return [score([one.split() for one in references], summary.split()) for summary, references in rows]
