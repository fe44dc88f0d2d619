"""METEOR 1.5's own tokens of English (its option -norm): punctuation spaced off by rules over Python strings, lower case.

Digits, capitals and white space in the rules are ASCII, as in the released program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

ALPHA = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
SPACE = " \t\n\x0b\f\r"

BEFORE_DOTS = ((re.compile(rf"([^0-9{ALPHA}{SPACE}.'`,\-‘’])"), r" \1 "), (re.compile(r"\.(\.+)"), r" DOTMULTI\1"))
ONE_MORE_DOT = re.compile(r"DOTMULTI\.([^.])")
AFTER_DOTS = (
    (re.compile(r"([^0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([^0-9]),([0-9])"), r"\1 , \2"),
    (re.compile("[`‘’]"), "'"),
    (re.compile("[“”]|''"), ' " '),
    (re.compile("–|--"), "-"),
    (re.compile(rf"([0-9{ALPHA}.])-([0-9{ALPHA}])"), r"\1 \2"),
    (re.compile(rf"([^{ALPHA}])'([^{ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([^{ALPHA}0-9])'([{ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{ALPHA}])'([^{ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{ALPHA}])'([{ALPHA}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
WORD = re.compile(r"[^ \t\n\f\r]+")
WIDE_SPACE = re.compile("[\xa0\u2000-\u200a\u202f\u205f\u3000]")
CONTROLS = "".join(map(chr, range(33)))
"""What Java's `trim` takes off a text."""
LETTER, LOWER, DIGIT = re.compile(f"[{ALPHA}]"), re.compile("[a-z]"), re.compile("[0-9]")

ANYWHERE, BEFORE_NUMBERS = 1, 2
"""Where the dot behind a word ends no sentence."""


@dataclass(frozen=True, slots=True)
class Normaliser:
    """Cuts texts; `prefixes` says behind which words a dot stays, ANYWHERE or BEFORE_NUMBERS."""

    prefixes: Mapping[str, int]

    def cut(self, text: str) -> list[str]:
        """The tokens of a text."""
        text = f" {text} "
        for pattern, spaced in BEFORE_DOTS:
            text = pattern.sub(spaced, text)
        while "DOTMULTI." in text:
            text = ONE_MORE_DOT.sub(r"DOTDOTMULTI \1", text).replace("DOTMULTI.", "DOTDOTMULTI")
        for pattern, spaced in AFTER_DOTS:
            text = pattern.sub(spaced, text)
        words = WORD.findall(text)
        text = " ".join(self._spaced(word, after) for word, after in zip_longest(words, words[1:], fillvalue=""))
        while "DOTDOTMULTI" in text:
            text = text.replace("DOTDOTMULTI", "DOTMULTI.")
        return WORD.findall(WIDE_SPACE.sub(" ", text.replace("DOTMULTI", ".")).strip(CONTROLS).lower())

    def _spaced(self, word: str, after: str) -> str:
        """The word with its final dot kept, spaced off, or dropped with those inside an abbreviation."""
        stem = word[:-1]
        if not stem or not word.endswith("."):
            return word
        if "." in stem and LETTER.search(stem):
            return word.replace(".", "")
        kept = self.prefixes.get(stem)
        if kept == ANYWHERE or LOWER.match(after) or (kept == BEFORE_NUMBERS and DIGIT.match(after)):
            return word
        return f"{stem} ."
