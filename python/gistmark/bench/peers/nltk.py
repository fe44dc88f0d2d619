"""NLTK's METEOR, without synonyms: what both sides have without a WordNet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, Values, load
from gistmark_engine.metrics.meteor import meteor


def nltk_meteor() -> Peer:
    """METEOR of each row on lower-cased tokens between white space, stages exact and stem."""
    return Peer(
        name="nltk_meteor",
        metric=meteor(parity="reference"),
        roles=("summary", "references"),
        start=_start,
        values=_values,
        distribution="nltk",
    )


class _NoSynonyms:
    """A WordNet that knows no word."""

    def synsets(self, _: str) -> tuple[()]:
        return ()


def _start() -> Call:
    score = load("nltk.translate.meteor_score", "nltk").meteor_score
    return partial(_score, partial(score, wordnet=_NoSynonyms()))


def _score(score: Any, texts: Texts) -> list[float]:
    return [
        score([reference.lower().split() for reference in row], summary.lower().split())
        for summary, row in zip(texts["summary"], texts["references"], strict=True)
    ]


def _values(scores: Sequence[float]) -> Values:
    return {"meteor": scores}
