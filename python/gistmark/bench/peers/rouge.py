"""`rouge_score` and the two libraries that share its interface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gistmark.bench.peer import Call, Peer, Texts, Values, load
from gistmark_engine.metrics.rouge import rouge

TYPES = ("1", "2", "L")


def rouge_score(types: tuple[str, ...] = TYPES, stem: bool = False) -> Peer:
    """Google's Python implementation, what most people run."""
    return _peer("rouge_score", "rouge-score", types, stem)


def rouge_score_rs(types: tuple[str, ...] = TYPES, stem: bool = False) -> Peer:
    """The same in Rust; pairs with one reference go through its batch call, which uses RAYON_NUM_THREADS threads."""
    return _peer("rouge_score_rs", "rouge-score-rs", types, stem, threads=True)


def rapidrouge(types: tuple[str, ...] = TYPES, stem: bool = False) -> Peer:
    """The same in Python with a bit-parallel ROUGE-L."""
    return _peer("rapidrouge", "rapidrouge", types, stem)


def _peer(name: str, distribution: str, types: tuple[str, ...], stem: bool, threads: bool = False) -> Peer:
    return Peer(
        name=name,
        metric=rouge(types, stem=stem, parity="reference"),
        roles=("summary", "references"),
        start=partial(_start, name, distribution, types, stem),
        values=partial(_values, types),
        distribution=distribution,
        threads=threads,
    )


def _start(name: str, distribution: str, types: tuple[str, ...], stem: bool) -> Call:
    module = load(f"{name}.rouge_scorer", distribution)
    return partial(_score, module.RougeScorer([f"rouge{kind}" for kind in types], use_stemmer=stem))


def _score(scorer: Any, texts: Texts) -> list[Any]:
    """The quickest call there is: a batch where each row has one reference, else pair by pair."""
    summaries, references = texts["summary"], texts["references"]
    if any(len(row) > 1 for row in references):
        return [scorer.score_multi(row, summary) for row, summary in zip(references, summaries, strict=True)]
    targets = [row[0] for row in references]
    if hasattr(scorer, "score_batch"):
        scores: list[Any] = scorer.score_batch(targets, summaries)
        return scores
    return [scorer.score(target, summary) for target, summary in zip(targets, summaries, strict=True)]


def _values(types: Sequence[str], scores: Sequence[Any]) -> Values:
    return {
        f"rouge{kind}_{part}": [row[f"rouge{kind}"][place] for row in scores]
        for kind in types
        for place, part in enumerate(("p", "r", "f1"))
    }
