"""`rouge-rust` (module `fast_rouge`): ROUGE-1, 2 and L in Rust, one reference a pair."""

from __future__ import annotations

from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, Values, load
from gistmark_engine.metrics.rouge import rouge

PARTS = {"p": "precision", "r": "recall", "f1": "fmeasure"}


def rouge_rust() -> Peer:
    """Its column call, the quickest it has; of several references only the first is read, on both sides."""
    return Peer(
        name="rouge_rust",
        metric=rouge(multi="first", parity="reference"),
        roles=("summary", "references"),
        start=_start,
        values=_values,
        distribution="rouge-rust",
        threads=True,
    )


def _start() -> Call:
    return partial(_score, load("fast_rouge", "rouge-rust"))


def _score(module: Any, texts: Texts) -> Any:
    return module.score_batch_flat([row[0] for row in texts["references"]], texts["summary"])


def _values(scores: Any) -> Values:
    return {
        f"rouge{kind}_{part}": getattr(scores, f"rouge{kind}_{name}")
        for kind in ("1", "2", "L")
        for part, name in PARTS.items()
    }
