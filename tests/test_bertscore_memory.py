"""What BERTScore keeps of texts: encoded once, in bounded memory and on disk."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from bertscores import count_tokens, encoder, ours, real
from tiny import need

import gistmark as gm
from gistmark.models import embedder
from gistmark.models.shelf import Shelf
from gistmark_engine.errors import InputError

small = pytest.fixture(scope="module")(encoder)


def test_references_are_encoded_once_for_all_systems(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = pl.DataFrame(real(30)).unique("references", maintain_order=True)
    two = one.with_columns(pl.col("summary") + " indeed")
    metric = gm.metrics.bertscore(small, layer=2, device="cpu")
    first, both = count_tokens(metric, one), count_tokens(metric, pl.concat([one, two]))
    alone = count_tokens(metric, two.with_columns(references=pl.lit("a")))
    assert first < both <= first + alone
    expected = ours(pl.concat([one, two]), small, layer=2)
    monkeypatch.setitem(embedder.MEMORY, "cpu", 32 * 4 * 400)
    assert count_tokens(metric, pl.concat([one, two])) <= first + alone
    np.testing.assert_allclose(ours(pl.concat([one, two]), small, layer=2), expected, atol=1e-5)


def test_the_shelf_forgets_when_it_is_full() -> None:
    need("torch")
    torch = importlib.import_module("torch")
    shelf = Shelf(10, 2, torch.float32, "cpu")
    lengths = np.array([3, 2])
    starts, missing = shelf.place([b"a", b"b"], lengths, np.array([2]))
    assert (starts.tolist(), missing, len(shelf.table)) == ([0, 3, 5], [0, 1], 7)
    starts, missing = shelf.place([b"b", b"c"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([3, 5, 8], [1])
    starts, missing = shelf.place([b"b", b"d"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([0, 2, 5], [0, 1])
    assert len(shelf.table) <= 10
    assert shelf.place([b"c"], lengths[1:], np.array([1]))[1] == [0]
    starts, _ = shelf.place([b"e"], np.array([12]), np.array([], np.int64))
    assert len(shelf.table) == 12


def test_memory_does_not_grow_with_the_column(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = 32 * 4 * 400
    monkeypatch.setitem(embedder.MEMORY, "cpu", budget)
    largest: list[int] = []
    place = Shelf.place

    def watched(shelf: Shelf, *arguments: Any) -> Any:
        found = place(shelf, *arguments)
        largest.append(shelf.table.nbytes)
        return found

    monkeypatch.setattr(Shelf, "place", watched)
    ours(real(60), small, layer=1)
    assert len(largest) > 5
    assert max(largest) <= budget


def test_references_kept_on_disk_are_not_encoded_again(small: str, tmp_path: Path) -> None:
    data, path = real(20), tmp_path / "deep" / "kept.sqlite"
    metric = gm.metrics.bertscore(small, layer=2, device="cpu", cache=path)
    first, second = count_tokens(metric, data), count_tokens(metric, data)
    only_summaries = count_tokens(gm.metrics.bertscore(small, layer=2, device="cpu"), data | {"references": ["a"] * 20})
    assert second < only_summaries < first
    np.testing.assert_array_equal(ours(data, small, layer=2, cache=path), ours(data, small, layer=2, cache=path))
    np.testing.assert_allclose(ours(data, small, layer=2, cache=path), ours(data, small, layer=2), atol=1e-6)
    np.testing.assert_allclose(ours(data, small, layer=1, cache=path), ours(data, small, layer=1), atol=1e-6)
    with pytest.raises(InputError, match="embeddings cannot be kept in"):
        ours(data, small, layer=2, cache=tmp_path)
