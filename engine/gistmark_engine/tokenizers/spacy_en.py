"""spaCy's rules for English, without any pipeline: its white-space tokens (a line's end, a second space) count."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from gistmark_engine.tokenizers.rule import Library

REMEMBERED = 1 << 20
"""Strings that spaCy may keep, and knows how to cut when they come again; beyond that it starts anew."""

_lock = threading.Lock()


def cut(texts: Sequence[str]) -> list[list[str]]:
    """The tokens of each text, one thread at a time."""
    with _lock:
        if len(_english().vocab.strings) > REMEMBERED:
            _english.cache_clear()
        return [[token.text for token in doc] for doc in _english().tokenizer.pipe(texts)]


def cut_lower(texts: Sequence[str]) -> list[list[str]]:
    """The same tokens in lower case."""
    return [[token.lower() for token in tokens] for tokens in cut(texts)]


@functools.cache
def _english() -> Any:
    from spacy import blank

    return blank("en")


LIBRARIES = {
    "spacy_en": Library("spacy", "syntax", cut),
    "spacy_en_lower": Library("spacy", "syntax", cut_lower),
}
