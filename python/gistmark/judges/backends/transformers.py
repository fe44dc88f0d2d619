"""A local causal language model on torch, through transformers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gistmark.judges.backends.logits import Grammars, Noise
from gistmark.judges.backends.outage import loading
from gistmark.judges.contract import Conversation, Options, Reply, Token, joined, plain
from gistmark_engine.errors import MissingExtra, OptionError

_PRECISIONS = ("float32", "bfloat16", "float16")
_WINDOW = 4096
_KV_CACHES = ("dynamic", "static", "offloaded", "offloaded_static")


class Transformers:
    """Replies of a causal language model, in left-padded batches of prompts of similar length.

    model       a folder, or a name that transformers resolves (which may download it)
    name        what signatures and cache keys call it; None: the folder's last part, or the name itself
    gguf_file   the GGUF file in that folder, where the weights are in one
    dtype       "float32", "bfloat16" or "float16"
    device      None: a GPU if there is one; `device_map` ("auto") spreads a large model over several instead
    batch       prompts a batch
    kv_cache    how keys and values are kept: "dynamic" grows with the reply; "static" is laid out at once, which lets a
                GPU run compiled steps; "offloaded" and "offloaded_static" keep most of it in the host's memory
    structured  hold every reply to its schema, token by token; False: the schema is asked for only
    system      False: the model's chat template knows no system message, it is put before the user's

    Greedy replies in float32 do not depend on the batch. Nor do sampled ones: every prompt has its own stream of noise,
    seeded with the options' seed and the prompt, and a token is the argmax of logits / temperature + Gumbel noise,
    which is a draw from the softmax. Special tokens written out in a text are broken up, so that no text can end its
    own turn. A prompt that leaves no room for a reply is a reply with finish "error". Log-probabilities are the model's
    own, before a schema rules tokens out. Paged caches are not offered: transformers' continuous batching takes neither
    such a grammar nor noise of one's own; `VLLM` pages.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        name: str | None = None,
        gguf_file: str | None = None,
        dtype: str = "float32",
        device: str | None = None,
        device_map: str | None = None,
        batch: int = 16,
        kv_cache: str = "dynamic",
        structured: bool = True,
        system: bool = True,
    ) -> None:
        if dtype not in _PRECISIONS or batch < 1:
            raise OptionError(f"dtype is one of {_PRECISIONS} and batch at least 1, not {dtype!r} and {batch}")
        if kv_cache not in _KV_CACHES:
            raise OptionError(f"kv_cache is one of {_KV_CACHES}, not {kv_cache!r}")
        self.source, self.gguf_file, self.dtype = str(model), gguf_file, dtype
        self.model = name or (Path(model).name if Path(model).exists() else str(model))
        self.device, self.device_map, self.batch, self.system = device, device_map, batch, system
        self.kv_cache, self.structured = kv_cache, structured
        self.decoding: Mapping[str, object] = {
            "dtype": dtype,
            "kv_cache": kv_cache,
            "structured": structured,
            "system": system,
        }

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        for start in range(0, len(conversations), _WINDOW):
            window = conversations[start : start + _WINDOW]
            yield from ((start + index, reply) for index, reply in self._sorted(window, options))

    def _sorted(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        """Replies to as many prompts as are held and sorted together, each beside its index."""
        tokenizer, model = self._loaded
        prompts = [self._prompt(conversation) for conversation in conversations]
        ids: list[list[int]] = tokenizer(prompts, add_special_tokens=False)["input_ids"] if prompts else []
        room = [getattr(model.config, "max_position_embeddings", 1 << 30) - len(prompt) for prompt in ids]
        for index in (index for index in range(len(ids)) if room[index] < 1):
            yield index, Reply("", "error", f"the prompt's {len(ids[index])} tokens leave no room for a reply")
        for group in self._groups(ids, room, options.max_tokens):
            limit = min(options.max_tokens, room[group[-1]])
            yield from zip(group, self._batch([ids[index] for index in group], options, limit), strict=True)

    def _groups(self, ids: Sequence[Sequence[int]], room: Sequence[int], wanted: int) -> Iterator[list[int]]:
        """Batches of the indices of prompts, by length; a prompt with less room than wanted stands alone."""
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        ample = [index for index in order if room[index] >= wanted]
        for start in range(0, len(ample), self.batch):
            yield ample[start : start + self.batch]
        yield from ([index] for index in order if 1 <= room[index] < wanted)

    def _prompt(self, conversation: Conversation) -> str:
        """The conversation as text by the model's chat template, ready for its reply."""
        tokenizer = self._loaded[0]
        turns = plain(conversation, tokenizer.all_special_tokens)
        messages = turns if self.system else joined(turns)
        return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    def _batch(self, prompts: Sequence[Sequence[int]], options: Options, limit: int) -> list[Reply]:
        """Replies to one batch: prompts as [batch, longest] ids padded on the left."""
        import torch

        tokenizer, model = self._loaded
        longest = max(map(len, prompts))
        ids = [[tokenizer.pad_token_id] * (longest - len(prompt)) + list(prompt) for prompt in prompts]
        mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        with torch.inference_mode():
            made = model.generate(
                input_ids=torch.tensor(ids, device=model.device),
                attention_mask=torch.tensor(mask, device=model.device),
                max_new_tokens=limit,
                do_sample=False,
                cache_implementation=None if self.kv_cache == "dynamic" else self.kv_cache,
                logits_processor=self._processors(prompts, options),
                return_dict_in_generate=True,
                output_logits=options.top_logprobs > 0,
            )
        rows = made.sequences[:, longest:].tolist()  # [batch, new]
        logits = torch.stack(made.logits, 1) if options.top_logprobs else None  # [batch, new, vocabulary]
        scores = [() if logits is None else logits[k] for k in range(len(rows))]
        return [
            self._reply(row, len(prompt), alternatives, options.top_logprobs)
            for row, prompt, alternatives in zip(rows, prompts, scores, strict=True)
        ]

    def _processors(self, prompts: Sequence[Sequence[int]], options: Options) -> Any:
        """What changes the logits of a batch: the grammar of the schema, then noise."""
        from transformers import LogitsProcessorList

        held = [self._grammars.processor(options.schema)] if self.structured and options.schema is not None else []
        noise = [Noise(options, prompts)] if options.temperature > 0 else []
        return LogitsProcessorList([*held, *noise])

    def _reply(self, row: list[int], prompt: int, logits: Any, top: int) -> Reply:
        """One row of new ids as a reply: up to the first token that ends a turn, if there is one."""
        tokenizer, model = self._loaded
        ends = model.generation_config.eos_token_id
        length = next((at for at, token in enumerate(row) if token in ends), len(row))
        text = tokenizer.decode(row[:length], skip_special_tokens=True)
        scores = tuple(self._alternatives(row[at], logits[at], top) for at in range(length)) if top else ()
        return Reply(text, "stop" if length < len(row) else "length", tokens=(prompt, length), scores=scores)

    def _alternatives(self, token: int, logits: Any, top: int) -> Token:
        """The `top` most likely tokens at a position, with their log-probabilities at temperature 1."""
        values, ids = logits.float().log_softmax(-1).topk(top)
        decode = self._loaded[0].decode
        found: dict[str, float] = {}
        for value, other in zip(values.tolist(), ids.tolist(), strict=True):
            found.setdefault(decode([other]), value)
        return Token(decode([token]), found)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The tokenizer and the model."""
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError:
            raise MissingExtra("the transformers backend", "models") from None
        files = {"gguf_file": self.gguf_file} if self.gguf_file else {}
        where = {"device_map": self.device_map} if self.device_map else {}
        kind = getattr(torch, self.dtype)
        with loading(self.source):
            tokenizer = AutoTokenizer.from_pretrained(self.source, **files)
            model = AutoModelForCausalLM.from_pretrained(self.source, dtype=kind, **files, **where)
        tokenizer.padding_side = "left"
        if not self.device_map:
            model = model.to(self.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._settle(tokenizer, model)
        return tokenizer, model.eval()

    @cached_property
    def _grammars(self) -> Grammars:
        tokenizer, model = self._loaded
        return Grammars(tokenizer, model.config.get_text_config().vocab_size, model.generation_config.eos_token_id)

    def _settle(self, tokenizer: Any, model: Any) -> None:
        """Decode by our options alone, and pad with a token the model knows."""
        from transformers import GenerationConfig

        ends = model.generation_config.eos_token_id
        ends = model.config.eos_token_id if ends is None else ends
        stops = [ends] if isinstance(ends, int) else list(ends or ())
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token_id = stops[0]
        model.generation_config = GenerationConfig(eos_token_id=stops, pad_token_id=tokenizer.pad_token_id)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in ("_loaded", "_grammars")}
