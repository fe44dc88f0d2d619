r"""Lower-cased runs of word characters, and every other visible character by itself.

Python's `re.findall(r"\w+|[^\w\s]", text.lower())`.
"""

from gistmark_engine.characters import characters
from gistmark_engine.tokenizers.rule import WORD_PUNCT, Rule

RULE = Rule(WORD_PUNCT, characters)
