"""Where every judge metric becomes a record: one place for signature and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gistmark.judges.contract import Backend
from gistmark.judges.settings import Settings, asker
from gistmark.judges.stage import Score, Stage
from gistmark.judges.template import Template
from gistmark_engine.metric import Citation, Field, Metric


def judge_metric(
    name: str,
    backend: Backend | str | None,
    settings: Settings,
    templates: Sequence[Template],
    inputs: tuple[str, ...],
    fields: Mapping[str, Field],
    score: Score,
    cite: Citation,
    *,
    optional: tuple[str, ...] = (),
    options: Mapping[str, object] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> Metric:
    """A metric that asks `backend` by `settings`; `policy` are those of `Policy` that the metric itself fixes."""
    prefix = settings.pop("prefix", "")
    asking = asker(backend, **settings, **(policy or {}))
    used = {"model": asking.backend.model, "templates": [template.label for template in templates]}
    decoding = {key: value for key, value in asking.backend.decoding.items() if value is not None}
    return Metric(
        name=name,
        inputs=inputs,
        optional=optional,
        fields=fields,
        run=Stage(prefix + name, asking, score),
        cite=cite,
        options={**decoding, **asking.policy.signature(), **used, **(options or {})},
        prefix=prefix,
        needs="backend",
    )
