"""BLANC-tune against the package blanc, run on the same tiny model, which was taught one document here."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import polars as pl
import pytest
from blancs import blanc
from trained import SOURCE, SUMMARY, trained

import gistmark as gm
from gistmark_engine.errors import OptionError

DOCUMENT = "\n".join(SOURCE)
DATA = {
    "summary": [" ".join(SOURCE[1::2]), SUMMARY, " ".join(SOURCE[1::2]), "", SUMMARY],
    "source": [DOCUMENT, DOCUMENT, "\n".join(SOURCE[1:2]), DOCUMENT, "A b c."],
}
QUICK = {"epochs": 5, "learning_rate": 0.01, "split": "newline", "device": "cpu"}


@pytest.fixture(scope="module")
def model() -> str:
    return trained()


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def ours(data: Any, model: str, **options: Any) -> pl.DataFrame:
    return gm.score(pl.DataFrame(data), [gm.metrics.blanc_tune(model, **(QUICK | options))])


@pytest.mark.parametrize("seed", [1, 7])
def test_equal_to_blanc(monkeypatch: pytest.MonkeyPatch, model: str, seed: int) -> None:
    torch = importlib.import_module("torch")
    module = blanc(monkeypatch, lines)
    size = {"gap": 3, "measure": "improve"} if seed == 7 else {}
    scorer = module.BlancTune(
        model,
        finetune_epochs=5,
        learning_rate=0.01,
        finetune_chunk_size=20,
        finetune_chunk_stride=8,
        random_seed=seed,
        inference_batch_size=8,
        show_progress_bar=False,
        **size,
    )
    with torch.random.fork_rng():
        expected = scorer.eval_pairs(DATA["source"], DATA["summary"])
    found = ours(DATA, model, chunk=20, stride=8, seed=seed, parity="reference", **size)
    assert found["blanc_tune"].to_list() == pytest.approx(expected, abs=1e-12)
    assert any(expected)


def test_status_nulls_and_batches(model: str) -> None:
    told: list[tuple[int, int]] = []
    metric = gm.metrics.blanc_tune(model, **(QUICK | {"epochs": 1}))
    metric.run.watch(lambda *counts: told.append(counts))  # type: ignore[attr-defined]
    found = gm.score(pl.DataFrame(DATA), [metric])
    assert sum(count for count, _ in told) == sum(done for _, done in told) > 0
    assert found["blanc_tune"][3:].to_list() == [0, None]
    assert found["blanc_tune_status"].to_list() == ["ok", "ok", "ok", "empty_summary", "undefined"]
    order = [4, 2, 0, 3, 1]
    mixed = ours(pl.DataFrame(DATA)[order], model, epochs=1, batch_tokens=1)
    assert mixed["blanc_tune"].to_list() == found["blanc_tune"][order].to_list()
    data = {"summary": [None, "x", "", "x"], "source": [DOCUMENT, None, " ", "ships " * 200]}
    assert ours(data, model, epochs=1)["blanc_tune_status"].to_list() == [None, None, "empty_source", "truncated"]


def test_a_chunk_is_no_longer_than_the_model_takes(model: str) -> None:
    data = {"summary": ["Ships waited outside. " * 60], "source": [DOCUMENT]}
    longest = ours(data, model, chunk=126, stride=400)["blanc_tune"].to_list()
    assert ours(data, model, chunk=500, stride=400)["blanc_tune"].to_list() == longest


def test_nobody_elses_random_numbers_are_drawn(model: str) -> None:
    torch, random = importlib.import_module("torch"), importlib.import_module("random")
    before = torch.random.get_rng_state().tolist(), random.getstate()
    ours({"summary": [SUMMARY], "source": [DOCUMENT]}, model, epochs=1)
    assert (torch.random.get_rng_state().tolist(), random.getstate()) == before


def test_options_are_checked(model: str) -> None:
    for name in ("epochs", "chunk", "stride"):
        with pytest.raises(OptionError, match=f"blanc_tune: {name} must be at least 1, not 0"):
            gm.metrics.blanc_tune(**{name: 0})
    with pytest.raises(OptionError, match="seed must be at least 0"):
        gm.metrics.blanc_tune(seed=-1)
    metric = gm.metrics.blanc_tune(model, device="cpu")
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature
    assert "|dtype:float32|epochs:10|" in metric.signature
