"""Long sources cut into passages, and those of them that a fact is best looked up in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gistmark_engine.errors import MissingExtra

WORDS = 100
"""The most words of a passage."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")

Words = Callable[[str], list[str]]


def words(text: str) -> list[str]:
    """Runs of letters and digits, case folded: what passages and facts are compared by."""
    return _WORD.findall(text.casefold())


class Passages:
    """A source in passages of whole sentences, up to `WORDS` words each, ranked for a query by Okapi BM25 (rank_bm25).

    by   how texts become words: `words`, or `str.split` as FActScore's own retrieval has it
    """

    def __init__(self, source: str, by: Words = words) -> None:
        self.source, self.by = source, by
        self.texts = list(_packed(_pieces(source)))

    def best(self, queries: Sequence[str], top: int) -> str:
        """The `top` passages of each query, all of them once and in their order; the whole source if it has no more."""
        if len(self.texts) <= top or self._ranking is None:
            return self.source
        chosen: set[int] = set()
        for query in queries:
            scores = self._ranking.get_scores(self.by(query))
            chosen.update(np.argsort(-scores, kind="stable")[:top].tolist())
        return "\n\n".join(self.texts[at] for at in sorted(chosen))

    @cached_property
    def _ranking(self) -> Any:
        """BM25 over the passages; None where they have no words."""
        found = [self.by(text) for text in self.texts]
        return okapi()(found) if any(found) else None


def okapi() -> Any:
    """The class that ranks. Raises `MissingExtra`."""
    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        raise MissingExtra("factscore with passages", "judges") from None
    return BM25Okapi


def _pieces(source: str) -> Iterator[str]:
    """The sentences of a source, or what takes their place: lines, and at most `WORDS` words of an endless one."""
    for sentence in _SENTENCE_END.split(source):
        found = sentence.split()
        for start in range(0, len(found), WORDS):
            yield " ".join(found[start : start + WORDS])


def _packed(pieces: Iterator[str]) -> Iterator[str]:
    """Consecutive pieces joined as long as they stay within `WORDS` words."""
    held: list[str] = []
    count = 0
    for piece in pieces:
        size = len(piece.split())
        if held and count + size > WORDS:
            yield " ".join(held)
            held, count = [], 0
        held.append(piece)
        count += size
    if held:
        yield " ".join(held)
