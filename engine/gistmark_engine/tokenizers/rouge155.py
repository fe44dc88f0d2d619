"""The original program's ROUGE-1.5.5: runs of ASCII letters and digits, of which A to Z are lower-cased.

It reads bytes, so no character outside ASCII counts as a letter: U+0130 (İ) and U+212A (the Kelvin sign) separate, which is
all that sets it apart from `rouge`.
"""

from gistmark_engine.characters import no_characters
from gistmark_engine.tokenizers.rule import ROUGE155, Rule

RULE = Rule(ROUGE155, no_characters)
