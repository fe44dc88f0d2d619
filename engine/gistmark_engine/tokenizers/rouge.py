"""Google's `rouge_score` 0.1.2: lower-case, then runs of ASCII letters and digits.

Every other character separates, letters outside ASCII included: `café` is `caf`, `U.S.` is `u s`. Lower-casing is Python's,
so two characters outside ASCII count as letters: U+0130 (İ) is `i`, U+212A (the Kelvin sign) is `k`.
"""

from gistmark_engine.characters import no_characters
from gistmark_engine.tokenizers.rule import ROUGE, Rule

RULE = Rule(ROUGE, no_characters)
