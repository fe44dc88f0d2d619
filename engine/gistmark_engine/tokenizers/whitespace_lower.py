"""Lower-cased runs of characters that are not white space: Python's `text.lower().split()`."""

from gistmark_engine.characters import characters
from gistmark_engine.tokenizers.rule import WHITESPACE_LOWER, Rule

RULE = Rule(WHITESPACE_LOWER, characters)
