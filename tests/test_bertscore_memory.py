"""What BERTScore keeps of texts: encoded once, in bounded memory."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import polars as pl
import pytest
from bertscores import count_tokens, encoder, ours, real
from tiny import need

import gistmark as gm
from gistmark.models import embedder
from gistmark.models.shelf import Shelf

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


@pytest.mark.parametrize(("device", "sizes"), [("cpu", [10, 10, 10, 12, 10]), ("meta", [7, 10, 10, 12, 10])])
def test_the_shelf_forgets_when_it_is_full(device: str, sizes: list[int]) -> None:
    need("torch")
    torch = importlib.import_module("torch")
    shelf = Shelf(10, 2, torch.float32, device)
    lengths, none, found = np.array([3, 2]), np.array([], np.int64), []
    starts, missing = shelf.place([b"a", b"b"], lengths, np.array([2]))
    assert (starts.tolist(), missing) == ([0, 3, 5], [0, 1])
    found.append(len(shelf.table))
    starts, missing = shelf.place([b"b", b"c"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([3, 5, 8], [1])
    found.append(len(shelf.table))
    starts, missing = shelf.place([b"b", b"d"], lengths[::-1], np.array([1]))
    assert (starts.tolist(), missing) == ([0, 2, 5], [0, 1])
    found.append(len(shelf.table))
    assert shelf.place([b"c"], lengths[1:], np.array([1]))[1] == [0]
    shelf.place([b"e"], np.array([12]), none)
    found.append(len(shelf.table))
    assert shelf.place([b"f"], np.array([9]), none)[1] == [0]
    assert [*found, len(shelf.table)] == sizes


def test_the_shelf_keeps_what_lies_on_it_when_it_grows() -> None:
    need("torch")
    torch = importlib.import_module("torch")
    shelf = Shelf(4, 1, torch.float32, "cpu")
    shelf.place([b"a"], np.array([4]), np.array([], np.int64))
    shelf.table[:, 0] = torch.arange(4.0)
    shelf.capacity = 8
    shelf.place([b"a", b"b"], np.array([4, 3]), np.array([], np.int64))
    assert shelf.table[:4, 0].tolist() == [0, 1, 2, 3]


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
