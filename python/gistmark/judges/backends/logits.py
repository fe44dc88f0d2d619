"""What comes between a model's logits and the choice of a token: a grammar, and noise that makes it a draw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gistmark.judges.contract import Options
from gistmark_engine.errors import MissingExtra


class Grammars:
    """JSON Schemas as grammars over the tokens of `tokenizer`, compiled by xgrammar, each once.

    vocabulary   width of the model's logits; `ends` are the tokens that may end a reply, once the object is whole
    """

    def __init__(self, tokenizer: Any, vocabulary: int, ends: Sequence[int]) -> None:
        try:
            import xgrammar
        except ImportError:
            raise MissingExtra("a reply held to its schema (structured=True)", "transformers") from None
        tokens = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocabulary, stop_token_ids=list(ends))
        self._compiler = xgrammar.GrammarCompiler(tokens)

    def processor(self, schema: Mapping[str, object]) -> Grammar:
        """What holds one batch to `schema`, spaced as `json.dumps` spaces."""
        return Grammar(self._compiler.compile_json_schema(json.dumps(schema), any_whitespace=False))


class Grammar:
    """Rules out every token that a grammar does not allow next, in each row by itself; good for one batch."""

    def __init__(self, compiled: Any) -> None:
        from xgrammar.contrib.hf import LogitsProcessor

        self._mask = LogitsProcessor(compiled)

    def __call__(self, ids: Any, logits: Any) -> Any:
        """`ids` [batch, so far], `logits` [batch, vocabulary] -> [batch, vocabulary]"""
        return self._mask(ids, logits.clone())  # it writes in place, and the model's own logits are reported


class Noise:
    """Turns greedy decoding into sampling: logits / temperature + Gumbel noise, a stream of it for every prompt."""

    def __init__(self, options: Options, prompts: Sequence[Sequence[int]]) -> None:
        import torch

        self.temperature = options.temperature
        self.streams = [torch.Generator().manual_seed(_seed(options.seed, prompt)) for prompt in prompts]

    def __call__(self, ids: Any, logits: Any) -> Any:
        """`ids` [batch, so far], `logits` [batch, vocabulary] -> [batch, vocabulary]"""
        import torch

        drawn = torch.stack([torch.rand(logits.shape[1], generator=stream) for stream in self.streams])
        noise = -torch.log(-torch.log(drawn.clamp_(1e-20, 1 - 1e-7)))
        return logits.float() / self.temperature + noise.to(logits.device)


def _seed(seed: int, prompt: Sequence[int]) -> int:
    return int.from_bytes(hashlib.sha256(repr((seed, list(prompt))).encode()).digest()[:7])
