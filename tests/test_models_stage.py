"""The batched stage: whatever shares a batch, every row gets what the model says of it alone."""

from __future__ import annotations

import importlib
import importlib.metadata
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import tiny

from gistmark.models import packing
from gistmark.models.checkpoint import Checkpoint
from gistmark.models.loading import load
from gistmark.models.pieces import Pieces
from gistmark.models.ragged import Ragged, join
from gistmark.models.shown import width
from gistmark.models.stage import Stage, forward, in_order
from gistmark_engine.errors import GistmarkError

ROWS = st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8)


TEXTS = ["A cat sat.", "", "The quick brown fox jumps over the lazy dog again.", "word " * 300, "a", "Größe 日本"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("models") / "encoder")


@pytest.fixture(scope="module")
def stage(encoder: Path) -> Stage:
    return load(Checkpoint(str(encoder), device="cpu"))


def means(stage: Stage, texts: list[str], **options: Any) -> Any:
    """The mean of each text's hidden states, [texts, width]."""
    inputs = stage.pieces.single(stage.pieces.bodies(texts))
    found = forward(
        stage, inputs, lambda out, shown: (out[0] * shown.mask[..., None]).sum(1) / shown.lengths[:, None], **options
    )
    return in_order(found, len(texts))


@given(rows=ROWS)
@settings(deadline=None)
def test_ragged_rows_are_the_lists_they_came_from(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows)
    assert [ragged[row].tolist() for row in range(len(ragged))] == rows
    order = np.arange(len(rows))[::-1]
    assert [list(row) for row in map(ragged.take(order).__getitem__, range(len(rows)))] == rows[::-1]
    assert [ragged.head(np.full(len(rows), 2))[row].tolist() for row in order] == [rows[row][:2] for row in order]
    joined = join(ragged, Ragged.repeat([7, 8], len(rows)), ragged)
    assert [joined[row].tolist() for row in order] == [rows[row] + [7, 8] + rows[row] for row in order]
    widest = max(map(len, rows), default=0)
    assert ragged.padded(-1).tolist() == [row + [-1] * (widest - len(row)) for row in rows]


def test_inputs_are_what_the_tokenizer_makes(stage: Stage) -> None:
    tokenizer = stage.pieces.tokenizer
    bodies = stage.pieces.bodies(TEXTS)
    single = stage.pieces.single(bodies)
    expected = tokenizer(TEXTS, truncation=True, max_length=128)["input_ids"]
    assert [single.ids[row].tolist() for row in range(len(TEXTS))] == expected
    for cut in ("first", "second"):
        first, second = (TEXTS, TEXTS[::-1]) if cut == "second" else (TEXTS[::-1], TEXTS)
        pairs = stage.pieces.pairs(stage.pieces.bodies(first[:3]), stage.pieces.bodies(second[:3]), cut)
        wanted = tokenizer(first[:3], second[:3], truncation=f"only_{cut}", max_length=128)
        assert [pairs.ids[row].tolist() for row in range(3)] == wanted["input_ids"]
        assert pairs.types is not None
        assert [pairs.types[row].tolist() for row in range(3)] == wanted["token_type_ids"]
    both = stage.pieces.pairs(stage.pieces.bodies(TEXTS[3:4]), stage.pieces.bodies(TEXTS[3:4]))
    assert both.ids.lengths.tolist() == [128]
    heads, lengths = stage.pieces.heads(TEXTS)
    assert lengths.tolist() == bodies.lengths.tolist()
    assert heads.lengths.tolist() == [min(length, 128 - 3 + 1) for length in lengths]


@pytest.mark.parametrize("tokens", [1, 40, 200, 100_000])
def test_batches_change_nothing(stage: Stage, tokens: int) -> None:
    torch = importlib.import_module("torch")
    ids = stage.pieces.tokenizer(TEXTS, truncation=True, max_length=128)["input_ids"]
    with torch.no_grad():
        alone = [stage.models[0](torch.tensor([row]))[0].mean(1)[0].numpy() for row in ids]
    np.testing.assert_allclose(means(replace(stage, tokens=tokens), TEXTS), alone, atol=2e-6)
    order = [3, 1, 5, 0, 2, 4]
    mixed = means(replace(stage, tokens=tokens), [TEXTS[at] for at in order])
    np.testing.assert_allclose(mixed, np.array(alone)[order], atol=2e-6)


