"""What runs when a judge metric runs: an asker and the function that turns a batch into questions and numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gistmark.failures import ALARM, LOST
from gistmark.judges.asking import Asker
from gistmark.judges.backends.fake import hashed
from gistmark.judges.budget import prompt_tokens
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend, Conversation, Options, Reply, Token
from gistmark.judges.settings import NoBackend
from gistmark_engine.metric import Batch, Values

_ENDS = ("ok", "repaired", "truncated", "failed")
_log = logging.getLogger("gistmark.judges")


@dataclass
class DryRun:
    """What a run would take: `calls` still to make and the `cached` ones, estimated prompt tokens, the most completion
    tokens, and the first prompt of every kind. Later steps of a metric are counted for stand-in answers of 3 rows."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompts: list[Conversation] = field(default_factory=list)
    _kinds: set[object] = field(default_factory=set, repr=False)

    def count(self, conversation: Conversation, options: Options) -> str:
        """Take down a call, and answer it without a model."""
        self.calls += 1
        self.prompt_tokens += prompt_tokens(conversation)
        self.completion_tokens += options.max_tokens
        kind = (conversation[0]["content"], str(options.schema))
        if kind not in self._kinds:
            self._kinds.add(kind)
            self.prompts.append(conversation)
        return hashed(conversation, options)


@dataclass(frozen=True)
class _StandIn:
    """Counts into `plan` what `backend` would be asked."""

    backend: Backend
    plan: DryRun

    @property
    def model(self) -> str:
        return self.backend.model

    @property
    def decoding(self) -> Mapping[str, object]:
        return self.backend.decoding

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        scores = (Token("", {}),) if options.top_logprobs else ()
        for index, turns in enumerate(conversations):
            yield index, Reply(self.plan.count(turns, options), scores=scores)


Score = Callable[[Asker, Batch], Mapping[str, Values]]


@dataclass
class Stage:
    """The `run` of the judge metric `name`: state in `asker`, everything else in the pure function `score`."""

    name: str
    asker: Asker
    score: Score

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        return self.score(self.asker, batch)

    def open(self) -> None:
        """Start a job: counts from zero. Raises `OptionError` where no model was named."""
        if isinstance(self.asker.backend, NoBackend):
            self.asker.backend.open()
        self.asker.counts.clear()
        self.asker.reasons.clear()

    def close(self) -> None:
        """End a job, see `end`."""
        end(self.name, self.asker)

    def report(self) -> str:
        """What came of the job's questions, and what they took, in a line."""
        return _report(self.name, self.asker)

    @property
    def failure_rate(self) -> float:
        """Share of the job's questions that ended truncated or failed; 0 before any."""
        return _failure_rate(self.asker)

    def dry_run(self, batch: Batch, plan: DryRun | None = None) -> DryRun:
        """What scoring `batch` would take, added to `plan` if that is given, without asking or storing anything."""
        plan, asker = plan or DryRun(), self.asker
        cache = _Reading(asker.cache) if asker.cache is not None else None
        counting = Asker(_StandIn(asker.backend, plan), replace(asker.policy, retries=0), cache)
        self.score(counting, batch)
        plan.cached += counting.counts["cached"]
        return plan


def end(name: str, asker: Asker) -> None:
    """Store and log what came of the job `name`, close the cache, warn where too many questions have no answer."""
    if asker.cache is not None:
        asker.cache.log(name, asker.backend.model, asker.counts)
        asker.cache.close()
    _log.info("%s", _report(name, asker))
    rate = _failure_rate(asker)
    if rate > ALARM:
        ((reason, _),) = asker.reasons.most_common(1)
        _log.warning("%s: %.1f%% of the questions have no answer, most often: %s", name, 100 * rate, reason)


def _report(name: str, asker: Asker) -> str:
    ends = [f"{asker.counts[status]} {status}" for status in _ENDS]
    took = f"{asker.counts['calls']} calls made, {asker.counts['cached']} answered from the cache"
    return f"{name} ({asker.backend.model}): {', '.join(ends)}; {took}"


def _failure_rate(asker: Asker) -> float:
    asked = sum(asker.counts[status] for status in _ENDS)
    return sum(asker.counts[status] for status in LOST) / asked if asked else 0.0


class _Reading(Cache):
    """A cache that only answers."""

    def __init__(self, cache: Cache) -> None:
        self.get, self.put = cache.get, lambda *_: None  # type: ignore[method-assign]
