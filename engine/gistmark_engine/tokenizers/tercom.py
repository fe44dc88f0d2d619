"""Tercom's normalisation of texts, which TER can ask for: regular expressions over Python strings, as sacreBLEU 2.6.0."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

WESTERN = (
    (re.compile(r"""([{|}~\[\\\]^_`!"#$%&()*+:;<=>?@/])"""), r" \1 "),
    (re.compile(r"('s )"), r" \1"),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
"""Punctuation spaced off in Latin scripts, one pass after the other."""

PUNCTUATION = re.compile(r"""[.,?:;!"()]""")
ASIAN_PUNCTUATION = re.compile("[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb．，？：；！＂（）]")
ASIAN = re.compile("([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f])")


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Which of Tercom's steps a text goes through."""

    lowercase: bool
    normalized: bool
    no_punct: bool
    asian_support: bool

    def cut(self, texts: Sequence[str]) -> list[list[str]]:
        """The tokens of each text."""
        return [self._normalise(text.rstrip()).split() for text in texts]

    def cut_twice(self, texts: Sequence[str]) -> list[list[str]]:
        """The tokens of each normalised text normalised once more, which can part them further (`Bob 's.`)."""
        return self.cut([" ".join(tokens) for tokens in self.cut(texts)])

    def _normalise(self, text: str) -> str:
        text = text.lower() if self.lowercase else text
        if self.normalized:
            text = _space_western(text)
            if self.asian_support:
                text = ASIAN_PUNCTUATION.sub(r" \g<0> ", ASIAN.sub(r" \1 ", text))
        if self.no_punct:
            text = PUNCTUATION.sub("", text)
            if self.asian_support:
                text = ASIAN_PUNCTUATION.sub("", text)
        return text


def _space_western(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} "
    for pattern, spaced in WESTERN:
        text = pattern.sub(spaced, text)
    return text
