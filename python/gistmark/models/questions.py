"""Questions that the named entities of a text pose: each of its sentences with one mention masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gistmark.models.ragged import Ints, bounds_of
from gistmark.syntax.parser import ONE_AT_A_TIME, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

MASK = "MASKED"
UNUSED = ("tagger", "attribute_ruler", "lemmatizer")


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about several sources.

    texts    the questions of all sources behind each other
    answers  the mention that each masks
    bounds   int64 (sources + 1,): source k has the questions bounds[k]:bounds[k + 1]
    """

    texts: list[str]
    answers: list[str]
    bounds: Ints


def questioner(model: str) -> Language:
    """The spaCy pipeline that finds sentences and entities."""
    return load(model, UNUSED, "summaqa")


def ask(sources: Sequence[str], nlp: Language) -> Questions:
    """The questions of all sources, in the order of the text."""
    with ONE_AT_A_TIME:
        asked = [_of(doc) for doc in nlp.pipe(sources, batch_size=16)]
    pairs = [pair for found in asked for pair in found]
    counts = np.array([len(found) for found in asked], np.int64)
    return Questions([text for text, _ in pairs], [answer for _, answer in pairs], bounds_of(counts))


def _of(doc: Doc) -> list[tuple[str, str]]:
    return [(_masked(sentence, entity), entity.text) for sentence in doc.sents for entity in sentence.ents]


def _masked(sentence: Span, entity: Span) -> str:
    """The sentence without this one mention, other mentions of the same name left in."""
    start, stop = entity.start_char - sentence.start_char, entity.end_char - sentence.start_char
    return sentence.text[:start] + MASK + sentence.text[stop:]
