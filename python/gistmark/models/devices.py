"""Where a model runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from gistmark_engine.errors import MissingExtra, OptionError

BATCH_TOKENS = {"cpu": 1024, "cuda": 32768}
"""Tokens of a batch: on a CPU few enough for its caches, on a GPU enough to keep it busy through every kernel."""

AMPERE = (8, 0)
"""The first compute capability with bfloat16."""


def torch_module() -> Any:
    """torch, or the sentence that says how to get it."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("a metric that runs a model", "models") from None
    return torch


def devices(wanted: str | None) -> list[str]:
    """The devices of a `Checkpoint`: those named, or every GPU, or the CPU."""
    if wanted == "cpu":
        return ["cpu"]
    torch = torch_module()
    there = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if wanted is None:
        return there or ["cpu"]
    named = [name.strip() for name in wanted.split(",")]
    found = ["cuda:0" if name == "cuda" else name for name in named]
    for name in found:
        if name != "cpu" and name not in there:
            raise OptionError(f"device {name!r} is not here; there are {', '.join(['cpu', *there])}")
    return found


def half_of(devices: Sequence[str]) -> Literal["bfloat16", "float16"]:
    """The half precision that all of these GPUs compute with; before Ampere none has bfloat16, and torch imitates it."""
    torch = torch_module()
    there = [torch.cuda.get_device_capability(device) >= AMPERE for device in devices if device != "cpu"]
    return "bfloat16" if all(there) else "float16"


def batch_tokens(device: str) -> int:
    """How many tokens a batch has on `device` unless the caller says otherwise."""
    return BATCH_TOKENS[device.partition(":")[0]]