def test_several_devices_share_the_inputs(stage: Stage) -> None:
    twice = replace(stage, models=[stage.models[0]] * 2, tokens=64)
    np.testing.assert_allclose(means(twice, TEXTS), means(stage, TEXTS), atol=2e-6)
    assert means(twice, []).shape == (0,)


def test_progress_counts_tokens(stage: Stage) -> None:
    told: list[int] = []
    means(replace(stage, tokens=64), TEXTS, advance=told.append)
    assert sum(told) == stage.pieces.single(stage.pieces.bodies(TEXTS)).ids.lengths.sum()
    assert len(told) > 2


def test_a_batch_that_does_not_fit_is_halved(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = importlib.import_module("torch")
    model, tried = stage.models[0], []
    whole = model.forward

    def small(input_ids: Any, **options: Any) -> Any:
        tried.append(input_ids.numel())
        if input_ids.numel() > 150:
            raise torch.OutOfMemoryError("no memory")
        return whole(input_ids=input_ids, **options)

    expected = means(stage, TEXTS)
    monkeypatch.setattr(model, "forward", small)
    tight = replace(stage, tokens=1024)
    np.testing.assert_allclose(means(tight, TEXTS), expected, atol=2e-6)
    assert max(tried) > 150 >= tight.tokens
    monkeypatch.setattr(model, "forward", lambda **_: small(torch.zeros(151)))
    with pytest.raises(GistmarkError, match="one input of 128 tokens does not fit"):
        means(replace(stage, tokens=1024), TEXTS)


def test_padding_for_a_gpu_is_no_wider_than_the_model(stage: Stage) -> None:
    short = Pieces(stage.pieces.tokenizer, 126)
    gpu = replace(stage, pieces=short, models=[SimpleNamespace(device=SimpleNamespace(type="cuda"))])
    assert [width(gpu, longest) for longest in (1, 8, 9, 125, 126)] == [8, 8, 16, 126, 126]
    assert width(stage, 9) == 9


@pytest.mark.parametrize("family", ["Bert", "Roberta", "Electra"])
def test_packed_texts_get_what_padded_ones_get(tmp_path: Path, family: str, caplog: pytest.LogCaptureFixture) -> None:
    if int(importlib.metadata.version("transformers").split(".")[0]) < 5:
        pytest.skip("transformers before 5 has no attention of one's own for these")
    stage = load(Checkpoint(str(tiny(tmp_path, family=family)), device="cpu"), tokens=300)
    inputs = stage.pieces.single(stage.pieces.bodies(TEXTS))

    def states() -> Any:
        found = {}
        for rows, flat in forward(stage, inputs, lambda out, shown: (out[0].flatten(0, 1), shown.tensor(shown.starts))):
            for row, start in zip(rows.tolist(), flat[1].tolist(), strict=True):
                found[row] = flat[0][start : start + len(inputs.ids[row])]
        return np.concatenate([found[row] for row in range(len(TEXTS))])

    padded = states()
    packing.try_packing(stage)
    assert stage.first == (2 if family == "Roberta" else 0)
    np.testing.assert_allclose(states(), padded, atol=2e-6)
    assert caplog.text == ""


@pytest.mark.parametrize("wrong", ["fails", "differs"])
def test_texts_are_padded_where_packing_is_not_right(
    encoder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, wrong: str
) -> None:
    stage = load(Checkpoint(str(encoder), device="cpu"))
    expected = means(stage, TEXTS)

    def attend(module: Any, query: Any, *_: Any, **__: Any) -> Any:
        if wrong == "fails":
            raise RuntimeError("no such kernel")
        return 1000 * query.transpose(1, 2), None

    monkeypatch.setattr(packing, "attend", attend)
    packing.try_packing(stage)
    assert stage.first is None
    assert "texts are padded, for packing them failed" in caplog.text
    np.testing.assert_allclose(means(stage, TEXTS), expected, atol=1e-7)
