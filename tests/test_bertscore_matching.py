"""Weights, windows and the greedy match of BERTScore."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from bertscores import Theirs, bert_score, encoder
from tiny import need

from gistmark.models import matching
from gistmark.models.checkpoint import Checkpoint
from gistmark.models.loading import load
from gistmark.models.matching import Embedded, match
from gistmark.models.ragged import Ragged
from gistmark.models.weights import Rarity, shares
from gistmark.models.windows import single, windowed

small, theirs = (pytest.fixture(scope="module")(make) for make in (encoder, bert_score))


def test_rarity_counts_every_reference_once() -> None:
    the, cat, dog, sat, unseen = range(5)
    rarity = Rarity(5)
    rarity.add(Ragged.of([[the, cat, the]]), np.array([1]))
    rarity.add(Ragged.of([[the, dog], [the, cat, sat]]), np.array([1, 1]))
    expected = [0.0, 0.28768207245178085, 0.6931471805599453, 0.6931471805599453, 1.3862943611198906]
    np.testing.assert_allclose(rarity.weights(), expected, atol=1e-12)
    again = Rarity(5)
    again.add(Ragged.of([[the, dog], [cat]]), np.array([3, 0]))
    assert again.texts == 3
    assert again.counts.tolist() == [3, 0, 3, 0, 0]
    portions, none = shares(Ragged.of([[the], [cat, dog], []]), rarity.weights())
    np.testing.assert_allclose(portions, [0, 0.28768207 / 0.98082925, 0.69314718 / 0.98082925], atol=1e-6)
    assert none.tolist() == [True, False, True]
    assert unseen == 4


def vectors() -> tuple[Any, Any]:
    """Two texts as unit vectors, [2, 4] and [5, 4]."""
    a = [[0.017891067, 0.715642693, 0.644604631, -0.26836601], [-0.357567975, -0.632343294, 0.683938667, -0.067193974]]
    b = [
        [0.294493642, -0.728152284, 0.617766448, -0.037846572],
        [0.742303672, -0.149552357, -0.413725135, 0.505421471],
        [0.748196916, -0.184101787, -0.138756519, 0.622137072],
        [-0.455044696, -0.791882378, 0.2066008, -0.35095976],
        [-0.784407647, -0.332556159, -0.191199364, -0.48739496],
    ]
    return np.array(a, np.float32), np.array(b, np.float32)


def scores_of(texts: list[Any], zero: bool) -> Any:
    """Precision and recall of text 0 against text 1, with the others beside them as further pairs."""
    torch = importlib.import_module("torch")
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum(lengths) - lengths
    weights = np.concatenate([np.full(size, 1 / size, np.float32) for size in lengths])
    table = torch.from_numpy(np.concatenate(texts))
    right = np.arange(1, len(texts))
    return match(Embedded(table, starts, lengths, torch.from_numpy(weights), starts), right * 0, right, zero)[0]


def test_padding_takes_no_part_in_the_match(theirs: Theirs) -> None:
    need("torch")
    a, b = vectors()
    alone = scores_of([a, b], zero=False)
    np.testing.assert_allclose(alone, [0.3604396596843759, 0.24513675285835843], atol=1e-6)
    np.testing.assert_allclose(scores_of([a, b, np.concatenate([b, b])], zero=False), alone, atol=1e-7)
    torch = importlib.import_module("torch")
    three = np.concatenate([a, a[:1]])  # bert_score takes a text of two tokens for an empty one
    padded = [
        torch.nn.functional.pad(torch.from_numpy(text), (0, 0, 0, 8 - len(text)), value=2.0) for text in (b, three)
    ]
    masks = [torch.arange(8)[None] < len(text) for text in (b, three)]
    ones = [mask.float() for mask in masks]
    greedy = importlib.import_module("bert_score.utils").greedy_cos_idf
    expected = [
        float(part) for part in greedy(padded[0][None], masks[0], ones[0], padded[1][None], masks[1], ones[1])[:2]
    ]
    np.testing.assert_allclose(scores_of([three, b], zero=True), expected, atol=1e-6)
    assert expected[1] > scores_of([three, b], zero=False)[1] + 0.01


@pytest.mark.parametrize("zero", [False, True])
def test_a_pair_too_large_for_a_batch_is_matched_in_parts(monkeypatch: pytest.MonkeyPatch, zero: bool) -> None:
    need("torch")
    rng = np.random.default_rng(0)
    made = [rng.standard_normal((size, 4)).astype(np.float32) for size in (37, 50, 3)]
    texts = [text / np.linalg.norm(text, axis=1, keepdims=True) for text in made]
    best = (texts[0].astype(float) @ texts[1].T.astype(float)).clip(0 if zero else -1)
    expected = [best.max(1).mean(), best.max(0).mean()]
    torch, largest = importlib.import_module("torch"), []
    amax = torch.Tensor.amax
    monkeypatch.setattr(torch.Tensor, "amax", lambda one, axis: largest.append(one.numel()) or amax(one, axis))
    np.testing.assert_allclose(scores_of(texts, zero), expected, atol=1e-6)
    assert max(largest) == 37 * 50 + 37 * 50
    largest.clear()
    monkeypatch.setitem(matching.CELLS, "cpu", 121)
    np.testing.assert_allclose(scores_of(texts, zero), expected, atol=1e-6)
    assert max(largest) <= 121


@pytest.mark.parametrize("words", [1, 60, 126, 127, 189, 190, 400])
def test_windows_take_each_token_where_it_stands_most_in_the_middle(small: str, words: int) -> None:
    pieces = load(Checkpoint(small, device="cpu")).pieces
    bodies = Ragged.of([range(1000, 1000 + words), range(500)])
    parts = windowed(pieces, bodies)
    assert parts.inputs.ids.lengths.max() <= pieces.limit
    whole = single(pieces, Ragged.of([[]])).whole[0].tolist()
    expected = [whole[0], *range(1000, 1000 + words), whole[1]]
    assert parts.whole[0].tolist() == expected
    taken: list[int] = []
    for row in np.flatnonzero(parts.text == 0):
        skip, keep = int(parts.skip[row]), int(parts.keep[row])
        assert parts.at[row] == len(taken)
        taken += parts.inputs.ids[row][skip : skip + keep].tolist()
        inner = row > 0 and parts.text[row + 1] == 0
        assert not inner or min(skip, len(parts.inputs.ids[row]) - skip - keep) >= pieces.room // 4 - 1
    assert taken == expected
