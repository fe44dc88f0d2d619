"""A judge without a model: replies that follow from the messages alone, for tests and dry runs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gistmark.judges.contract import BackendError, Conversation, Options, Reply
from gistmark_engine.errors import shorten

_ROWS = re.compile(r"^(?:FACTS|NUGGETS|REQUIREMENTS)\n<(\S+)>\n(.*?)\n</\1>", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(r"^([0-9]+)\. ", re.MULTILINE)

Rule = Callable[[Conversation], str | Reply]


class Fake:
    """Answers by `rule`, a function of the messages that returns the text of the reply (or a `Reply`), or by default
    with a valid value for every field, drawn from a hash of the messages.

    Not a judgement of anything: its scores are noise. It satisfies the same contract as a model and costs nothing.
    A rule that raises, or returns anything else, ends the job with `BackendError`.
    """

    def __init__(self, rule: Rule | None = None, model: str = "fake") -> None:
        self.rule, self.model = rule, model
        self.decoding: Mapping[str, object] = {}
        self.calls = 0

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        for index, conversation in enumerate(conversations):
            self.calls += 1
            yield index, Reply(hashed(conversation, options)) if self.rule is None else _ruled(self.rule, conversation)


def _ruled(rule: Rule, conversation: Conversation) -> Reply:
    """The rule's reply. Raises `BackendError` naming it where that is none."""
    name = getattr(rule, "__qualname__", repr(rule))
    try:
        made = rule(conversation)
    except Exception as error:
        raise BackendError(
            f"the rule {name!r} of the fake judge, called with the messages alone, raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, str | Reply):
        raise BackendError(f"the rule {name!r} of the fake judge returned {shorten(made)}, not the text of a reply")
    return made if isinstance(made, Reply) else Reply(made)


def hashed(conversation: Conversation, options: Options) -> str:
    """A reply of the shape asked for whose values are a hash of the messages, temperature and seed."""
    said = conversation[-1]["content"]
    salt = f"{said}\0{options.temperature}\0{options.seed}".encode()
    draws = iter(hashlib.shake_128(salt).digest(256))
    if options.schema is None:
        draw = next(draws)
        return f"Feedback: none. [RESULT] {'AB'[draw % 2] if '(A or B)' in said else 1 + draw % 5}"
    return json.dumps(_drawn(options.schema, draws, _ids(said)))


def _drawn(spec: Mapping[str, Any], draws: Iterator[int], ids: Sequence[int]) -> object:
    kind = spec.get("type")
    if kind == "object":
        return {name: _drawn(part, draws, ids) for name, part in spec["properties"].items()}
    if kind == "array":
        rows = [_drawn(spec["items"], draws, ()) for _ in ids]
        return [{**row, "id": number} for number, row in zip(ids, rows, strict=True) if isinstance(row, dict)]
    if "enum" in spec:
        return spec["enum"][next(draws, 0) % len(spec["enum"])]
    if kind == "boolean":
        return next(draws, 0) % 2 == 0
    if kind == "string":
        return f"text {next(draws, 0)}"
    low, high = spec.get("minimum", 1), spec.get("maximum", 1)
    share = next(draws, 0) / 255
    return low + share * (high - low) if kind == "number" else low + round(share * (high - low))


def _ids(said: str) -> list[int]:
    """The ids of the numbered rows a message asks about; 1 to 3 where it asks about none."""
    blocks = _ROWS.findall(said)
    return [int(number) for number in _NUMBERED.findall(blocks[-1][1])] if blocks else [1, 2, 3]
