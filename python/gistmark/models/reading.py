"""Texts as BLANC reads them: normalised, in sentences, in word pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gistmark.models.documents import cut
from gistmark.models.pieces import Pieces
from gistmark.models.ragged import Ints, Ragged
from gistmark.studies.sentences import Splitter


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of several texts.

    pieces  of all sentences behind each other
    bounds  int64 (texts + 1,): text k has the sentences bounds[k]:bounds[k + 1]
    """

    pieces: Ragged
    bounds: Ints

    @property
    def counts(self) -> Ints:
        """How many sentences each text has."""
        return np.diff(self.bounds)

    @property
    def whole(self) -> Ragged:
        """The pieces of each text."""
        return Ragged(self.pieces.values, self.pieces.bounds[self.bounds])


def sentences(texts: Sequence[str], splitter: Splitter, pieces: Pieces) -> Sentences:
    """The sentences of the texts, which are brought into the normal form NFKD before."""
    parts, bounds = cut([unicodedata.normalize("NFKD", text) for text in texts], splitter.split)
    return Sentences(pieces.bodies(parts), bounds)
