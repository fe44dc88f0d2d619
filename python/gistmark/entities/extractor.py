"""Named entities of many texts: by spaCy, or by a function of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gistmark.syntax.parser import ONE_AT_A_TIME, load
from gistmark_engine.errors import InputError

if TYPE_CHECKING:
    from spacy.language import Language

Extractor = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""From texts to the mentions of each, in order, repeated ones too."""

LABELS = ("PERSON", "FAC", "GPE", "ORG", "NORP", "LOC", "EVENT")
"""OntoNotes labels that Nan et al. count."""

UNUSED = ("tagger", "parser", "senter", "attribute_ruler", "lemmatizer")


def load_recogniser(model: str) -> Language:
    """A spaCy pipeline with nothing left in it but the recogniser and what that listens to."""
    nlp = load(model, UNUSED, "entities")
    if nlp.has_pipe("tok2vec") and "ner" not in nlp.get_pipe("tok2vec").listening_components:  # type: ignore[attr-defined]
        nlp.disable_pipe("tok2vec")
    return nlp


def mentions(texts: Sequence[str], nlp: Language, labels: Sequence[str]) -> list[list[str]]:
    """The mentions of each text that carry one of `labels`."""
    for row, text in enumerate(texts):
        if len(text) > nlp.max_length:
            raise InputError(f"text of more than {nlp.max_length} characters", metric="entities", row=row, value=text)
    with ONE_AT_A_TIME:
        return [
            [entity.text for entity in doc.ents if entity.label_ in labels] for doc in nlp.pipe(texts, batch_size=64)
        ]
