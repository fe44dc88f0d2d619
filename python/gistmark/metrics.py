"""The factories of all metrics: each returns a record (`gistmark_engine.metric.Metric`), made without any argument.

Importing them compiles nothing; kernels, parsers and models load when a metric first runs. A judge's record needs a
`backend` before it can run (see `gistmark.judges`), a neural metric a `model`, `syntax` an extra; their records say so in
`needs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gistmark.models.bertscore import bertscore
from gistmark.models.blanc_help import blanc_help
from gistmark.models.blanc_tune import blanc_tune
from gistmark.models.factcc import factcc
from gistmark.models.summac import summac
from gistmark.models.summaqa import summaqa
from gistmark.models.supert import supert
from gistmark.syntax.metric import syntax
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.bleu import bleu
from gistmark_engine.metrics.chrf import chrf, chrfpp
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.meteor import meteor
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.metrics.ter import ter

if TYPE_CHECKING:
    from gistmark.judges import annotator, factscore, judge, persona, prometheus

__all__ = [
    "abstraction",
    "annotator",
    "bertscore",
    "blanc_help",
    "blanc_tune",
    "bleu",
    "chrf",
    "chrfpp",
    "datastats",
    "factcc",
    "factscore",
    "judge",
    "meteor",
    "persona",
    "prometheus",
    "rouge",
    "summac",
    "summaqa",
    "supert",
    "syntax",
    "ter",
]


def __getattr__(name: str) -> Any:
    """The judges' factories, imported when one is first asked for."""
    if name in __all__:
        return getattr(import_module("gistmark.judges"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
