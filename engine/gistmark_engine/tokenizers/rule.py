"""What a tokenizer is made of."""

from __future__ import annotations

from dataclasses import dataclass

ROUGE, WORD_LOWER, WORD_PUNCT, WHITESPACE, GIVEN = range(5)
"""How the kernels know the rules; GIVEN: every piece is a token already."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`code` is the kernels' name of the rule; `unicode` says whether it needs the Unicode character tables."""

    code: int
    unicode: bool
