"""JSON objects in a model's reply: the strict ones, and those that mechanical repair makes readable."""

from __future__ import annotations

import json
from typing import NamedTuple

from gistmark.judges.repair import repaired_object
from gistmark.judges.schema import AMBIGUOUS

_STRAY_OBJECTS = 20
_UNCLOSED, _MISMATCH = -1, -2


class Found(NamedTuple):
    """A piece of text between matching braces, and the object it is, mended where need be; None: it cannot be read."""

    span: str
    value: dict[str, object] | None


def find_objects(text: str) -> tuple[list[Found], bool]:
    """What stands between outermost braces in `text`, and whether the text ended outside of any.

    Nothing where the braces do not match, or where there are too many objects for one of them to be an answer.
    """
    found: list[Found] = []
    at = text.find("{")
    for _ in range(_STRAY_OBJECTS):
        if at < 0:
            return found, True
        value, end = _object_at(text, at)
        if end < 0:
            return [], end == _MISMATCH
        found.append(Found(text[at:end], value if isinstance(value, dict) else None))
        at = text.find("{", end)
    return [], True


def _object_at(text: str, start: int) -> tuple[object, int]:
    """The object that opens at `text[start]` (None if it cannot be read) and where it ends, or why it does not."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        mended, end = repaired_object(text, start)
    if mended is None:
        return None, _UNCLOSED if end == len(text) else _MISMATCH
    return strict(mended), end


def strict(text: str) -> object:
    """Strict JSON without NaN and Infinity; None where `text` is not that."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object whose repeated keys must agree."""
    made: dict[str, object] = {}
    for key, value in pairs:
        made[key] = value if key not in made or made[key] == value else AMBIGUOUS
    return made


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
