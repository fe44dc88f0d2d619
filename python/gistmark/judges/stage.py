"""What runs when a judge metric runs: an asker and the function that turns a batch into questions and numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gistmark.failures import ALARM, LOST
from gistmark.judges.asking import Asker
from gistmark.judges.backends.fake import Fake, hashed
from gistmark.judges.budget import prompt_tokens
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Conversation, Options, Reply
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

    def count(self, conversation: Conversation, options: Options) -> str | Reply:
        """Take down a call, and answer it without a model."""
        self.calls += 1
        self.prompt_tokens += prompt_tokens(conversation)
        self.completion_tokens += options.max_tokens
        kind = (conversation[0]["content"], str(options.schema))
        if kind not in self._kinds:
            self._kinds.add(kind)
            self.prompts.append(conversation)
        return hashed(conversation, options)


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

    def close(self) -> None:
        """End a job: store and log the counts, close the cache, warn where too many questions have no answer."""
        if self.asker.cache is not None:
            self.asker.cache.log(self.name, self.asker.backend.model, self.asker.counts)
            self.asker.cache.close()
        _log.info("%s", self.report())
        if self.failure_rate > ALARM:
            _log.warning("%s: %.1f%% of the questions have no answer", self.name, 100 * self.failure_rate)

    def report(self) -> str:
        """What came of the job's questions, and what they took, in a line."""
        counts = self.asker.counts
        ends = [f"{counts[status]} {status}" for status in _ENDS]
        took = f"{counts['calls']} calls made, {counts['cached']} answered from the cache"
        return f"{self.name} ({self.asker.backend.model}): {', '.join(ends)}; {took}"

    @property
    def failure_rate(self) -> float:
        """Share of the job's questions that ended truncated or failed; 0 before any."""
        counts = self.asker.counts
        asked = sum(counts[status] for status in _ENDS)
        return sum(counts[status] for status in LOST) / asked if asked else 0.0

    def dry_run(self, batch: Batch, plan: DryRun | None = None) -> DryRun:
        """What scoring `batch` would take, added to `plan` if that is given, without asking or storing anything."""
        plan, asker = plan or DryRun(), self.asker
        cache = _Reading(asker.cache) if asker.cache is not None else None
        stand_in = Fake(plan.count, asker.backend.model)
        stand_in.decoding = asker.backend.decoding
        counting = Asker(stand_in, replace(asker.policy, retries=0), cache)
        self.score(counting, batch)
        plan.cached += counting.counts["cached"]
        return plan


class _Reading(Cache):
    """A cache that only answers."""

    def __init__(self, cache: Cache) -> None:
        self.get, self.put = cache.get, lambda *_: None  # type: ignore[method-assign]
