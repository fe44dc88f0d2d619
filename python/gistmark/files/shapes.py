"""Columns of JSON lines hold values of one type: the first line where one does not is found here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from gistmark_engine.errors import shorten

NAMES = {str: "text", bool: "boolean", int: "number", float: "number", dict: "object", list: "list"}

Shapes = dict[str, str]
"""What columns hold, by name; what stands in their lists and objects, by `name[]` and `name.key`."""


def wrong_shape(row: Mapping[str, Any], text: Collection[str], shapes: Shapes) -> str | None:
    """What is wrong with a line, given what earlier ones held; a line with nothing wrong is added to `shapes`.

    Columns in `text` hold texts or lists of texts, others anything that keeps its type; null has none.
    """
    new: Shapes = {}
    for name, value in row.items():
        wrong = _no_text(name, value, shapes, new) if name in text else _mixed(name, value, shapes, new)
        if wrong:
            return wrong
    shapes |= new
    return None


def _no_text(name: str, value: object, shapes: Shapes, new: Shapes) -> str | None:
    """What is wrong with a text column's value."""
    shape = _text_shape(value)
    expected = shapes.get(name, "")
    if shape in ("number", "boolean", "object") or "mixed" in shape:
        return f"column {name!r} holds type {shape} (found {shorten(value)}), not text"
    if expected.startswith(shape):
        return None
    if not shape.startswith(expected):
        return _differs(name, value, shape, expected)
    new[name] = shape
    return None


def _text_shape(value: object) -> str:
    """A value's type in words; empty for null. The words of an empty list begin those of every list."""
    if isinstance(value, list):
        inner = {_text_shape(item) for item in value} - {""}
        return f"list of {inner.pop()}" if len(inner) == 1 else "list of mixed types" if inner else "list"
    return NAMES.get(type(value), "")


def _mixed(name: str, value: object, shapes: Shapes, new: Shapes) -> str | None:
    """What is wrong with any other value: it, or what stands in it, has another type than before."""
    shape = NAMES.get(type(value))
    if shape is None:
        return None
    expected = shapes.get(name) or new.setdefault(name, shape)
    if shape != expected:
        return _differs(name, value, shape, expected)
    inner = [(f"{name}.{key}", item) for key, item in value.items()] if isinstance(value, dict) else []
    inner += [(f"{name}[]", item) for item in value] if isinstance(value, list) else []
    return next((wrong for key, item in inner if (wrong := _mixed(key, item, shapes, new))), None)


def _differs(name: str, value: object, shape: str, expected: str) -> str:
    return f"column {name!r} holds type {shape} (found {shorten(value)}) where earlier lines hold type {expected}"
