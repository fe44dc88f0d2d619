"""A model in vLLM, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gistmark.judges.backends.outage import loading
from gistmark.judges.contract import BackendError, Conversation, Options, Reply, Token, joined, plain
from gistmark_engine.errors import MissingExtra, OptionError

_FINISHES = {"stop": "stop", "length": "length"}
_COMPACT = {"structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True}}
"""JSON without white space, which small models fill replies with; vLLM takes this for an engine, not for a call."""


class VLLM:
    """Replies of a model that vLLM loads here; vLLM itself batches, shares common prefixes and pages its cache.

    model       a folder or a name; `name` is what signatures and cache keys call it (None: the folder's last part)
    batch       calls handed to vLLM together; it answers them together, so a process that is killed loses no more
    structured  hold every reply to its schema, token by token; False: the schema is asked for only
    system      False: the model's chat template knows no system message, it is put before the user's
    engine      passed to `vllm.LLM` (tensor_parallel_size, max_model_len, dtype, quantization …); enters the cache key

    Special tokens written out in a text are broken up, so that no text can end its own turn. A prompt that vLLM refuses
    as too long is a reply with finish "error".
    """

    def __init__(
        self,
        model: str | Path,
        *,
        name: str | None = None,
        batch: int = 512,
        structured: bool = True,
        system: bool = True,
        **engine: object,
    ) -> None:
        if batch < 1:
            raise OptionError(f"batch is at least 1, not {batch}")
        self.source, self.batch, self.structured, self.system, self.engine = (
            str(model),
            batch,
            structured,
            system,
            engine,
        )
        self.model = name or (Path(model).name if Path(model).exists() else str(model))
        self.decoding: Mapping[str, object] = {"structured": structured, "system": system, **engine}

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        for start in range(0, len(conversations), self.batch):
            special = self._llm.get_tokenizer().all_special_tokens
            turns = conversations[start : start + self.batch]
            group = [plain(each if self.system else joined(each), special) for each in turns]
            yield from zip(range(start, start + len(group)), self._answered(group, options), strict=True)

    def _answered(self, messages: Sequence[Conversation], options: Options) -> list[Reply]:
        """A reply for each; vLLM refuses a whole batch for one prompt that is too long, which is found by halving."""
        llm = self._llm
        try:
            return self._replies(llm, messages, options)
        except _refusals() as error:
            if len(messages) == 1:
                return [Reply("", "error", str(error))]
        except Exception as error:
            raise BackendError(
                f"vLLM stopped ({type(error).__name__}: {error}): start it with other options"
            ) from error
        half = len(messages) // 2
        return self._answered(messages[:half], options) + self._answered(messages[half:], options)

    def _replies(self, llm: Any, messages: Sequence[Conversation], options: Options) -> list[Reply]:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        held = self.structured and options.schema is not None
        params = SamplingParams(
            temperature=options.temperature,
            seed=options.seed,
            max_tokens=options.max_tokens,
            logprobs=options.top_logprobs or None,
            structured_outputs=StructuredOutputsParams(json=options.schema) if held else None,
        )
        return [_reply(made) for made in llm.chat(list(messages), params, use_tqdm=False)]

    @cached_property
    def _llm(self) -> Any:
        try:
            from vllm import LLM
        except ImportError:
            raise MissingExtra("the vLLM backend", "vllm") from None
        with loading(self.source):
            return LLM(model=self.source, **(_COMPACT if self.structured else {}) | self.engine)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_llm"}


def _refusals() -> tuple[type[Exception], ...]:
    """What vLLM raises for a prompt that it does not take: a ValueError, in later versions an error of its own."""
    try:
        from vllm.exceptions import VLLMClientError
    except ImportError:
        return (ValueError,)
    return (ValueError, VLLMClientError)


def _reply(made: Any) -> Reply:
    """One of vLLM's request outputs as a reply."""
    first = made.outputs[0]
    tokens = (len(made.prompt_token_ids), len(first.token_ids))
    scores = tuple(
        Token(step[chosen].decoded_token, {item.decoded_token: item.logprob for item in step.values()})
        for chosen, step in zip(first.token_ids, first.logprobs or (), strict=False)
    )
    if first.finish_reason == "stop":
        scores = scores[:-1]  # the token that ends the reply is none of its text
    return Reply(first.text, _FINISHES.get(first.finish_reason, "error"), tokens=tokens, scores=scores)  # type: ignore[arg-type]
