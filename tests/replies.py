"""What the tests of judges' replies share: schemas, a full set of scores, and reading one reply."""

from __future__ import annotations

from gistmark.judges.contract import Reply
from gistmark.judges.parsing import Parsed, parse
from gistmark.judges.schema import Schema
from gistmark.judges.template import load

MULTI = load("multi").schema
SUPPORT = load("support").schema
FACTS = load("decompose").schema
CHOICE = Schema({"feedback": {"type": "string"}, "winner": {"type": "string", "enum": ["A", "B"]}}, ("winner",))
SCORES = {
    "relevance": 4,
    "consistency": 5,
    "fluency": 3,
    "coherence": 2,
    "informativeness": 1,
    "overall": 4,
    "rationale": "fine",
}


def number(low: float, high: float, kind: str = "integer", name: str = "score") -> Schema:
    spec = {"type": kind, "minimum": low, "maximum": high}
    return Schema({name: spec, "reason": {"type": "string"}}, (name,))


def read(text: str, schema: Schema, finish: str = "stop", **options: object) -> Parsed:
    return parse(Reply(text, finish), schema, **options)  # type: ignore[arg-type]
