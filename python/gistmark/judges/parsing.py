"""From a reply to values: whole JSON, first JSON object, repaired JSON, coercion, labelled numbers. In that order.

Nothing here raises on any reply, and no step guesses: a field that cannot be read is absent, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from gistmark.judges.contract import Reply
from gistmark.judges.numbers import labelled_choice, labelled_number, read_choice, read_number
from gistmark.judges.objects import Found, find_objects, strict
from gistmark.judges.schema import Coerced, Schema, clean, coerce, coerce_object, lookup

Slot = str | int

_THOUGHT = re.compile(r"^\s*<think>.*?</think>|^(?!.*<think>).*?</think>", re.DOTALL)
_MARK = re.compile(r"\[\s*(?:result|score)\s*\]|\b(?:result|score)\s*[:=]|\bscore\s+of\b", re.IGNORECASE)
_FEEDBACK = re.compile(r"^\W*feedback\s*:", re.IGNORECASE)
_DRESS = " \t\r\n*_`\"'[]():"


@dataclass(slots=True)
class Parsed:
    """What a reply says.

    values    by slot: a field's name, or the id of a row that was asked for
    errors    by slot what was asked for and cannot be read, with the reason
    repaired  whether anything but strict JSON of the exact shape was needed
    """

    values: dict[Slot, object] = field(default_factory=dict)
    errors: dict[Slot, str] = field(default_factory=dict)
    repaired: bool = False


Parser = Callable[[str, Schema], Parsed]


def parse(
    reply: Reply, schema: Schema, ids: Sequence[int] = (), parser: Parser | None = None, texts: Collection[str] = ()
) -> Parsed:
    """Read `reply` by `schema`. With `ids`, exactly those rows of its array are asked for, each on its own.

    `texts` is what the reply is about: beside other words, what stands in one of them letter for letter is a quotation
    and no verdict.

    Reasons: no_json, no_score, no_choice, missing, wrong_type, wrong_choice, wrong_scale, out_of_range, ambiguous,
    empty, truncated, refused, error.
    """
    if reply.finish in ("refused", "error"):
        return _nothing(reply.finish, schema, ids)
    text, cut = clean(reply.text), reply.finish == "length"
    if not text.strip():
        return _nothing("truncated" if cut else "empty", schema, ids)
    if parser is None:
        return parse_json(text, schema, ids, texts, cut)
    return _nothing("truncated", schema, ids) if cut else parser(text, schema)


def parse_json(text: str, schema: Schema, ids: Sequence[int], texts: Collection[str], cut: bool) -> Parsed:
    """The JSON contract. `cut` says the reply hit its token limit: then only a complete object counts."""
    whole = strict(text)
    if isinstance(whole, dict):
        return _fit([whole], schema, ids, repaired=False)
    wrapped = _wrap(whole, schema)
    if wrapped is not None:
        return _nothing("truncated", schema, ids) if cut else _fit([wrapped], schema, ids, repaired=True)
    body = _THOUGHT.sub("", text, count=1)
    found, closed = find_objects(body)
    own = [item for item in found if not any(item.span in other for other in texts)]
    if any(item.value is None and any(name in item.span.casefold() for name in schema.required) for item in own):
        return _nothing("no_json", schema, ids)
    objects = [item.value for item in own if item.value is not None]
    if objects:
        return _undisputed(_fit(objects, schema, ids, repaired=True), body, found, schema, texts)
    if cut or not closed or "<think>" in body:
        return _nothing("truncated", schema, ids)
    # Labels are read in plain prose only: inside JSON that cannot be mended they may be part of a quotation.
    if "{" in body or schema.rows:
        return _nothing("no_json", schema, ids)
    return _labelled(body, schema, texts, alone=len(schema.required) == 1)


def parse_result(text: str, schema: Schema) -> Parsed:
    """Feedback, a marker (`[RESULT]`, `[SCORE]`, `Result:`, `Score:`, `score of`) and the verdict as the last thing.

    The verdict fills the schema's one required field, the feedback its free text.
    """
    name = schema.required[0]
    marks = list(_MARK.finditer(text))
    if not marks:
        return Parsed(errors={name: "no_score"})
    spec, tail = schema.fields[name], text[marks[-1].end() :].strip(_DRESS).rstrip(".").strip(_DRESS)
    if spec["type"] == "string":
        verdict = Coerced(read_choice(tail, spec["enum"]), "wrong_choice")
    else:
        verdict = Coerced(*read_number(tail, spec))
    said = _FEEDBACK.sub("", text[: marks[-1].start()]).strip(" \t\r\n*")
    feedback: dict[Slot, object] = {other: said for other in schema.fields if other != name}
    if verdict.value is None:
        return Parsed(feedback, {name: verdict.error})
    return Parsed(feedback | {name: verdict.value})


def parse_pattern(pattern: re.Pattern[str], text: str, schema: Schema) -> Parsed:
    """Each field from the group of that name in `pattern`; several matches must agree."""
    found = Parsed()
    for name, spec in schema.fields.items():
        hits = pattern.finditer(text) if name in pattern.groupindex else ()
        texts = {hit[name].strip() for hit in hits if hit[name] is not None}
        missing = Coerced(None, "ambiguous" if texts else "no_score")
        _keep(found, name, coerce(texts.pop(), spec) if len(texts) == 1 else missing, schema)
    found.repaired = False
    return found


def _fit(objects: list[dict[str, object]], schema: Schema, ids: Sequence[int], repaired: bool) -> Parsed:
    """Read the one object among `objects` that answers; objects that answer differently answer nothing."""
    answers = [item for item in objects if any(lookup(item, name) for name in schema.required)]
    if not answers:
        return _nothing("missing", schema, ids)
    read = _rows if ids else _fields
    first, *others = [read(item, schema, ids) for item in answers]
    for other in others:
        if other.values != first.values or other.errors != first.errors:
            return _nothing("ambiguous", schema, ids)
    first.repaired = first.repaired or repaired
    return first


def _undisputed(read: Parsed, body: str, found: list[Found], schema: Schema, texts: Collection[str]) -> Parsed:
    """What was read from JSON, unless the words around it give the same fields other values."""
    if not schema.rows:
        for item in found:
            body = body.replace(item.span, "\n", 1)
        for name, value in _labelled(body, schema, texts, alone=False).values.items():
            if read.values.get(name) != value:
                read.values.pop(name, None)
                read.errors[name] = "ambiguous"
    return read


def _fields(value: Mapping[str, object], schema: Schema, _: Sequence[int]) -> Parsed:
    found = Parsed()
    for name, spec in schema.fields.items():
        held = lookup(value, name)
        item = Coerced(None, "missing") if held is None else coerce(held[0], spec)
        _keep(found, name, item._replace(exact=item.exact and (held is None or held[1])), schema)
    return found


def _rows(value: Mapping[str, object], schema: Schema, ids: Sequence[int]) -> Parsed:
    """The rows with the ids asked for, each judged on its own; two rows of one id must agree."""
    name = schema.rows or ""
    items, held = schema.fields[name]["items"], lookup(value, name)
    if held is None or not isinstance(held[0], list):
        return _nothing("missing" if held is None else "wrong_type", schema, ids)
    found, asked = Parsed(repaired=not held[1]), set(ids)
    for row in held[0]:
        identity = coerce_object(row, {"id": items["properties"]["id"]}, ("id",))
        number = None if identity.error else identity.value["id"]
        if number not in asked:
            found.repaired = True
            continue
        item = coerce_object(row, items["properties"], items["required"])
        seen = number in found.values or number in found.errors
        if seen and (found.values.pop(number, None) != item.value or item.error):
            item = Coerced(None, found.errors.get(number) or "ambiguous")
        _put(found, number, item)
    for number in ids:
        if number not in found.values:
            found.errors.setdefault(number, "missing")
    return found


def _labelled(text: str, schema: Schema, texts: Collection[str], alone: bool) -> Parsed:
    """Numbers and choices that prose gives under their fields' names, or if `alone` under any label for a verdict."""
    found = Parsed(repaired=True)
    for name in schema.required:
        spec = schema.fields[name]
        if spec["type"] in ("integer", "number"):
            _put(found, name, Coerced(*labelled_number(text, name, spec, alone, texts, schema.kin)))
        elif spec["type"] == "string" and "enum" in spec:
            choice = labelled_choice(text, name, spec["enum"], alone, texts, schema.kin)
            _put(found, name, Coerced(*choice))
        else:
            _put(found, name, Coerced(None, "no_json"))
    return found


def _keep(found: Parsed, name: str, item: Coerced, schema: Schema) -> None:
    """Record a field: an optional one that cannot be read is None, not an error."""
    if item.error and name not in schema.required:
        found.values[name] = None
    else:
        _put(found, name, item)


def _put(found: Parsed, slot: Slot, item: Coerced) -> None:
    if item.error:
        found.errors[slot] = item.error
    else:
        found.values[slot] = item.value
        found.repaired = found.repaired or not item.exact


def _nothing(reason: str, schema: Schema, ids: Sequence[int]) -> Parsed:
    return Parsed(errors=dict.fromkeys(ids or schema.required, reason))


def _wrap(value: object, schema: Schema) -> dict[str, object] | None:
    """A bare value as the object it stands for, where the schema asks for one field only."""
    if len(schema.required) != 1:
        return None
    name = schema.required[0]
    fits = isinstance(value, list) if schema.rows else isinstance(value, (str, int, float))
    return {name: value} if fits else None
