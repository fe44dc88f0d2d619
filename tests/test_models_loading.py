"""Models from folders and names: what is loaded, what is refused, what a signature says."""

from __future__ import annotations

import importlib
import importlib.metadata
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import FAMILIES, minilm, need, tiny

from gistmark.models.checkpoint import Checkpoint
from gistmark.models.linear import quicken
from gistmark.models.loading import load
from gistmark.models.run import Run
from gistmark.models.stage import Stage, forward
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Batch


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("models") / "encoder")


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_layers_above_the_one_needed_are_dropped(encoder: Path, layer: int) -> None:
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    short = load(Checkpoint(str(encoder), device="cpu"), layer=layer, trained=True)
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
    ours = load(Checkpoint(str(folder), device="cpu"), layer=layer, trained=True).models[0]
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
    with monkeypatch.context() as without:
        without.setattr(torch.backends.mkldnn, "is_available", lambda: False)
        assert linear_layers(load(Checkpoint(str(encoder), device="cpu")).models[0]) > 10
    assert linear_layers(load(Checkpoint(str(encoder), device="cpu")).models[0]) == 0
    assert linear_layers(load(Checkpoint(str(encoder), device="cpu"), trained=True).models[0]) > 10


def linear_layers(model: Any) -> int:
    linear = importlib.import_module("torch").nn.Linear
    return sum(type(layer) is linear for layer in model.modules())


HEADS = [
    (family, "MaskedLM") for family in ("Bert", "Roberta", "Electra", "MPNet", "DebertaV2", "Albert", "DistilBert")
]


@pytest.mark.parametrize(
    ("family", "head"), [*HEADS, ("DebertaV2", "QuestionAnswering"), ("Roberta", "SequenceClassification")]
)
def test_linear_layers_laid_out_for_reading_change_no_head(tmp_path: Path, family: str, head: str) -> None:
    torch = importlib.import_module("torch")
    tasks: dict[str, Any] = {"MaskedLM": "masked_lm", "QuestionAnswering": "question_answering"}
    folder = tiny(tmp_path / "model", f"For{head}", family=family)
    ids = torch.tensor([[101, 1037, 4937, 2938, 102]])
    with torch.no_grad():
        found, expected = (
            load(Checkpoint(str(folder), device="cpu"), tasks.get(head, "classification"), trained=plain).models[0](
                ids
            )[0]
            for plain in (False, True)
        )
    np.testing.assert_allclose(found, expected, atol=1e-5)


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


def test_half_precision_is_what_every_gpu_has(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = importlib.import_module("torch").cuda
    monkeypatch.setattr(cuda, "device_count", lambda: 2)
    monkeypatch.setattr(cuda, "get_device_capability", lambda device: {"cuda:0": (9, 0), "cuda:1": (7, 5)}[device])
    wanted = {None: "float16", "cuda:0": "bfloat16", "cuda": "bfloat16", "cuda:1": "float16", "cpu": "float32"}
    assert {device: Checkpoint(str(encoder), device=device).precision for device in wanted} == wanted
    assert Checkpoint(str(encoder), dtype="float32").precision == "float32"


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
