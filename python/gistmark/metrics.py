"""The factories of all metrics: each returns a record (`gistmark_engine.metric.Metric`), made without any argument.

Importing them compiles nothing; kernels, parsers and models load when a metric first runs. A judge's record needs a
`backend` before it can run (see `gistmark.judges`), a neural metric a `model`, `syntax`, `entities` and `readability` an
extra; their records say so in `needs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gistmark.entities.metric import entities
    from gistmark.judges import annotator, factscore, judge, persona, prometheus
    from gistmark.models.bertscore import bertscore
    from gistmark.models.blanc_help import blanc_help
    from gistmark.models.blanc_tune import blanc_tune
    from gistmark.models.factcc import factcc
    from gistmark.models.summac import summac
    from gistmark.models.summaqa import summaqa
    from gistmark.models.supert import supert
    from gistmark.readability.metric import readability
    from gistmark.syntax.metric import syntax
    from gistmark_engine.metrics.abstraction import abstraction
    from gistmark_engine.metrics.bleu import bleu
    from gistmark_engine.metrics.chrf import chrf, chrfpp
    from gistmark_engine.metrics.datastats import datastats
    from gistmark_engine.metrics.meteor import meteor
    from gistmark_engine.metrics.meteor15 import meteor15
    from gistmark_engine.metrics.rouge import rouge
    from gistmark_engine.metrics.ter import ter

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
    "entities",
    "factcc",
    "factscore",
    "judge",
    "meteor",
    "meteor15",
    "persona",
    "prometheus",
    "readability",
    "rouge",
    "summac",
    "summaqa",
    "supert",
    "syntax",
    "ter",
]


_NEURAL = ("bertscore", "blanc_help", "blanc_tune", "factcc", "summac", "summaqa", "supert")
_HOMES = {
    **dict.fromkeys(("annotator", "factscore", "judge", "persona", "prometheus"), "gistmark.judges"),
    **{name: f"gistmark.models.{name}" for name in _NEURAL},
    **{name: f"gistmark.{name}.metric" for name in ("entities", "readability", "syntax")},
    "chrfpp": "gistmark_engine.metrics.chrf",
}


def __getattr__(name: str) -> Any:
    """A factory, imported when it is first asked for: few programs use many metrics."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    factory = getattr(import_module(_HOMES.get(name, f"gistmark_engine.metrics.{name}")), name)
    globals()[name] = factory
    return factory
