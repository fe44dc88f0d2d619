"""Stems of other languages, by Snowball's algorithms from the package `snowballstemmer`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from gistmark_engine.errors import MissingExtra, OptionError

REMEMBERED = 1 << 20
"""Words of a language whose stems are kept."""

_lock = threading.Lock()


def check(language: str) -> None:
    """OptionError for a language that has no stemmer, MissingExtra without the package."""
    if language not in _algorithms():
        raise OptionError(f"stem must be True, False or one of {', '.join(_algorithms())}, not {language!r}")


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """The stem of each word; words are lower case, as Snowball expects them. A word is stemmed once a process."""
    with _lock:
        stemmer, known = _stemmer(language)
        if len(known) > REMEMBERED:
            known.clear()
        new = [word for word in dict.fromkeys(words) if word not in known]
        known.update(zip(new, stemmer.stemWords(new), strict=True))
        return [known[word] for word in words]


@functools.cache
def _algorithms() -> tuple[str, ...]:
    try:
        from snowballstemmer import algorithms
    except ImportError as error:
        raise MissingExtra("stem='LANGUAGE'", "stemmers") from error
    return tuple(algorithms())


@functools.cache
def _stemmer(language: str) -> tuple[Any, dict[str, str]]:
    """The stemmer, and the stems it has made."""
    from snowballstemmer import stemmer

    return stemmer(language), {}
