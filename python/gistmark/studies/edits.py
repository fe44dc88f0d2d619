"""Deterministic stand-ins for a model's rewriting: a text and the edits that lengthen, shorten or translate it.

An edit replaces text[start:stop]. A chain of levels applies the first few edits of a list, then a few more. These are
proxies: they change the number of words as a rewrite would, not the way it says things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace text[start:stop] by `new`; an insertion where both are equal."""

    start: int
    stop: int
    new: str


PHRASES = (
    "It should be noted that",
    "It is worth mentioning that",
    "It goes without saying that",
    "As far as one can tell,",
    "Generally speaking,",
    "In this context,",
    "All things considered,",
    "To put it in other words,",
    "As has already been said,",
    "At this point in time,",
)
FILLERS = (
    "very",
    "really",
    "quite",
    "rather",
    "actually",
    "basically",
    "essentially",
    "simply",
    "just",
    "highly",
    "extremely",
    "particularly",
    "indeed",
    "furthermore",
    "moreover",
    "additionally",
    "of course",
    "in fact",
    "as a matter of fact",
    "in order(?= to)",
)
CONTRACTIONS = {
    "cannot": "can't",
    "will not": "won't",
    "do not": "don't",
    "does not": "doesn't",
    "did not": "didn't",
    "is not": "isn't",
    "are not": "aren't",
    "was not": "wasn't",
    "were not": "weren't",
    "has not": "hasn't",
    "have not": "haven't",
    "had not": "hadn't",
    "would not": "wouldn't",
    "could not": "couldn't",
    "should not": "shouldn't",
    "we are": "we're",
    "they are": "they're",
    "we have": "we've",
    "they have": "they've",
    "we will": "we'll",
    "they will": "they'll",
}
_EXPANSIONS = {short: long for long, short in CONTRACTIONS.items()}
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_FILLERS = re.compile(rf"\b(?:{'|'.join(FILLERS)})\b,?\s+", re.IGNORECASE)


def lengthening(sentences: Sequence[str], glue: str, levels: int, random: Random) -> list[Edit]:
    """Expand every contraction, then put `levels` phrases without content before sentences drawn by `random`."""
    text, starts, at = glue.join(sentences), [], 0
    for sentence in sentences:
        starts.append(at)
        at += len(sentence) + len(glue)
    random.shuffle(starts)
    phrases = random.sample(PHRASES, len(PHRASES))
    places = [(starts[k % len(starts)], phrases[k % len(phrases)]) for k in range(levels)]
    return [*_replacing(text, _EXPANSIONS), *(Edit(at, at, phrase + " ") for at, phrase in places)]


def shortening(text: str) -> list[Edit]:
    """Drop parentheses, then fillers and adverbs without content, then contract."""
    parentheses = [Edit(*match.span(), "") for match in _PARENTHESES.finditer(text)]
    fillers = [Edit(*match.span(), "") for match in _FILLERS.finditer(text)]
    return _disjoint([*parentheses, *fillers, *_replacing(text, CONTRACTIONS)])


def translating(text: str, glossary: Mapping[str, str]) -> list[Edit]:
    """Replace every occurrence of the glossary's terms, longer terms first."""
    return _replacing(text, {term.lower(): plain for term, plain in glossary.items()})


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with disjoint edits made; insertions at one place keep their order."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        pieces += [text[at : edit.start], edit.new]
        at = edit.stop
    return "".join(pieces) + text[at:]


def _replacing(text: str, table: Mapping[str, str]) -> list[Edit]:
    """Replace whole words and phrases of the table (lower-case keys), keeping a capital at the front."""
    if not table:
        return []
    words = "|".join(re.escape(key).replace("'", "['’]") for key in sorted(table, key=len, reverse=True))
    found = re.finditer(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE)
    return [Edit(*match.span(), _cased(match[0], table[match[0].lower().replace("’", "'")])) for match in found]


def _cased(old: str, new: str) -> str:
    """`new` with a capital at the front where `old` has one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _disjoint(edits: Iterable[Edit]) -> list[Edit]:
    """The edits without those that overlap an earlier one."""
    kept: list[Edit] = []
    for edit in edits:
        if all(edit.stop <= other.start or edit.start >= other.stop for other in kept):
            kept.append(edit)
    return kept
