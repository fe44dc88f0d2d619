"""Attention within texts that lie behind each other in one row: nothing is padded, nothing masked."""

from __future__ import annotations

import itertools
import logging
from typing import Any

from gistmark.models.pieces import Inputs
from gistmark.models.ragged import Ragged
from gistmark.models.stage import Stage, forward

NAME = "gistmark_packed"
FROM_PADDING = ("roberta", "xlm-roberta", "camembert")
FROM_ZERO = ("bert", "electra")
BOUND = 0.02
"""How far the cosine of a packed and a padded token's vectors may be from 1, in half precision."""

_log = logging.getLogger("gistmark.models")


def try_packing(stage: Stage) -> None:
    """Have an encoder read packed texts, if its kind can and a trial gives what padded batches give."""
    config = stage.models[0].config
    if config.model_type not in (*FROM_ZERO, *FROM_PADDING):
        return
    padded = _trial(stage)
    before = config._attn_implementation
    try:
        _register()
        for model in stage.models:
            model.set_attn_implementation(NAME)
        stage.first = int(config.pad_token_id) + 1 if config.model_type in FROM_PADDING else 0
        apart = float(1 - (_trial(stage) * padded).sum(1).min())
        if apart < BOUND:
            return
        problem: object = f"a cosine is {apart:.3f} from 1"
    except (AttributeError, ImportError, KeyError, RuntimeError, TypeError, ValueError) as error:
        problem = error
    _log.warning("%s: texts are padded, for packing them failed: %s", stage.checkpoint.name, problem)
    stage.first = None
    for model in stage.models:
        model.set_attn_implementation(before)


def _trial(stage: Stage) -> Any:
    """Unit vectors of some made-up texts, [tokens, width]."""
    import torch

    lengths = (7, 30, 3, 64)
    inputs = Inputs(Ragged.of([range(5, 5 + size) for size in lengths]), None)
    found: dict[int, Any] = {}

    def read(output: Any, shown: Any) -> None:
        flat = output[0].flatten(0, 1).float()
        for row, start in zip(shown.rows.tolist(), shown.starts.tolist(), strict=True):
            found[row] = torch.nn.functional.normalize(flat[start : start + lengths[row]], dim=-1).cpu()

    for _ in forward(stage, inputs, read):
        pass
    return torch.cat([found[row] for row in range(len(lengths))]).numpy()


def _register() -> None:
    """Make the attention known to transformers by `NAME`, with no mask of its own."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, lambda *_, **__: None)


def attend(
    module: Any, query: Any, key: Any, value: Any, mask: Any, *, bounds: Any, longest: int, **options: Any
) -> tuple[Any, None]:
    """Attention of each text to itself.

    query, key, value  [1, heads, tokens, width]
    bounds             int32 tensor (texts + 1,): text k is tokens bounds[k]:bounds[k + 1]
    longest            the most tokens of a text
    Returns [1, tokens, heads, width].
    """
    scale = options.get("scaling")
    q, k, v = (states.squeeze(0).transpose(0, 1) for states in (query, key, value))  # [tokens, heads, width]
    if query.device.type == "cuda":
        from torch.nn.attention.varlen import varlen_attn

        return varlen_attn(q, k, v, bounds, bounds, longest, longest, scale=scale).unsqueeze(0), None
    return _one_by_one(q, k, v, bounds.tolist(), scale).unsqueeze(0), None


def _one_by_one(q: Any, k: Any, v: Any, bounds: list[int], scale: float | None) -> Any:
    """The same where there is no kernel for it: text by text, [tokens, heads, width]."""
    import torch

    made = [
        torch.nn.functional.scaled_dot_product_attention(
            *(states[start:stop].transpose(0, 1)[None] for states in (q, k, v)), scale=scale
        )[0].transpose(0, 1)
        for start, stop in itertools.pairwise(bounds)
    ]
    return torch.cat(made)
