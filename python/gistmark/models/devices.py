"""Where a model runs."""

from __future__ import annotations

from typing import Any

from gistmark_engine.errors import MissingExtra, OptionError

BATCH_TOKENS = {"cpu": 1024, "cuda": 32768}
"""Tokens of a batch: on a CPU few enough for its caches, on a GPU enough to keep it busy through every kernel."""


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


def batch_tokens(device: str) -> int:
    """How many tokens a batch has on `device` unless the caller says otherwise."""
    return BATCH_TOKENS[device.partition(":")[0]]
