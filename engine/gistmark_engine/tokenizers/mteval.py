"""The tokenizers of machine translation evaluation, as sacreBLEU 2.6.0 has them: 13a, intl, zh, char, and chrF's own.

They differ in which characters stand alone, which punctuation clings to digits, and what happens at the text's ends.
Each has a `_lower` form, which lower-cases first. Categories of characters are those of the running Python's Unicode.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.characters import LIMIT, SPACE, Characters, characters
from gistmark_engine.tokenizers.rule import MTEVAL, Rule

ALONE, RUN, DIGIT, HYPHEN = 16, 32, 64, 128
"""Bits of `Characters.classes` here: a token by itself; punctuation that clings to digits; a digit; a hyphen that a digit
before it makes a token by itself. They leave the bits of `characters` in place."""

PADDED, EDITED, STRIPPED, WORDS, SPACED, LOWERED = 1, 2, 4, 8, 16, 32
"""Options of a rule: a space is put around the text; entities are unescaped and line-end hyphens joined; white space is
stripped in front; chrF's words are marked as sentences; white space counts as a character; the text is
lower-cased."""

Kinds = Callable[[], NDArray[np.uint8]]

PUNCTUATION = '{|}~[\\]^_`!"#$%&()*+:;<=>?@/'

CHINESE = (
    (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0x2001, 0x2A6D),
    (0xFF00, 0xFFEF), (0x2E80, 0x2EFF), (0x3000, 0x303F), (0x31C0, 0x31EF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF),
    (0x3100, 0x312F), (0x31A0, 0x31BF), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0x3200, 0x33FF),
)  # fmt: skip
"""Ranges sacreBLEU takes for Chinese. 2001-2A6D is what its mistyped bounds of extension B come to: dashes, quotation
marks and arrows stand alone, the extension itself does not."""


def _western() -> NDArray[np.uint8]:
    """13a: ASCII punctuation stands alone, `.` and `,` cling to digits."""
    kinds = np.zeros(LIMIT, np.uint8)
    kinds[[ord(c) for c in PUNCTUATION]] = ALONE
    kinds[[ord("."), ord(",")]] = RUN
    kinds[ord("0") : ord("9") + 1] = DIGIT
    kinds[ord("-")] = HYPHEN
    return kinds


def _chinese() -> NDArray[np.uint8]:
    """zh: as 13a, and every Chinese character stands alone."""
    kinds = _western()
    for first, last in CHINESE:
        kinds[first : last + 1] = ALONE
    return kinds


def _international() -> NDArray[np.uint8]:
    """intl: symbols stand alone, all punctuation clings to numbers (Unicode categories S, P, N)."""
    of = {"S": ALONE, "P": RUN, "N": DIGIT}
    return np.fromiter((of.get(unicodedata.category(chr(code))[0], 0) for code in range(LIMIT)), np.uint8, LIMIT)


def _characters() -> NDArray[np.uint8]:
    """char: every character stands alone."""
    return np.full(LIMIT, ALONE, np.uint8)


@functools.cache
def _tables(kinds: Kinds, spaced: bool) -> Characters:
    """The tables of characters with the kinds laid into their classes; white space has no kind, unless it counts."""
    plain = characters()
    space, kind = plain.classes & SPACE, np.zeros_like(plain.classes)
    kind[:LIMIT] = kinds()
    visible = (plain.classes - space) | kind if spaced else plain.classes | np.where(space, 0, kind)
    return Characters(visible.astype(np.uint8), plain.lower)


def _rule(kinds: Kinds, options: int) -> Rule:
    tables = functools.partial(_tables, kinds, options & SPACED != 0)
    return Rule(MTEVAL + options, tables, characters=kinds is _characters)


_OPTIONS: Mapping[str, tuple[Kinds, int]] = {
    "13a": (_western, PADDED | EDITED),
    "zh": (_chinese, STRIPPED),
    "intl": (_international, 0),
    "char": (_characters, 0),
    "chrf": (_characters, WORDS),
    "chrf_spaced": (_characters, SPACED),
}

RULES: Mapping[str, Rule] = {
    name + suffix: _rule(kinds, options | lowered)
    for name, (kinds, options) in _OPTIONS.items()
    for suffix, lowered in (("", 0), ("_lower", LOWERED))
}
