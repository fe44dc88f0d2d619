"""What counts as a word: one rule a reading of the literature."""

from __future__ import annotations

import re
from typing import Literal

WordRule = Literal["word", "l2sca", "summeval"]
WORD_RULES: tuple[WordRule, ...] = ("word", "l2sca", "summeval")

_ALPHABETIC_TAG = re.compile(r"[A-Z]+\$?")
_HYPHENS = re.compile(r"[-–—()]")


def text_counts(text: str, rule: WordRule) -> bool:
    """Whether a token's text allows it to count as a word.

    word: it holds a letter or digit. l2sca: it holds no hyphen, dash or parenthesis. summeval: it is not white space.
    """
    if rule == "word":
        return any(character.isalnum() for character in text)
    return not _HYPHENS.search(text) if rule == "l2sca" else not text.isspace()


def tag_counts(tag: str, rule: WordRule) -> bool:
    """Whether a token's tag allows it to count as a word; l2sca wants a purely alphabetic one with an optional `$`."""
    return rule != "l2sca" or bool(_ALPHABETIC_TAG.fullmatch(tag))
