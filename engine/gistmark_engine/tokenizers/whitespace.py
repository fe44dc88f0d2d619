"""Runs of characters that are not white space, case kept: Python's `text.split()`."""

from gistmark_engine.characters import characters
from gistmark_engine.tokenizers.rule import WHITESPACE, Rule

RULE = Rule(WHITESPACE, characters)
