"""NLTK's Treebank word tokenizer on whole texts, without sentence splitting: `word_tokenize(text, preserve_line=True)`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from gistmark_engine.tokenizers.rule import Library


def cut(texts: Sequence[str]) -> list[list[str]]:
    """The tokens of each text."""
    tokenize = _treebank().tokenize
    return [tokenize(text) for text in texts]


def cut_lower(texts: Sequence[str]) -> list[list[str]]:
    """The same tokens in lower case."""
    return [[token.lower() for token in tokens] for tokens in cut(texts)]


@functools.cache
def _treebank() -> Any:
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()


LIBRARIES = {
    "nltk_word": Library("nltk", "nltk", cut),
    "nltk_word_lower": Library("nltk", "nltk", cut_lower),
}
