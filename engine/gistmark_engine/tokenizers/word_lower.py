r"""Lower-cased runs of word characters: Python's `re.findall(r"\w+", text.lower())`."""

from gistmark_engine.characters import characters
from gistmark_engine.tokenizers.rule import WORD_LOWER, Rule

RULE = Rule(WORD_LOWER, characters)
