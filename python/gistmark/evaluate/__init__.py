"""Metrics under the interface of Hugging Face's `evaluate`, which need not be installed:

    from gistmark import evaluate

    evaluate.load("rouge").compute(predictions=["A cat sat."], references=["The cat sat."])

`rouge`, `sacrebleu`, `chrf`, `ter` and `meteor` take the options and return the keys and values of the metrics of these
names there; every other metric of texts takes the options of its factory and returns its fields, condensed over rows.
Rows, instead, in a `datasets.Dataset`: `dataset.map(functools.partial(gistmark.score, metrics=["rouge"]), batched=True)`.
"""

from collections.abc import Callable, Mapping
from functools import partial

from gistmark import metrics as factories
from gistmark.catalogue import catalogue
from gistmark.evaluate import bridges
from gistmark.evaluate.evaluation import Evaluation, Found
from gistmark.near import near
from gistmark_engine.errors import OptionError

__all__ = ["Evaluation", "load"]

BRIDGES: Mapping[str, Callable[..., Found]] = {
    "rouge": bridges.rouge,
    "sacrebleu": bridges.sacrebleu,
    "chrf": bridges.chrf,
    "ter": bridges.ter,
    "meteor": bridges.meteor,
}


def load(name: str) -> Evaluation:
    """The metric `name` as an object with `compute`, `add` and `add_batch`; nothing is fetched.

    Values equal those of evaluate 0.4 where it has the metric, but that `rouge` with its aggregator is the mean of the
    rows, not the median of unseeded bootstrap means. Raises OptionError for an unknown name.
    """
    if name in BRIDGES:
        return Evaluation(name, BRIDGES[name], references=True)
    if name == "bleu":
        raise OptionError(
            "evaluate's bleu is a BLEU of its own, 0 to 1 and by the shortest reference; load('sacrebleu') is sacreBLEU's"
        )
    known = sorted({*BRIDGES, *(key for key, metric in catalogue().items() if not metric.needs and key != "bleu")})
    if name not in known:
        raise OptionError(f"unknown metric {name!r}{near(name, known)}; there are {', '.join(known)}")
    return Evaluation(name, partial(bridges.fields, getattr(factories, name)))
