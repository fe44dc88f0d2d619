"""Whether a mention of an entity occurs in a text, or among the entities of one."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

Match = Literal["words", "substring", "backoff"]


@dataclass(frozen=True, slots=True)
class Haystack:
    """Where a mention is looked for, in lower case: texts, or whole entities where only these are known."""

    texts: Sequence[str] = ()
    entities: Collection[str] = ()

    def holds(self, mention: str, match: Match) -> bool:
        """Whether the mention is here; `match` as in the metric `entities`."""
        wanted = mention.lower()
        if match == "backoff":
            return _backs_off(mention, [*self.texts, *self.entities])
        found = _has_words if match == "words" else str.__contains__
        return wanted in self.entities or any(found(text, wanted) for text in self.texts)

    def share(self, mentions: Sequence[str], match: Match) -> float:
        """The share of the mentions that are here; NaN where there are none."""
        return sum(self.holds(mention, match) for mention in mentions) / len(mentions) if mentions else nan


def _has_words(text: str, wanted: str) -> bool:
    """Whether `wanted` stands in `text` with no letter or digit on either side: `us` does not in `russia`."""
    at = text.find(wanted)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(wanted) : at + len(wanted) + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        at = text.find(wanted, at + 1)
    return False


def _backs_off(mention: str, texts: Sequence[str]) -> bool:
    """Nan et al.: any run of at least two of the mention's words, or any word that is no stop word, as a substring."""
    words = mention.split()
    runs = [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 2, len(words) + 1)]
    telling = [word for word in words if word.lower() not in _stop_words() or word == "US"]
    return any(part.lower() in text for part in (*runs, *telling) for text in texts)


@functools.cache
def _stop_words() -> Collection[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
