"""Words and characters by the default rules of Unicode's Annex 29, lower-cased: for any script.

`unicode`: what stands between two word boundaries and holds a letter or digit, so `can't`, `3.5` and `e-mail` are one, one
and two words; in scripts without spaces (Chinese, Thai) every character is one, a run of Katakana too. `character`: extended
grapheme clusters, what a reader takes for one character, white space dropped. Both for Unicode 16.0.0, whatever Python's.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gistmark_engine.breaks import break_tables
from gistmark_engine.tokenizers.rule import CHARACTER, UNICODE, Rule

RULES: Mapping[str, Rule] = {
    "unicode": Rule(UNICODE, functools.partial(break_tables, "word")),
    "character": Rule(CHARACTER, functools.partial(break_tables, "grapheme")),
}
