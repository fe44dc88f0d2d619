"""spaCy's rules for English, without any pipeline: its white-space tokens (a line's end, a second space) count."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from gistmark_engine.tokenizers.rule import Library

_lock = threading.Lock()


def cut(texts: Sequence[str]) -> list[list[str]]:
    """The tokens of each text. One thread at a time: spaCy keeps words while it cuts; they are dropped at the end."""
    with _lock, _english().memory_zone():
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
