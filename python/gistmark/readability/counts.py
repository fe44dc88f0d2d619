"""Words, sentences, syllables, letters and hard words of a text, as textstat 0.7.13 counts them."""

from __future__ import annotations

import re
from typing import NamedTuple

from gistmark.readability.lexicon import look_up

QUOTES = re.compile(r"'(?![tsd]|ve|ll|re)")
"""Apostrophes that begin no contraction; those that do are part of their word."""

PUNCTUATION = re.compile(r"[^\w\s']")
SENTENCE = re.compile(r"\b[^.!?]+[.!?]*")
SPOKEN = re.compile(r"\w\S*")
"""One match a word: what stands between white space and is not punctuation alone."""

SHORT = 2
"""Words up to which a sentence is not counted."""


class Counts(NamedTuple):
    """`unfamiliar`, `complex`: words beyond Dale and Chall's list, and those of them with three syllables or more."""

    words: int
    sentences: int
    syllables: int
    letters: int
    unfamiliar: int
    complex: int


def count(text: str) -> Counts:
    """The counts of one text. A text with characters has at least one sentence, of however few words."""
    words = _words(text)
    known = [look_up(word.lower()) for word in words]
    syllables, unfamiliar, complex_words = map(sum, zip(*known, strict=True)) if known else (0, 0, 0)
    letters = len("".join(words).replace("'", ""))
    return Counts(len(words), _sentences(text), syllables, letters, unfamiliar, complex_words)


def _words(text: str) -> list[str]:
    """What stands between white space once punctuation is taken away, hyphens too: `well-known` is one word."""
    return PUNCTUATION.sub("", QUOTES.sub("", text)).split()


def _sentences(text: str) -> int:
    """Runs up to `.`, `!` or `?`, wherever these stand, without the short ones."""
    if not text:
        return 0
    return max(1, sum(len(SPOKEN.findall(sentence)) > SHORT for sentence in SENTENCE.findall(text)))
