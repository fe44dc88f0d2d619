"""Texts as lists of separate claims: asked once a text, shared by every metric that asks the same model for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gistmark.judges.asking import Asker
from gistmark.judges.question import Question
from gistmark.judges.template import Template

_ABSTENTION = re.compile(
    r"^\W*(?:(?:i am|i'm|i’m|we are|we're|we’re) (?:sorry|afraid|unable|not (?:sure|able))|sorry\b|"
    r"(?:i|we) (?:do not|don't|don’t|cannot|can't|can’t|could not|couldn't|couldn’t) "
    r"(?:know|find|answer|provide|summari))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Decomposed:
    """The facts of a text; `status` is "ok", "repaired", "undefined" (there are none), "truncated" or "failed"."""

    facts: tuple[str, ...]
    status: str


def decompose(asker: Asker, template: Template, texts: Mapping[int, str]) -> dict[int, Decomposed]:
    """The facts of every text, by the key it came under. A text that only says it cannot answer has none."""
    asked = {key: text for key, text in texts.items() if not abstains(text)}
    answers = asker.ask([Question(template, {"summary": text}) for text in asked.values()])
    found = {key: Decomposed((), "undefined") for key in texts}
    for key, answer in zip(asked, answers, strict=True):
        facts = listed(answer.values.get("facts"))
        missing = answer.status in ("truncated", "failed")
        found[key] = Decomposed(facts, answer.status if facts or missing else "undefined")
    return found


def abstains(text: str) -> bool:
    """Whether a text begins by saying that it cannot answer ("I'm sorry", "I could not find …")."""
    return bool(_ABSTENTION.match(text))


def listed(items: object) -> tuple[str, ...]:
    """The texts of a reply's numbered items in their order, blank ones left out; their ids do not matter."""
    found = cast(Sequence[dict[str, Any]], items or ())
    return tuple(item["text"].strip() for item in found if item["text"].strip())
