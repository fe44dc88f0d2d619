"""From questions to answers: look each call up, ask what is not there, store it, read it, ask again where need be."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gistmark.judges.budget import Budget
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend, BackendError, Options, Reply
from gistmark.judges.parsing import Parsed, Slot, parse
from gistmark.judges.policy import Policy
from gistmark.judges.question import Answer, Question
from gistmark.judges.rendering import Prompts, reminder
from gistmark_engine.errors import GistmarkError, shorten


@dataclass
class _Open:
    """A question on its way: the answer so far, what is missing, and whether its calls were all in the cache."""

    question: Question
    missing: tuple[Slot, ...]
    answer: Answer = field(default_factory=Answer)
    cuts: int = 0
    dead: bool = False
    live: bool = False

    @property
    def stale(self) -> bool:
        """Whether it failed on stored replies alone."""
        return bool(self.missing) and not self.live


@dataclass(frozen=True)
class _Call:
    open: _Open
    options: Options
    reminder: str
    attempt: int
    key: bytes


_Heard = tuple[_Call, Reply, Parsed]


@dataclass
class Asker:
    """Asks `backend` by `policy`, through `cache` (None: nothing is kept) and within `budget`.

    `counts` holds, over its life: questions by final status, `calls` made, those of them `unanswered`, and `cached`;
    `reasons` why questions have no answer.
    """

    backend: Backend
    policy: Policy = field(default_factory=Policy)
    cache: Cache | None = None
    budget: Budget = field(default_factory=Budget)
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """An answer for every question, in order. Equal questions are asked once. Raises `BudgetError`, `BackendError`.

        A question whose every attempt is in the cache and none could be read is asked anew.
        """
        try:
            return self._asked(questions)
        except BackendError as error:
            raise BackendError(f"{error}; {self._finished()}") from error

    def _asked(self, questions: Sequence[Question]) -> list[Answer]:
        keys = [question.identity for question in questions]
        unique = {key: _Open(question, question.slots) for key, question in zip(keys, questions, strict=True)}
        self._attempts(list(unique.values()), fresh=False)
        stale = {key: _Open(item.question, item.question.slots) for key, item in unique.items() if item.stale}
        self._attempts(list(stale.values()), fresh=True)
        unique |= stale
        self.counts.update(item.answer.status for item in unique.values())
        self.reasons.update(reason for item in unique.values() for reason in set(item.answer.errors.values()))
        return [unique[key].answer for key in keys]

    def _finished(self) -> str:
        """How many calls were finished, now or before, and what becomes of them."""
        number = self.counts["calls"] - self.counts["unanswered"] + self.counts["cached"]
        finished = f"{number or 'no'} call{'s were' if number > 1 else ' was'} finished"
        if not number:
            return finished
        if self.cache is None:
            return f"{finished}, and nothing was kept (cache=False)"
        return f"{finished} and kept in {self.cache.path}, from where the same job goes on when started again"

    def _attempts(self, waiting: list[_Open], fresh: bool) -> None:
        """Ask until nothing is missing or the attempts are used up; `fresh` passes over what the cache holds."""
        for attempt in range(1, self.policy.attempts + 1):
            waiting = [item for item in waiting if item.missing and not item.dead]
            if not waiting:
                return
            for call, reply, found in self._replies([self._call(item, attempt) for item in waiting], fresh):
                _take(call.open, reply, found)

    def _call(self, item: _Open, attempt: int) -> _Call:
        question = item.question
        options = self.policy.options(attempt, question.sample, item.cuts)
        line = reminder(question.template, item.missing) if attempt > 1 else ""
        key = call_key(self.backend, question, options, line)
        return _Call(item, replace(options, schema=question.template.wire), line, attempt, key)

    def _replies(self, calls: list[_Call], fresh: bool) -> Iterator[_Heard]:
        """Every call beside its reply: first those in the cache, then the others as they arrive."""
        asked: dict[object, list[_Call]] = {}
        for call in calls:
            stored = self.cache.get(call.key) if self.cache is not None and not fresh else None
            if stored is not None:
                self.counts["cached"] += 1
                yield call, stored, _parsed(call, stored)
            else:
                asked.setdefault((call.options, call.open.question.template.digest), []).append(call)
        for group in asked.values():
            yield from self._generated(group)

    def _generated(self, calls: list[_Call]) -> Iterator[_Heard]:
        """The replies to `calls`, all of the same options, as many at a time as the budget grants."""
        options = calls[0].options
        while calls:
            prompts = Prompts(
                [(call.open.question.template, call.open.question.texts, call.reminder) for call in calls]
            )
            granted = self.budget.reserve(prompts, options.max_tokens)
            waiting = set(range(len(granted)))
            for index, reply in self.backend.generate(prompts[: len(granted)], options):
                if index not in waiting:
                    raise GistmarkError(f"backend {self.backend.model!r} answered call {index} twice, or one not asked")
                waiting.remove(index)
                self.budget.settle(granted[index], reply)
                yield calls[index], reply, self._settle(calls[index], reply)
            if waiting:
                left = f"{len(waiting)} of {len(granted)} calls"
                raise GistmarkError(f"backend {self.backend.model!r} left {left} unanswered")
            calls = calls[len(granted) :]

    def _settle(self, call: _Call, reply: Reply) -> Parsed:
        """Account for a reply, read it, and store it before anything else happens. An error is no reply."""
        self.counts["calls"] += 1
        if reply.finish == "error":
            self.counts["unanswered"] += 1
        call.open.live = True
        found = _parsed(call, reply)
        if self.cache is not None and reply.finish != "error":
            status = "failed" if found.errors else "repaired" if found.repaired else "ok"
            label = call.open.question.template.label
            self.cache.put(call.key, reply, label, self.backend.model, call.options.seed, call.attempt, status)
        self._check_scores(call, reply)
        return found

    def _check_scores(self, call: _Call, reply: Reply) -> None:
        """Give up after the first reply if it lacks the log-probabilities that were asked for."""
        first = self.counts["calls"] - self.counts["unanswered"] == 1
        if first and call.options.top_logprobs and reply.finish == "stop" and reply.text and not reply.scores:
            raise BackendError(
                f"{self.backend.model!r} reports no log-probabilities, which expected values are made of: "
                "ask it without expected"
            )


def _parsed(call: _Call, reply: Reply) -> Parsed:
    """What the reply says about the slots that are still missing."""
    template, missing = call.open.question.template, call.open.missing
    ids = [slot for slot in missing if isinstance(slot, int)]
    names = [slot for slot in missing if isinstance(slot, str)]
    whole = ids or len(names) == len(template.schema.required)
    schema = template.schema if whole else template.schema.narrow(names)
    return parse(reply, schema, ids, template.parser, call.open.question.texts.values())


def _take(item: _Open, reply: Reply, found: Parsed) -> None:
    """Take from a reply what it gives, and note what is still missing."""
    answer = item.answer
    for slot, value in found.values.items():
        if value is not None or slot not in answer.values:
            answer.values[slot] = value
    answer.scores.update(dict.fromkeys(found.values, reply.scores))
    answer.errors, answer.reply, answer.attempts = found.errors, reply, answer.attempts + 1
    answer.repaired = answer.repaired or (found.repaired and any(slot in found.values for slot in item.missing))
    item.cuts += "truncated" in found.errors.values()
    item.dead = reply.finish == "error"
    if item.dead:
        answer.errors = dict.fromkeys(found.errors, f"error: {shorten(reply.error, 200)}")
    item.missing = tuple(slot for slot in item.missing if slot in found.errors)


def call_key(backend: Backend, question: Question, options: Options, line: str) -> bytes:
    """What a stored reply is found by: template, model, decoding, sample, added line and texts, before any fencing."""
    digest = hashlib.sha256(question.template.digest)
    how = [options.temperature, options.seed, options.max_tokens, options.top_logprobs, question.sample, line]
    texts = sorted(question.texts.items())
    digest.update(json.dumps([backend.model, sorted(backend.decoding.items()), how, texts]).encode())
    return digest.digest()
