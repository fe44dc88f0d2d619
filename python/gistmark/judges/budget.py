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

    def reserve(self, conversations: Sequence[Conversation], max_tokens: int) -> int:
        """How many of the first `conversations` can be asked whatever their replies' length; they count as spent.

        Raises `BudgetError` if that is none.
        """
        if self.calls is None and self.tokens is None:
            return len(conversations)
        with self._lock:
            granted = 0
            for conversation in conversations:
                cost = prompt_tokens(conversation) + max_tokens
                if not self._holds(cost):
                    break
                granted, self.spent_calls, self.spent_tokens = (
                    granted + 1,
                    self.spent_calls + 1,
                    self.spent_tokens + cost,
                )
        if not granted:
            raise BudgetError(
                f"the budget of {self._spell()} ends before the next call ({self.spent_calls} calls, "
                f"{self.spent_tokens} tokens spent); finished replies are stored, a larger budget continues from them"
            )
        return granted

    def settle(self, conversation: Conversation, max_tokens: int, reply: Reply) -> None:
        """Replace what was reserved for a call by the tokens it took, where the backend counted them."""
        if reply.tokens is not None and self.tokens is not None:
            with self._lock:
                self.spent_tokens += sum(reply.tokens) - prompt_tokens(conversation) - max_tokens

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
