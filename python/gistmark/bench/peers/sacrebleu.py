"""sacreBLEU's sentence scores: BLEU, chrF and TER."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, Values, load
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.bleu import bleu
from gistmark_engine.metrics.chrf import chrf
from gistmark_engine.metrics.ter import ter

CACHES = {
    "sacrebleu.tokenizers.tokenizer_13a": "Tokenizer13a",
    "sacrebleu.tokenizers.tokenizer_re": "TokenizerRegexp",
    "sacrebleu.tokenizers.tokenizer_ter": "TercomTokenizer",
}
"""Classes whose calls remember 65,536 texts: emptied at each call, or a second round would not tokenise at all."""

LAST_BITS = 1e-15 if sys.version_info >= (3, 12) else 0.0
"""Python's `sum` compensates rounding from 3.12 on, which can move the last bits of the BLEU that sacreBLEU takes from it."""


def sacrebleu() -> Peer:
    """BLEU of each row, its default tokenizer, with the effective order as in its `sentence_bleu`."""
    return _peer("sacrebleu", bleu(parity="reference"), "BLEU", {"effective_order": True}, LAST_BITS)


def sacrebleu_chrf() -> Peer:
    """chrF of each row."""
    return _peer("sacrebleu_chrf", chrf(parity="reference"), "CHRF", {})


def sacrebleu_ter() -> Peer:
    """TER of each row."""
    return _peer("sacrebleu_ter", ter(parity="reference"), "TER", {})


def _peer(name: str, metric: Metric, scorer: str, options: Mapping[str, bool], tolerance: float = 0.0) -> Peer:
    return Peer(
        name=name,
        metric=metric,
        roles=("summary", "references"),
        start=partial(_start, scorer, options),
        values=partial(_values, metric.name),
        distribution="sacrebleu",
        tolerance=tolerance,
    )


def _start(scorer: str, options: Mapping[str, bool]) -> Call:
    score = getattr(load("sacrebleu.metrics", "sacrebleu"), scorer)(**options).sentence_score
    calls = [getattr(load(module, "sacrebleu"), name).__call__ for module, name in CACHES.items()]
    return partial(_score, score, [call.cache_clear for call in calls])


def _score(score: Any, forget: Sequence[Any], texts: Texts) -> list[Any]:
    for clear in forget:
        clear()
    return [score(summary, row) for summary, row in zip(texts["summary"], texts["references"], strict=True)]


def _values(field: str, scores: Sequence[Any]) -> Values:
    return {field: [score.score for score in scores]}
