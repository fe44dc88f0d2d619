"""What a tokenizer is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gistmark_engine.characters import Characters

ROUGE, WORD_LOWER, WORD_PUNCT, WHITESPACE, WHITESPACE_LOWER, GIVEN, ROUGE155, UNICODE, CHARACTER = range(9)
MTEVAL = 1 << 8
"""How the kernels know the rules; GIVEN: every piece is a token already; from MTEVAL on: that and options of `mteval`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`code` is the kernels' name of the rule; `tables` makes the character tables it reads; `characters`: whether every
    character, white space perhaps left out, is a token."""

    code: int
    tables: Callable[[], Characters]
    characters: bool = False


Cut = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Cuts many texts at once."""


@dataclass(frozen=True, slots=True)
class Library:
    """A tokenizer that lives in another library: the package, the extra that installs it, and what cuts."""

    package: str
    extra: str
    cut: Cut
