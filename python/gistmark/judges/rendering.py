"""A template and its texts as messages. Every text stands in a fence that no text can close."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import overload

from gistmark.judges.contract import Conversation
from gistmark.judges.template import PLACE, Template


def render(template: Template, texts: Mapping[str, str], reminder: str = "") -> Conversation:
    """The messages that put `template`'s question about `texts`; `reminder` is added by later attempts."""
    parts = {name: fenced(name, texts[name], texts) if name in texts else "" for name in template.inputs}
    parts |= template.parts
    user = PLACE.sub(lambda place: parts[place[1]], template.user).strip()
    said = f"{user}\n\n{reminder}" if reminder else user
    return [{"role": "system", "content": template.system}, {"role": "user", "content": said}]


class Prompts(Sequence[Conversation]):
    """The messages of many calls, from their templates, texts and reminders; rendered when looked at, and not held."""

    def __init__(self, calls: Sequence[tuple[Template, Mapping[str, str], str]]) -> None:
        self._calls = calls

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, at: int) -> Conversation: ...

    @overload
    def __getitem__(self, at: slice) -> Prompts: ...

    def __getitem__(self, at: int | slice) -> Conversation | Prompts:
        return Prompts(self._calls[at]) if isinstance(at, slice) else render(*self._calls[at])


def fenced(name: str, text: str, texts: Mapping[str, str]) -> str:
    """`text` between tags of which neither it nor any other of `texts` holds the name.

    The 64 bits of the tag follow from the text itself, so a judge sees the same prompt in every run, and prompts that
    share a source share its tokens; a tag that does occur in one of the texts is replaced by the next one.
    """
    seed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    turn = 0
    while True:
        tag = hashlib.sha256(seed + bytes([turn])).hexdigest()[:16]
        if not any(tag in other for other in texts.values()):
            return f"{name.upper()}\n<{name}-{tag}>\n{text}\n</{name}-{tag}>\n"
        turn += 1


def reminder(template: Template, missing: Sequence[str | int]) -> str:
    """The one line that a second attempt adds: the form of the reply, and what is still missing from it."""
    if template.reminder:
        return f"Your last reply could not be read. {template.reminder}"
    rows = [slot for slot in missing if isinstance(slot, int)]
    asked = template.schema.narrow([slot for slot in missing if isinstance(slot, str)]) if not rows else template.schema
    only = f" Give exactly these ids: {', '.join(map(str, rows))}." if rows else ""
    return f"Your last reply could not be read. Reply with one JSON object and nothing else: {asked.describe()}{only}"
