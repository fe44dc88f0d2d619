"""Dependency parses of many texts as arrays, and their counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.syntax.words import WordRule, tag_counts, text_counts
from gistmark_engine import dependencies


@dataclass(frozen=True, slots=True)
class Parses:
    """The parses of all texts behind each other, one element a token; each sentence is one tree.

    texts, tags, labels  (n,) what stands for a token's text, Penn tag and spaCy label: strings or a parser's own ids
    heads                int64 (n,) index of the governor, a root's being its own
    sentences            int64 (m+1,) sentence k is tokens sentences[k]:sentences[k+1]
    rows                 int64 (r+1,) text k is sentences rows[k]:rows[k+1]
    spell                from an element of texts, tags or labels to its string
    """

    texts: NDArray[Any]
    tags: NDArray[Any]
    labels: NDArray[Any]
    heads: NDArray[np.int64]
    sentences: NDArray[np.int64]
    rows: NDArray[np.int64]
    spell: Callable[[Any], str] = str

    def counts(self, w_rule: WordRule = "word") -> NDArray[np.int64]:
        """The nine counts of each text, int64 (texts, 9); strings are looked at once a distinct token."""
        from gistmark_engine.kernels.syntax import count_dependencies

        bits = self._each(self.texts, dependencies.text_bits)
        bits |= self._each(self.tags, lambda tag: dependencies.TAG_BITS.get(tag, 0))
        bits |= self._each(self.labels, lambda label: dependencies.LABEL_BITS.get(label, 0))
        counted = self._each(self.texts, lambda text: int(text_counts(text, w_rule)))
        counted &= self._each(self.tags, lambda tag: int(tag_counts(tag, w_rule)))
        bits |= counted * dependencies.COUNTED
        counts: NDArray[np.int64] = count_dependencies(bits, self.heads, self.sentences, self.rows)
        return counts

    def _each(self, values: NDArray[Any], bits: Callable[[str], int]) -> NDArray[np.int64]:
        """`bits` of each value's string, computed once a distinct value."""
        distinct, places = np.unique(values, return_inverse=True)
        return np.array([bits(self.spell(value)) for value in distinct], np.int64)[places]
