"""A limit on calls and tokens that is never crossed, not even by the calls in flight."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from gistmark.judges.contract import BudgetError, Conversation, Reply

_CHARACTERS_PER_TOKEN = 3
_MESSAGE_TOKENS = 8


@dataclass
class Budget:
    """At most `calls` calls and `tokens` prompt and completion tokens; None: no limit. Shareable between metrics."""

    calls: int | None = None
    tokens: int | None = None
    spent_calls: int = 0
    spent_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def reserve(self, conversations: Sequence[Conversation], max_tokens: int) -> list[int]:
        """The tokens that each of the first `conversations` may take, as many of them as can be asked whatever their
        replies' length; they count as spent. Without a limit 0 for each.

        Raises `BudgetError` if there are none.
        """
        if self.calls is None and self.tokens is None:
            return [0] * len(conversations)
        granted: list[int] = []
        with self._lock:
            for conversation in conversations:
                cost = prompt_tokens(conversation) + max_tokens
                if not self._holds(cost):
                    break
                granted.append(cost)
                self.spent_calls, self.spent_tokens = self.spent_calls + 1, self.spent_tokens + cost
        if not granted:
            raise BudgetError(
                f"the budget of {self._spell()} ends before the next call ({self.spent_calls} calls, "
                f"{self.spent_tokens} tokens spent); finished replies are stored, a larger budget continues from them"
            )
        return granted

    def settle(self, cost: int, reply: Reply) -> None:
        """Replace the tokens reserved for a call by those it took, where the backend counted them."""
        if reply.tokens is not None and cost:
            with self._lock:
                self.spent_tokens += sum(reply.tokens) - cost

    def _holds(self, cost: int) -> bool:
        calls = self.calls is None or self.spent_calls < self.calls
        return calls and (self.tokens is None or self.spent_tokens + cost <= self.tokens)

    def _spell(self) -> str:
        limits = {"calls": self.calls, "tokens": self.tokens}
        return " and ".join(f"{limit} {what}" for what, limit in limits.items() if limit is not None)

    def __getstate__(self) -> dict[str, int | None]:
        return {name: getattr(self, name) for name in ("calls", "tokens", "spent_calls", "spent_tokens")}

    def __setstate__(self, state: dict[str, int | None]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def prompt_tokens(conversation: Conversation) -> int:
    """An estimate, on the high side for English, of a conversation's tokens: one for 3 characters, 8 a message."""
    return sum(len(message["content"]) // _CHARACTERS_PER_TOKEN + _MESSAGE_TOKENS for message in conversation)
