"""The tokenizers by name. A tokenizer is a rule: how to fold case, and which characters make tokens."""

from __future__ import annotations

from collections.abc import Mapping

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Tokenizer
from gistmark_engine.tokenizers import mteval, rouge, rouge155, whitespace, whitespace_lower, word_lower, word_punct
from gistmark_engine.tokenizers.rule import Rule

RULES: Mapping[str, Rule] = {
    "rouge": rouge.RULE,
    "rouge155": rouge155.RULE,
    "whitespace": whitespace.RULE,
    "whitespace_lower": whitespace_lower.RULE,
    "word_lower": word_lower.RULE,
    "word_punct": word_punct.RULE,
    **mteval.RULES,
}


def rule_of(tokenizer: Tokenizer) -> Rule:
    """The rule of a tokenizer; an unknown name is an error that lists the known ones."""
    if tokenizer.name not in RULES:
        raise OptionError(f"unknown tokenizer {tokenizer.name!r}; there are: {', '.join(sorted(RULES))}")
    return RULES[tokenizer.name]
