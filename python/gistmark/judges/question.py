"""What is asked of a judge, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gistmark.judges.contract import Reply, Token
from gistmark.judges.parsing import Slot
from gistmark.judges.template import Template


@dataclass(frozen=True)
class Question:
    """One thing to ask: a template, its texts, and for a template about numbered rows the ids to answer for."""

    template: Template
    texts: Mapping[str, str]
    ids: tuple[int, ...] = ()
    sample: int = 0

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What an answer consists of."""
        return self.ids or self.template.schema.required

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for questions that are the same."""
        return (self.template.digest, tuple(sorted(self.texts.items())), self.ids, self.sample)


@dataclass
class Answer:
    """What came of a question.

    values    by slot what was read; `errors` by slot why the rest was not
    repaired  whether any value took a repair or a second attempt's mending
    attempts  how many replies it took; `reply` is the last of them; `scores` by slot the tokens it was read from
    """

    values: dict[Slot, object] = field(default_factory=dict)
    errors: dict[Slot, str] = field(default_factory=dict)
    repaired: bool = False
    attempts: int = 0
    reply: Reply = field(default_factory=lambda: Reply(""))
    scores: dict[Slot, tuple[Token, ...]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """ "ok", "repaired", or why something is missing: "truncated" if everything missing was cut, else "failed"."""
        if self.errors:
            return "truncated" if set(self.errors.values()) == {"truncated"} else "failed"
        return "repaired" if self.repaired else "ok"
