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
    """References: a text or a list of texts a row; `given`: a list of entities, or a list of those. Null without any."""
    if not (given and pa.types.is_nested(values.type)):
        listed = [one if isinstance(one, list) else [one] for one in values.to_pylist()]
        return [Side(there) if (there := _present(one)) else None for one in listed]
    if not pa.types.is_nested(values.type.value_type):
        return read_side(values)
    return [_given(there) if (there := _present(one or ())) else None for one in values.to_pylist()]


def _present(items: Iterable[Any]) -> list[Any]:
    return [item for item in items if item is not None]


def _given(lists: Iterable[Iterable[str | None]]) -> Side:
    return Side(given=[_present(one) for one in lists])
