"""The shape a reply must have, as a JSON Schema of the few kinds judges use, and the coercion of values into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gistmark.judges.numbers import check_number, read_choice, read_number
from gistmark_engine.errors import OptionError

Spec = Mapping[str, Any]

AMBIGUOUS = object()
"""Stands for the value of a key that one object gives twice with different values."""

_WORDS = {"true": True, "yes": True, "false": False, "no": False}


class Coerced(NamedTuple):
    """A value made to fit its specification (None beside a reason where it cannot be); `exact`: it fitted as it was."""

    value: Any
    error: str = ""
    exact: bool = True


@dataclass(frozen=True)
class Schema:
    """The fields of one JSON object: their specifications by name, and which of them must be there.

    Kinds: integer or number with `minimum` and `maximum` or a numeric `enum`; boolean; string, free or with an `enum`;
    array of objects of these. Raises `OptionError` for any other.

    kin  the fields of the shape that this is narrowed from: a number under one's name is no other's
    """

    fields: Mapping[str, Spec]
    required: tuple[str, ...]
    kin: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, spec in self.fields.items():
            _check(name, spec)
        if unknown := set(self.required) - set(self.fields):
            raise OptionError(f"schema requires {sorted(unknown)}, which it does not define")

    @property
    def rows(self) -> str | None:
        """The array whose objects carry an `id`, if there is one."""
        return next((name for name, spec in self.fields.items() if spec.get("type") == "array"), None)

    def narrow(self, names: Sequence[str]) -> Schema:
        """The same shape asking for the required fields `names` only; optional fields stay."""
        fields = {name: spec for name, spec in self.fields.items() if name in names or name not in self.required}
        return Schema(fields, tuple(name for name in self.required if name in names), self.kin or self.required)

    def wire(self) -> dict[str, object]:
        """The JSON Schema that a server can enforce: closed, every field required."""
        return _closed(self.fields)

    def describe(self) -> str:
        """The shape in one line, for a prompt."""
        return "{" + ", ".join(f'"{name}": {_describe(spec)}' for name, spec in self.fields.items()) + "}"


def coerce(value: object, spec: Spec) -> Coerced:
    """`value` as `spec` wants it. Never clamps, never guesses: what does not fit is None with a reason."""
    if value is AMBIGUOUS:
        return Coerced(None, "ambiguous")
    kind = spec.get("type")
    if kind == "string":
        return _coerce_string(value, spec)
    if kind == "boolean":
        return _coerce_boolean(value)
    if kind == "array":
        return _coerce_array(value, spec)
    return _coerce_number(value, spec)


def coerce_object(value: object, fields: Mapping[str, Spec], required: Sequence[str]) -> Coerced:
    """A dict with the fields of `fields`, optional ones None where absent; the first field that fails fails it all."""
    if not isinstance(value, dict):
        return Coerced(None, "wrong_type")
    made, exact = {}, True
    for name, spec in fields.items():
        found = lookup(value, name)
        item = Coerced(None, "missing") if found is None else coerce(found[0], spec)
        if item.error and name in required:
            return Coerced(None, item.error)
        made[name] = item.value
        exact = exact and item.exact and (found is None or found[1])
    return Coerced(made, "", exact)


def lookup(value: Mapping[str, object], name: str) -> tuple[object, bool] | None:
    """What `value` holds under `name` whatever the key's case, and whether the key is exact; None if nothing."""
    folded = name.casefold()
    keys = [key for key in value if key == name or (len(key) >= len(name) and key.strip().casefold() == folded)]
    if not keys:
        return None
    agreed = all(value[key] == value[keys[0]] for key in keys)
    return (value[keys[0]] if agreed else AMBIGUOUS), keys == [name]


def clean(text: str) -> str:
    """`text` as valid Unicode: half a surrogate pair becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _coerce_string(value: object, spec: Spec) -> Coerced:
    if not isinstance(value, str):
        return Coerced(None, "wrong_type")
    levels = spec.get("enum")
    if levels is None:
        return Coerced(clean(value))
    if value in levels:
        return Coerced(value)
    level = read_choice(value, levels)
    return Coerced(None, "wrong_choice") if level is None else Coerced(level, "", False)


def _coerce_boolean(value: object) -> Coerced:
    if isinstance(value, bool):
        return Coerced(value)
    word = _WORDS.get(value.strip().casefold()) if isinstance(value, str) else None
    return Coerced(None, "wrong_type") if word is None else Coerced(word, "", False)


def _coerce_number(value: object, spec: Spec) -> Coerced:
    if isinstance(value, str):
        return Coerced(*read_number(value, spec), exact=False)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return Coerced(None, "wrong_type")
    number, error = check_number(value, spec)
    return Coerced(number, error, isinstance(value, int) or spec.get("type") == "number")


def _coerce_array(value: object, spec: Spec) -> Coerced:
    """A list of objects. A list of bare strings is read as objects numbered from 1, where the schema allows it."""
    if not isinstance(value, list):
        return Coerced(None, "wrong_type")
    if not spec.get("minItems", 0) <= len(value) <= spec.get("maxItems", len(value)):
        return Coerced(None, "out_of_range")
    fields, required = spec["items"]["properties"], spec["items"]["required"]
    made, exact = [], True
    for number, item in enumerate(value, 1):
        if isinstance(item, str) and set(required) == {"id", "text"}:
            item, exact = {"id": number, "text": item}, False
        row = coerce_object(item, fields, required)
        if row.error:
            return Coerced(None, row.error)
        made.append(row.value)
        exact = exact and row.exact
    return Coerced(made, "", exact)


def _check(name: str, spec: Spec) -> None:
    """Raise `OptionError` unless `spec` is of a kind `coerce` knows."""
    kind = spec.get("type")
    if kind == "array":
        items = spec.get("items", {})
        for inner, inner_spec in items.get("properties", {}).items():
            _check(f"{name}.{inner}", inner_spec)
        if "id" not in items.get("properties", {}) or "id" not in items.get("required", ()):
            raise OptionError(f"schema field {name!r}: the objects of an array need a required integer `id`")
    elif kind in ("integer", "number"):
        if name.rpartition(".")[2] != "id" and "enum" not in spec and not {"minimum", "maximum"} <= set(spec):
            raise OptionError(f"schema field {name!r}: a number needs `minimum` and `maximum`, or an `enum`")
    elif kind not in ("string", "boolean"):
        raise OptionError(f"schema field {name!r}: type {kind!r} is none of integer, number, boolean, string, array")


def _closed(fields: Mapping[str, Spec]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, spec in fields.items():
        inner = {**spec, "items": _closed(spec["items"]["properties"])} if spec.get("type") == "array" else dict(spec)
        made[name] = inner
    return {"type": "object", "properties": made, "required": list(fields), "additionalProperties": False}


def _describe(spec: Spec) -> str:
    kind = spec["type"]
    if kind == "array":
        inner = spec["items"]["properties"].items()
        return "[{" + ", ".join(f'"{name}": {_describe(part)}' for name, part in inner) + "}, ...]"
    if "enum" in spec:
        return " or ".join(f'"{level}"' if kind == "string" else f"{level:g}" for level in spec["enum"])
    if kind in ("integer", "number") and "minimum" in spec:
        return f"{kind} from {spec['minimum']:g} to {spec['maximum']:g}"
    return {"integer": "integer", "number": "number", "boolean": "true or false", "string": "text"}[kind]
