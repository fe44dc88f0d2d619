"""Where every judge metric becomes a record: one place for settings, signature and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gistmark.judges.asking import Asker
from gistmark.judges.budget import Budget
from gistmark.judges.cache import Cache
from gistmark.judges.contract import Backend
from gistmark.judges.policy import Policy
from gistmark.judges.stage import Score, Settings, Stage
from gistmark.judges.template import Template
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field, Metric

_POLICY = ("seed", "retries", "max_tokens")


def judge_metric(
    name: str,
    backend: Backend,
    templates: Sequence[Template],
    inputs: tuple[str, ...],
    fields: Mapping[str, Field],
    score: Score,
    cite: Citation,
    settings: Settings,
    *,
    optional: tuple[str, ...] = (),
    options: Mapping[str, object] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> Metric:
    """A metric that asks `backend`; `policy` are the settings of `Policy` that the metric itself fixes."""
    asker = make_asker(name, backend, settings, policy or {})
    used = {"model": backend.model, "templates": [template.label for template in templates]}
    decoding = {key: value for key, value in backend.decoding.items() if value is not None}
    return Metric(
        name=name,
        inputs=inputs,
        optional=optional,
        fields=fields,
        run=Stage(asker, score),
        cite=cite,
        options={**decoding, **asker.policy.signature(), **used, **(options or {})},
        prefix=settings.get("prefix", ""),
    )


def make_asker(name: str, backend: Backend, settings: Settings, policy: Mapping[str, Any]) -> Asker:
    """What asks `backend` by a user's settings and the caller's own part of the policy."""
    if unknown := set(settings) - {*_POLICY, "cache", "budget", "prefix"}:
        raise OptionError(f"{name} has no option {sorted(unknown)}")
    chosen = {key: value for key, value in settings.items() if key in _POLICY}
    return Asker(backend, Policy(**chosen, **policy), _cache(settings), settings.get("budget") or Budget())  # type: ignore[arg-type]


def _cache(settings: Settings) -> Cache | None:
    chosen = settings.get("cache", ...)
    if chosen is ... or chosen is None or isinstance(chosen, Cache):
        return Cache() if chosen is ... else chosen
    return Cache(chosen)
