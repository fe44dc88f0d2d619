"""The batched stage: whatever shares a batch, every row gets what the model says of it alone."""

from __future__ import annotations

import importlib
import importlib.metadata
import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import FAMILIES, minilm, need, tiny

from gistmark.models import packing
from gistmark.models.checkpoint import Checkpoint
from gistmark.models.linear import quicken
from gistmark.models.loading import load
from gistmark.models.ragged import Ragged, join
from gistmark.models.run import Run
from gistmark.models.stage import Stage, forward, in_order
from gistmark.models.texts import read
from gistmark_engine.errors import GistmarkError, InputError, OptionError
from gistmark_engine.metric import Batch

ROWS = st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8)
TEXTS = ["A cat sat.", "", "The quick brown fox jumps over the lazy dog again.", "word " * 300, "a", "Größe 日本"]
NESTED = [["a", None], None, [], ["b", "c"], [None], ["", "a"]]


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
    assert single.truncated.tolist() == [len(text) > 1000 for text in TEXTS]
    for cut in ("first", "second"):
        first, second = (TEXTS, TEXTS[::-1]) if cut == "second" else (TEXTS[::-1], TEXTS)
        pairs = stage.pieces.pairs(stage.pieces.bodies(first[:3]), stage.pieces.bodies(second[:3]), cut)
        wanted = tokenizer(first[:3], second[:3], truncation=f"only_{cut}", max_length=128)
        assert [pairs.ids[row].tolist() for row in range(3)] == wanted["input_ids"]
        assert pairs.types is not None
        assert [pairs.types[row].tolist() for row in range(3)] == wanted["token_type_ids"]
    both = stage.pieces.pairs(stage.pieces.bodies(TEXTS[3:4]), stage.pieces.bodies(TEXTS[3:4]))
    assert both.ids.lengths.tolist() == [128]
    assert both.truncated.all()


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


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_layers_above_the_one_needed_are_dropped(encoder: Path, layer: int) -> None:
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    short = load(Checkpoint(str(encoder), device="cpu"), layer=layer)
    assert len(short.models[0].encoder.layer) == layer
    ids = torch.tensor([[101, 1037, 4937, 102]])
    with torch.no_grad():
        states = transformers.AutoModel.from_pretrained(encoder)(ids, output_hidden_states=True)[2]
        np.testing.assert_allclose(short.models[0](ids)[0], states[layer], atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("layer", [1, 2])
def test_any_family_is_shortened_as_bert_score_does(tmp_path: Path, family: str, layer: int) -> None:
    need("bert_score")
    torch = importlib.import_module("torch")
    folder = tiny(tmp_path / family.lower(), family=family)
    ours = load(Checkpoint(str(folder), device="cpu"), layer=layer).models[0]
    theirs = importlib.import_module("bert_score.utils").get_model(str(folder), layer)
    ids = torch.tensor([[101, 1037, 4937, 102, 0], [101, 1037, 4937, 2938, 102]])
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    with torch.no_grad():
        found, expected = (model(ids, attention_mask=mask)[0][mask.bool()] for model in (ours, theirs))
        np.testing.assert_allclose(found, expected, atol=1e-6)
        quicken(ours)
        np.testing.assert_allclose(ours(ids, attention_mask=mask)[0][mask.bool()], expected, atol=1e-5)


def test_linear_layers_are_left_alone_without_onednn(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = importlib.import_module("torch")
    model = load(Checkpoint(str(encoder), device="cpu")).models[0]
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    quicken(model)
    assert sum(type(layer) is torch.nn.Linear for layer in model.modules()) > 10
    monkeypatch.undo()
    quicken(model)
    assert not any(type(layer) is torch.nn.Linear for layer in model.modules())


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


@pytest.mark.parametrize(
    ("head", "task"),
    [
        ("ForMaskedLM", "masked_lm"),
        ("ForQuestionAnswering", "question_answering"),
        ("ForSequenceClassification", "classification"),
    ],
)
def test_heads_load_where_their_weights_are(tmp_path: Path, encoder: Path, head: str, task: Any) -> None:
    assert load(Checkpoint(str(tiny(tmp_path, head)), device="cpu"), task).models[0].config.num_hidden_layers == 2
    assert load(Checkpoint(str(tmp_path), device="cpu")).pieces.room == 126
    with pytest.raises(OptionError, match=rf"holds no weights for .* it is no {task} model"):
        load(Checkpoint(str(encoder), device="cpu"), task)


def test_what_cannot_be_loaded_says_what_to_set(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"holds no config.json: set model"):
        Checkpoint("/no/such/folder")
    with pytest.raises(OptionError, match="has 2 layers; layer is 0 to 2, not 3"):
        load(Checkpoint(str(encoder), device="cpu"), layer=3)
    with pytest.raises(OptionError, match="device 'cuda:77' is not here"):
        load(Checkpoint(str(encoder), device="cuda:77"))
    with pytest.raises(OptionError, match="revision is for names at the hub"):
        Checkpoint(str(encoder), revision="main")
    shutil.copytree(encoder, tmp_path / "copy")
    (tmp_path / "copy" / "model.safetensors").rename(tmp_path / "copy" / "pytorch_model.bin")
    with pytest.raises(OptionError, match=r"holds no \*.safetensors; .* set pickled=True"):
        Checkpoint(str(tmp_path / "copy"))
    with pytest.raises(OptionError, match="no model was named; set model"):
        Run("m", lambda *_: lambda _: {}, None).open()


def test_a_name_that_is_not_in_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    need("torch", "transformers")
    monkeypatch.setattr(importlib.import_module("huggingface_hub.constants"), "HF_HUB_OFFLINE", True)
    with pytest.raises(OptionError, match=r"'no-such/model' cannot be loaded: .* Set model to a folder"):
        load(Checkpoint("no-such/model", device="cpu"))


def test_the_signature_tells_models_apart_and_places_not(encoder: Path, tmp_path: Path) -> None:
    here = Checkpoint(str(encoder), device="cpu")
    shutil.copytree(encoder, tmp_path / "encoder")
    there = Checkpoint(str(tmp_path / "encoder"), device="cpu")
    assert here.signature == there.signature
    assert here.signature["dtype"] == "float32"
    other = Checkpoint(str(tiny(tmp_path / "b" / "encoder", seed=1)), device="cpu")
    assert other.name == here.name
    assert other.signature != here.signature
    assert minilm().name == Checkpoint(str(minilm())).name


def test_a_run_holds_its_model_between_open_and_close(encoder: Path) -> None:
    begun: list[Stage] = []

    def begin(stage: Stage, _: object) -> Any:
        begun.append(stage)
        return lambda batch: {"rows": np.full(batch.rows, float(stage.pieces.room))}

    run = Run("m", begin, Checkpoint(str(encoder), device="cpu"))
    run.open()
    assert run(Batch(2, {}))["rows"].tolist() == [126.0, 126.0]
    assert len(begun) == 1
    run.close()
    assert run._scorer is None
    assert Run("m", begin, run.checkpoint, layer=1).signature == Checkpoint(str(encoder), device="cpu").signature | {
        "layer": 1
    }
    assert Run("m", begin, None).signature == {"model": "none"}
    again = pickle.loads(pickle.dumps(Run("m", forward, run.checkpoint)))
    assert again.checkpoint == run.checkpoint


LAYOUTS = [kind(text) for kind in (pa.list_, pa.large_list, pa.list_view) for text in (pa.string(), pa.string_view())]


@pytest.mark.parametrize("kind", [*LAYOUTS, pa.list_(pa.dictionary(pa.int32(), pa.string()))], ids=str)
def test_texts_are_read_from_any_layout(kind: pa.DataType) -> None:
    for start, stop in ((0, 6), (1, 4)):
        column = pa.array(NESTED, kind).slice(start, stop - start)
        texts = read(Batch(len(column), {"references": column}), "references")
        found = [texts.values[a:b].to_pylist() for a, b in zip(texts.bounds, texts.bounds[1:], strict=False)]
        expected = [[text for text in row or () if text is not None] for row in NESTED[start:stop]]
        assert found == expected
        assert texts.null.tolist() == [not row for row in expected]
        assert texts.take(np.array([2, 1])).values.to_pylist() == [
            text for row in (expected[2], expected[1]) for text in row
        ]


def test_texts_that_are_none_are_refused() -> None:
    plain = read(Batch(4, {"summary": pa.array(["x", None, "x", "é"])}), "summary")
    assert plain.null.tolist() == [False, True, False, False]
    assert plain.sizes.tolist() == [1, 0, 1, 2]
    words, places = plain.distinct()
    assert [words[at] for at in places] == ["x", "", "x", "é"]
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(b"a\xff\xfe")]
    )
    with pytest.raises(InputError, match="column 'summary', row 1: text is not valid UTF-8"):
        read(Batch(2, {"summary": broken}), "summary").distinct()
    with pytest.raises(InputError, match="reads text, and this column is int64"):
        read(Batch(1, {"summary": pa.array([1])}), "summary")
