"""What every judge is told beside its own options: whom to ask, how, where replies are kept, what it may cost."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, TypeVar, get_args, get_type_hints

from gistmark.judges.asking import Asker
from gistmark.judges.backends.openai import OpenAI
from gistmark.judges.budget import Budget
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend, Conversation, Options, Reply
from gistmark.judges.policy import Policy
from gistmark_engine.errors import OptionError

Factory = TypeVar("Factory", bound=Callable[..., object])


class Asking(TypedDict, total=False):
    """The options of everything that asks a `backend`: a model; or the address of an OpenAI-compatible server, which
    knows it as `model`; None: a record that can be looked at but not run.

    model     the model's name on that server
    seed, retries, max_tokens   see `Policy`
    cache     True: `default_path()`; a path, or a `Cache`; False: nowhere, and nothing is resumed
    budget    a limit on calls and tokens, which several metrics may share
    """

    model: str
    seed: int
    retries: int
    max_tokens: int
    cache: bool | str | Path | Cache
    budget: Budget | None


class Settings(Asking, total=False):
    """The options that all judge metrics share: those of `Asking`, and `prefix`, put before every column's name."""

    prefix: str


def asker(
    backend: Backend | str | None,
    *,
    model: str = "",
    seed: int = 0,
    retries: int = 3,
    max_tokens: int = 1024,
    cache: bool | str | Path | Cache = True,
    budget: Budget | None = None,
    **policy: Any,
) -> Asker:
    """What asks by the options of `Asking` and the caller's own part of the policy. Raises `OptionError`."""
    rules = Policy(seed=seed, retries=retries, max_tokens=max_tokens, **policy)
    return Asker(_backend(backend, model), rules, _cache(cache), budget or Budget())


def spelled(factory: Factory) -> Factory:
    """`factory` with each option behind its `**settings` in its signature, as help and the command line show it."""
    own, hints = inspect.signature(factory), get_type_hints(factory)
    (shared,) = get_args(hints.pop("settings"))
    kinds = get_type_hints(shared)
    defaults = {name: option.default for name, option in inspect.signature(asker).parameters.items()} | {"prefix": ""}
    kept = [option for option in own.parameters.values() if option.kind is not option.VAR_KEYWORD]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind)
        for name, kind in kinds.items()
    ]
    factory.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    factory.__annotations__ = hints | kinds
    return factory


def _backend(named: Backend | str | None, model: str) -> Backend:
    if isinstance(named, str) and model:
        return OpenAI(model, named)
    if isinstance(named, str) or model:
        raise OptionError(
            "a judge on a server needs both its address as backend and its model; other backends name theirs"
        )
    return NoBackend() if named is None else named


def _cache(kept: bool | str | Path | Cache) -> Cache | None:
    if isinstance(kept, Cache):
        return kept
    if kept is False:
        return None
    return Cache() if kept is True else Cache(kept)


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
