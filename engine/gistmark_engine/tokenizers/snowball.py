"""Stems of other languages, by Snowball's algorithms from the package `snowballstemmer`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from gistmark_engine.errors import OptionError

PACKAGE = "snowballstemmer"

REMEMBERED = 1 << 20
"""Words of a language whose stems are kept."""

LANGUAGES = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english",
    "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese",
    "romanian", "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""What the package stems in its version 3.1, for where it is not installed."""

_lock = threading.Lock()


def check(language: str) -> None:
    """OptionError for a language that has no stemmer."""
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
    """The languages that can be stemmed, or could be with the package."""
    try:
        from snowballstemmer import algorithms
    except ImportError:
        return LANGUAGES
    return tuple(algorithms())


@functools.cache
def _stemmer(language: str) -> tuple[Any, dict[str, str]]:
    """The stemmer, and the stems it has made."""
    from snowballstemmer import stemmer

    return stemmer(language), {}
