"""What a tokenizer is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gistmark_engine.characters import Characters

ROUGE, WORD_LOWER, WORD_PUNCT, WHITESPACE, WHITESPACE_LOWER, GIVEN, ROUGE155 = range(7)
MTEVAL = 1 << 8
"""How the kernels know the rules; GIVEN: every piece is a token already; from MTEVAL on: that and options of `mteval`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`code` is the kernels' name of the rule; `tables` makes the character tables it reads."""

    code: int
    tables: Callable[[], Characters]
