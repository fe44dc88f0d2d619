"""A model in vLLM, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gistmark.judges.contract import Conversation, Options, Reply, Token, joined
from gistmark_engine.errors import MissingExtra

_FINISHES = {"stop": "stop", "length": "length"}


class VLLM:
    """Replies of a model that vLLM loads here; vLLM itself batches, shares common prefixes and pages its cache.

    model    a folder or a name; `name` is what signatures and cache keys call it (None: the folder's last part)
    system   False: the model's chat template knows no system message, it is put before the user's
    engine   passed to `vllm.LLM` (tensor_parallel_size, max_model_len, dtype, quantization …); enters the cache key

    A prompt that vLLM refuses as too long is a reply with finish "error". The reply's schema is not enforced.
    """

    def __init__(self, model: str | Path, *, name: str | None = None, system: bool = True, **engine: object) -> None:
        self.source, self.system, self.engine = str(model), system, engine
        self.model = name or (Path(model).name if Path(model).exists() else str(model))
        self.decoding: Mapping[str, object] = {"system": system, **engine}

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        messages = [turns if self.system else joined(turns) for turns in conversations]
        try:
            yield from enumerate(self._replies(messages, options))
        except ValueError:
            for index, turns in enumerate(messages):
                yield index, self._alone(turns, options)

    def _alone(self, turns: Conversation, options: Options) -> Reply:
        try:
            return self._replies([turns], options)[0]
        except ValueError as error:
            return Reply("", "error", str(error))

    def _replies(self, messages: Sequence[Conversation], options: Options) -> list[Reply]:
        llm = self._llm
        from vllm import SamplingParams

        params = SamplingParams(
            temperature=options.temperature,
            seed=options.seed,
            max_tokens=options.max_tokens,
            logprobs=options.top_logprobs or None,
        )
        return [_reply(made) for made in llm.chat(list(messages), params, use_tqdm=False)]

    @cached_property
    def _llm(self) -> Any:
        try:
            from vllm import LLM
        except ImportError:
            raise MissingExtra("the vLLM backend", "vllm") from None
        return LLM(model=self.source, **self.engine)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_llm"}


def _reply(made: Any) -> Reply:
    """One of vLLM's request outputs as a reply."""
    first = made.outputs[0]
    tokens = (len(made.prompt_token_ids), len(first.token_ids))
    scores = tuple(
        Token(step[chosen].decoded_token, {item.decoded_token: item.logprob for item in step.values()})
        for chosen, step in zip(first.token_ids, first.logprobs or (), strict=False)
    )
    return Reply(first.text, _FINISHES.get(first.finish_reason, "error"), tokens=tokens, scores=scores)  # type: ignore[arg-type]
