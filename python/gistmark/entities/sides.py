"""What a row of the metric `entities` holds in a role: texts, or the entities of texts that were given in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from gistmark.entities.matching import Haystack


class Side(NamedTuple):
    """One role of one row: `texts` as they are, `given` lists of entities."""

    texts: Sequence[str] = ()
    given: Sequence[Sequence[str]] = ()

    @property
    def blank(self) -> bool:
        """Whether there are texts, and nothing but white space in them."""
        return not self.given and all(text.isspace() or not text for text in self.texts)

    def mentions(self, found: Mapping[str, Sequence[str]]) -> list[str]:
        """Every mention, given those found in the texts."""
        return [mention for one in (*(found[text] for text in self.texts), *self.given) for mention in one]

    def haystack(self) -> Haystack:
        """Where mentions of other sides are looked for."""
        entities = frozenset(mention.lower() for one in self.given for mention in one)
        return Haystack([text.lower() for text in self.texts], entities)


def read_side(values: pa.Array) -> list[Side | None]:
    """Summaries or sources: texts, or lists of entities."""
    given = pa.types.is_nested(values.type)
    return [None if one is None else (_given([one]) if given else Side([one])) for one in values.to_pylist()]


def read_references(values: pa.Array, given: bool) -> list[Side | None]:
    """References: a text or a list of texts a row; `given`: a list of entities, or a list of those."""
    return [_references(one, given) for one in values.to_pylist()]


def _references(one: Any, given: bool) -> Side | None:
    """None where nothing but nulls is there."""
    if given and isinstance(one, list) and any(isinstance(item, str) for item in one):
        one = [one]
    there = [item for item in (one if isinstance(one, list) else [one]) if item is not None]
    if given:
        return _given(there) if there or one == [] else None
    return Side(there) if there else None


def _given(lists: Iterable[Iterable[str | None]]) -> Side:
    return Side(given=[[mention for mention in one if mention is not None] for one in lists])
