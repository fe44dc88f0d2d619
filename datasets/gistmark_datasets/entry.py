"""One record of a published file: its values by key, and the place where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast

SHOWN = 60
"""Characters of a value that an error shows."""


class DatasetError(ValueError):
    """What cannot be read: `where` names file and line, or an option, `problem` the key and what is wrong with it."""

    def __init__(self, where: object, problem: str) -> None:
        self.where, self.problem = str(where), problem
        super().__init__(f"{where}: {problem}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One record.

    where   file and line, item or row: what every error about it begins with
    label   a name for a record that has none: the file's, and its number
    fields  its values by key
    """

    where: str
    label: str
    fields: Mapping[str, Any]

    def value(self, key: str) -> Any:
        """What stands under `key`, of whatever type."""
        if key not in self.fields:
            raise DatasetError(self.where, f"there is no {key!r}; there are {', '.join(self.fields) or 'no keys'}")
        return self.fields[key]

    def text(self, key: str) -> str:
        """The text under `key`."""
        value = self.value(key)
        return value if isinstance(value, str) else self.refuse(key, "a text", value)

    def name(self, key: str) -> str:
        """An identifier, which may be a whole number."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.refuse(key, "a text or a whole number", value)
        return str(value)

    def texts(self, key: str) -> list[str]:
        """The list of texts under `key`."""
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.refuse(key, "a list of texts", value)
        return cast("list[str]", value)

    def lines(self, key: str) -> list[str]:
        """A list of texts, or the lines of one text, as tables write a list; blank ones are left out."""
        value = self.value(key)
        parts = value.split("\n") if isinstance(value, str) else self.texts(key)
        return [stripped for part in parts if (stripped := part.strip())]

    def refuse(self, key: str, wanted: str, value: object) -> NoReturn:
        """Raise DatasetError: the value under `key` is not what is wanted."""
        raise DatasetError(self.where, f"{key!r} must be {wanted} (found {shorten(value)})")


def shorten(value: object) -> str:
    """`repr(value)`, cut so that an error about a book stays one line."""
    text = repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
