"""What the tests of judge metrics share: a way to score columns, and judges without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from gistmark import judges
from gistmark.judges.contract import Conversation, Options, Reply
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_batch

READER = {"role": "nurse", "domain": "oncology", "information_needs": ["doses", "side effects"]}
Rule = Callable[[Conversation], str | Reply]


class Told(judges.Fake):
    """A judge by a rule that is told the options of a call as well."""

    def __init__(self, told: Callable[[Conversation, Options], str | Reply]) -> None:
        super().__init__()
        self.told = told

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        for index, conversation in enumerate(conversations):
            self.calls += 1
            made = self.told(conversation, options)
            yield index, made if isinstance(made, Reply) else Reply(made)


def score(metric: Metric, **columns: object) -> dict[str, list[Any]]:
    batch = pa.table({name: pa.array(values) for name, values in columns.items()})
    scored = score_batch(batch, [metric])
    return {name: scored.column(name).to_pylist() for name in scored.schema.names}


def shown(conversation: Conversation, name: str) -> str:
    """The text a prompt shows under `name`, "" if it shows none."""
    found = re.search(rf"<({name}-\w+)>\n(.*?)\n</\1>", conversation[-1]["content"], re.DOTALL)
    return found[2] if found else ""


def wanted(conversation: Conversation) -> str:
    """The first field of the reply's shape in a prompt, "" where it shows none."""
    found = re.search(r'^Reply with this shape[^{]*\{"(\w+)"', conversation[-1]["content"], re.MULTILINE)
    return found[1] if found else ""


def by_rule(conversation: Conversation) -> str:
    """A judge without a model: claims are sentences; support, relevance and coverage are words in common."""

    def common(line: str, text: str) -> bool:
        return bool(set(re.findall(r"\w{4,}", line.lower())) & set(re.findall(r"\w{4,}", text.lower())))

    asked = wanted(conversation)
    if asked == "facts":
        parts = [part.strip() for part in shown(conversation, "summary").split(".") if part.strip()]
        return json.dumps({"facts": [{"id": number, "text": part} for number, part in enumerate(parts, 1)]})
    if asked == "requirements":
        needs = re.findall(r"^- (.*)$", shown(conversation, "persona"), re.MULTILINE)
        rows = [{"id": number, "text": need, "weight": 1 + number % 2} for number, need in enumerate(needs, 1)]
        return json.dumps({"requirements": rows})
    lines = {name: shown(conversation, name).splitlines() for name in ("facts", "nuggets", "requirements")}
    if asked == "decisions":
        rows = [
            {"id": n, "supported": line[3:] in shown(conversation, "source")}
            for n, line in enumerate(lines["facts"], 1)
        ]
        return json.dumps({"decisions": rows})
    if lines["nuggets"]:
        about = shown(conversation, "persona") + shown(conversation, "query")
        rows = [{"id": n, "relevance": int(common(line, about))} for n, line in enumerate(lines["nuggets"], 1)]
    else:
        text = shown(conversation, "summary")
        rows = [{"id": n, "coverage": 0.5 * common(line, text)} for n, line in enumerate(lines["requirements"], 1)]
    return json.dumps({"labels": rows})


def constant(reply: str | Reply) -> judges.Fake:
    return judges.Fake(lambda *_: reply)
