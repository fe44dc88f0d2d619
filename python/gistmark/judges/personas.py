"""The reader a summary is judged for: a struct column, or JSON text, as records and as prompt text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gistmark.judges import rows
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Batch

_NAMES = {"role": ("role", "expertise"), "domain": ("domain", "research_area")}
_NEEDS = ("information_needs", "use_case")


@dataclass(frozen=True)
class Persona:
    """A reader's role, domain and information needs, and the query asked where the persona carries it."""

    role: str
    domain: str
    needs: tuple[str, ...]
    query: str

    @property
    def text(self) -> str:
        """The persona as a prompt shows it; what is unknown is left out. "" where nothing is known."""
        lines = [f"Role: {self.role}" if self.role else "", f"Domain: {self.domain}" if self.domain else ""]
        needs = ["Information needs:", *(f"- {need}" for need in self.needs)] if self.needs else []
        return "\n".join(line for line in [*lines, *needs] if line)


def readers(batch: Batch, metric: str) -> tuple[list[str | None], list[str | None]]:
    """The persona and the query of every row as prompt texts, None where null. A query column wins over the persona's.

    A persona is a struct with `role`, `domain`, `information_needs` (text or a list of texts) and optionally `query`,
    or JSON text of the same; profiles with `expertise`, `research_area` and `use_case` are read as these. Raises
    `InputError` for anything else.
    """
    found = [_persona(value, metric, row) for row, value in enumerate(batch.texts["persona"].to_pylist())]
    personas = [None if persona is None else persona.text for persona in found]
    if "query" in batch.texts:
        return personas, rows.texts(batch, ("query",))["query"]
    return personas, [None if persona is None else persona.query for persona in found]


def _persona(value: object, metric: str, row: int) -> Persona | None:
    if value is None:
        return None
    record = _parsed(value) if isinstance(value, str) else value
    if not isinstance(record, Mapping):
        raise InputError(
            "a persona is a struct or a JSON object with role, domain and information_needs",
            metric=metric, column="persona", row=row, value=value,
        )  # fmt: skip
    try:
        role, domain = (_text(record, names) for names in _NAMES.values())
        return Persona(role, domain, _texts(record), _text(record, ("query",)))
    except TypeError as error:
        raise InputError(f"{error} is no text", metric=metric, column="persona", row=row, value=value) from None


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(record: Mapping[str, object], names: Sequence[str]) -> str:
    value = next((record[name] for name in names if record.get(name) is not None), "")
    if not isinstance(value, str):
        raise TypeError(names[0])
    return value.strip()


def _texts(record: Mapping[str, object]) -> tuple[str, ...]:
    value = next((record[name] for name in _NEEDS if record.get(name) is not None), ())
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, Sequence) or not all(item is None or isinstance(item, str) for item in items):
        raise TypeError(_NEEDS[0])
    return tuple(item.strip() for item in items if item and item.strip())
