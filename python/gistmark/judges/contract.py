"""What a judge and a language model say to each other: messages and options out, replies back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypedDict

from gistmark_engine.errors import GistmarkError

Finish = Literal["stop", "length", "refused", "error"]


class Message(TypedDict):
    """One turn of a conversation, in the form every chat model takes."""

    role: Literal["system", "user", "assistant"]
    content: str


Conversation = list[Message]


class Token(NamedTuple):
    """One generated token: its text, and the natural log-probability of every alternative the model reported there."""

    text: str
    top: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    finish   "stop": it ended by itself; "length": cut by the token limit; "refused": withheld by the model or a
             filter; "error": no reply was had after the backend's own retries, `error` says why
    tokens   prompt and completion tokens, where the backend counts them
    scores   per generated token its alternatives, where log-probabilities were asked for and are given
    """

    text: str
    finish: Finish = "stop"
    error: str = ""
    tokens: tuple[int, int] | None = None
    scores: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """How a batch of replies is to be decoded. `temperature` 0 is greedy; `schema` is the reply's JSON Schema, for
    backends that can enforce one; `top_logprobs` above 0 asks for that many alternatives a token."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 1024
    top_logprobs: int = 0
    schema: Mapping[str, object] | None = field(default=None, compare=False)


class Backend(Protocol):
    """A language model as judges see it.

    model     its name, as signatures and cache keys carry it: never a secret, never a machine's path
    decoding  whatever else about it changes replies (precision, nucleus, quantisation); part of the cache key
    """

    @property
    def model(self) -> str: ...

    @property
    def decoding(self) -> Mapping[str, object]: ...

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterable[tuple[int, Reply]]:
        """One reply for every conversation, each beside the index of the conversation it answers.

        A conversation is rendered when it is looked at: look at each once, and hold no more than you ask about.
        Any order is fine: yield each reply as it arrives, so that it is stored before the next one is awaited. A
        call that fails for good is a `Reply` with finish "error"; raise `BackendError` only where no call can succeed.
        """
        ...


class BackendError(GistmarkError, RuntimeError):
    """A backend that cannot answer anything: no such model, no permission, no server.

    Says what refuses, what to do about it, and how many calls were finished before and where they are kept.
    """


class BudgetError(GistmarkError, RuntimeError):
    """The next call would exceed the budget. Every reply so far is stored; the same job continues from there."""


def joined(conversation: Conversation) -> Conversation:
    """The conversation for a chat template without system messages: what they say stands before the user's words."""
    system = [turn["content"].strip() for turn in conversation if turn["role"] == "system"]
    first, *rest = [turn for turn in conversation if turn["role"] != "system"]
    return [{"role": first["role"], "content": "\n\n".join([*system, first["content"]])}, *rest]


def plain(conversation: Conversation, special: Iterable[str]) -> Conversation:
    """The conversation with no token of `special` written out in it: a space stands after their first character."""
    made: Conversation = []
    for turn in conversation:
        text = turn["content"]
        for token in special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        made.append({"role": turn["role"], "content": text})
    return made
