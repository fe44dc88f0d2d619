"""`rouge-metric`: ROUGE in Python after the Perl program, given the tokens of `rouge_score`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, Values, load
from gistmark_engine.metrics.rouge import rouge

KEYS = {"1": "rouge-1", "2": "rouge-2", "L": "rouge-l"}
PARTS = {"p": "p", "r": "r", "f1": "f"}


def rouge_metric() -> Peer:
    """Its rule for several references, the best recall, is another: only the first is read, on both sides."""
    return Peer(
        name="rouge_metric",
        metric=rouge(multi="first", parity="reference"),
        roles=("summary", "references"),
        start=_start,
        values=_values,
        distribution="rouge-metric",
    )


def _start() -> Call:
    scorer = load("rouge_metric", "rouge-metric").PyRouge(rouge_n=(1, 2), rouge_l=True)
    return partial(_score, scorer)


def _score(scorer: Any, texts: Texts) -> list[Any]:
    cut = re.compile("[a-z0-9]+").findall
    return [
        scorer.evaluate_tokenized([[cut(summary.lower())]], [[[cut(row[0].lower())]]])
        for summary, row in zip(texts["summary"], texts["references"], strict=True)
    ]


def _values(scores: Sequence[Mapping[str, Mapping[str, float]]]) -> Values:
    return {
        f"rouge{kind}_{part}": [row[key][name] for row in scores]
        for kind, key in KEYS.items()
        for part, name in PARTS.items()
    }
