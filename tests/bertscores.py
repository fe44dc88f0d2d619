"""What tests of BERTScore share: pairs, an encoder, the package bert_score."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from tiny import kept, minilm, need

import gistmark as gm
from gistmark_datasets import scitldr_sample

CATS = ["The cat sat on the mat.", "A cat was sitting on the mat."]
GOLDEN = {  # printed by bert_score 0.3.12 with torch 2.13.0
    "summary": [
        CATS[0],
        "Profits at the bank rose by ten percent last year.",
        "He did not attend the meeting in Paris on Monday.",
    ],
    "references": [
        CATS[1],
        "The bank's annual profit increased 10%.",
        "Officials met in Berlin to discuss the new trade agreement.",
    ],
}
FIELDS = ["bertscore_p", "bertscore_r", "bertscore_f1"]
Theirs = Callable[..., Any]


def encoder() -> str:
    """A tiny encoder of two layers and 128 positions."""
    minilm()
    return str(kept("Model"))


def bert_score() -> Theirs:
    """bert_score's precision, recall and F1, float32 (rows, 3)."""
    need("bert_score")
    package = importlib.import_module("bert_score")
    utils = importlib.import_module("bert_score.utils")
    encode = utils.sent_encode

    def encode_empty_too(tokenizer: Any, text: str) -> Any:  # its own way does so on transformers before 5 only
        return encode(tokenizer, text) if text.strip() else tokenizer("")["input_ids"]

    utils.sent_encode = encode_empty_too

    def run(data: dict[str, Any], model: str, layer: int, **options: Any) -> Any:
        scores = package.score(
            data["summary"], data["references"], model_type=model, num_layers=layer, device="cpu", nthreads=0, **options
        )
        return np.stack([part.numpy() for part in scores], 1)

    return run


def ours(data: Any, model: str, **options: Any) -> Any:
    """The three scores, float64 (rows, 3), NaN for null."""
    scored = gm.score(pl.DataFrame(data), [gm.metrics.bertscore(model, device="cpu", **options)])
    return scored.select(FIELDS).fill_null(float("nan")).to_numpy()


def statuses(data: Any, model: str, **options: Any) -> list[str | None]:
    scored = gm.score(pl.DataFrame(data), [gm.metrics.bertscore(model, device="cpu", **options)])
    found: list[str | None] = scored["bertscore_status"].to_list()
    return found


def real(rows: int) -> dict[str, Any]:
    """Real summaries of scientific papers, each with one to several references."""
    frame = pl.read_parquet(scitldr_sample())
    some = frame.filter(pl.col("references").list.len() > 1).head(rows // 2)
    return pl.concat([some, frame.head(rows - some.height)]).select("summary", "references").to_dict(as_series=False)


def count_tokens(metric: Any, data: Any) -> int:
    """Tokens that scoring `data` encodes."""
    told: list[tuple[int, int]] = []
    metric.run.watch(lambda needed, done: told.append((needed, done)))
    gm.score(pl.DataFrame(data), [metric])
    needed, done = map(sum, zip(*told, strict=True))
    assert needed == done
    return int(needed)
