"""What the tests of asking a judge share: a question, a backend with replies in store, and a good reply."""

from __future__ import annotations

from gistmark.judges.backends.fake import Fake
from gistmark.judges.contract import Reply
from gistmark.judges.question import Question
from gistmark.judges.template import load

SINGLE = load("annotator_single")
MULTI = load("multi")
SUPPORT = load("support")


def question(number: int, sample: int = 0) -> Question:
    return Question(
        SINGLE, {"persona": "Role: nurse", "query": "Is it safe?", "summary": f"Summary {number}."}, sample=sample
    )


def answering(*replies: str | Reply) -> Fake:
    """A backend that gives these replies in turn, the last one from then on."""
    waiting = list(replies)
    return Fake(lambda *_: waiting.pop(0) if len(waiting) > 1 else waiting[0])


GOOD = '{"satisfaction": 4, "reason": "clear"}'
