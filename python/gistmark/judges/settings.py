"""What every judge metric is told beside its own options: whom to ask, how, where replies are kept, what it may cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmark.judges.asking import Asker
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.budget import Budget
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend, Conversation, Options, Reply
from gistmark.judges.policy import Policy
from gistmark_engine.errors import OptionError


@dataclass(frozen=True)
class Settings:
    """The options that all judge metrics share.

    backend   the model; or the address of an OpenAI-compatible server, which knows it as `model`; None: a record that
              can be looked at but not run
    model     the model's name on that server
    seed, retries, max_tokens   see `Policy`
    cache     True: `default_path()`; a path, or a `Cache`; False: nowhere, and nothing is resumed
    budget    a limit on calls and tokens, which several metrics may share
    prefix    put before every column's name
    """

    backend: Backend | str | None
    model: str
    seed: int
    retries: int
    max_tokens: int
    cache: bool | str | Path | Cache
    budget: Budget | None
    prefix: str

    def asker(self, **policy: Any) -> Asker:
        """What asks by these settings and the caller's own part of the policy. Raises `OptionError`."""
        rules = Policy(seed=self.seed, retries=self.retries, max_tokens=self.max_tokens, **policy)
        return Asker(self._backend(), rules, self._cache(), self.budget or Budget())

    def _backend(self) -> Backend:
        if isinstance(self.backend, str) and self.model:
            return OpenAI(self.model, self.backend)
        if isinstance(self.backend, str) or self.model:
            raise OptionError(
                "a judge on a server needs both its address as backend and its model; other backends name theirs"
            )
        return NoBackend() if self.backend is None else self.backend

    def _cache(self) -> Cache | None:
        if isinstance(self.cache, Cache):
            return self.cache
        if self.cache is False:
            return None
        return Cache() if self.cache is True else Cache(self.cache)


class NoBackend:
    """Stands where no model was named: it can be described, not asked."""

    model = "none"
    decoding: Mapping[str, object] = {}

    def open(self) -> None:
        """Refuse a job before its first row."""
        raise OptionError(
            "no model was named: give a judge its backend, such as judges.OpenAI('model', 'http://localhost:8000/v1'), "
            "on the command line --set judge.backend=http://localhost:8000/v1 --set judge.model=MODEL"
        )

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        self.open()
        return iter(())
