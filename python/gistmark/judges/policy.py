"""How often, how warm and with which seed a question is asked before it is given up."""

from __future__ import annotations

from dataclasses import dataclass

from gistmark.judges.contract import Options
from gistmark_engine.errors import OptionError

_TOP_LOGPROBS = 20
_MOST_GROWTH = 4
_SAMPLE_STRIDE = 1000


@dataclass(frozen=True)
class Policy:
    """The settings of a judge that change its numbers.

    seed         base of every seed; attempt k of sample i uses seed + 1000·i + k
    retries      further attempts after a reply that cannot be read, at `warmth` instead of temperature 0
    max_tokens   limit of a reply; doubled, up to fourfold, after a reply that it cut
    samples      replies a question, each judged by itself; above 1 they are drawn at `sample_warmth`
    logprobs     ask for token log-probabilities
    """

    seed: int = 0
    retries: int = 3
    max_tokens: int = 1024
    warmth: float = 0.7
    samples: int = 1
    sample_warmth: float = 1.0
    logprobs: bool = False

    def __post_init__(self) -> None:
        for name, least in (("retries", 0), ("max_tokens", 1), ("samples", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} must be at least {least}, not {getattr(self, name)}")

    @property
    def attempts(self) -> int:
        return self.retries + 1

    def options(self, attempt: int, sample: int, cuts: int) -> Options:
        """How attempt `attempt` (from 1) of a sample is decoded after `cuts` replies that were cut short."""
        first = self.sample_warmth if self.samples > 1 else 0.0
        return Options(
            temperature=first if attempt == 1 else max(first, self.warmth),
            seed=self.seed + _SAMPLE_STRIDE * sample + attempt,
            max_tokens=self.max_tokens * min(2**cuts, _MOST_GROWTH),
            top_logprobs=_TOP_LOGPROBS if self.logprobs else 0,
        )

    def signature(self) -> dict[str, object]:
        """What of the policy enters a metric's signature."""
        return {"seed": self.seed, "retries": self.retries, "max_tokens": self.max_tokens, "samples": self.samples}
