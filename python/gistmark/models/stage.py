"""The batched stage: inputs of similar length share a batch of about so many tokens, whatever the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gistmark.models.checkpoint import Checkpoint
from gistmark.models.pieces import Inputs, Pieces
from gistmark.models.ragged import Ints
from gistmark.models.shown import Shown, pack, pad, width
from gistmark_engine.errors import GistmarkError

Value = TypeVar("Value")


@dataclass
class Stage:
    """A model on its devices.

    pieces  its tokenizer
    models  one a device
    tokens  of a batch, padding included; less after a device ran out of memory
    first   the first position's number if the model reads its texts behind each other in one row (see
            `gistmark.models.packing`), None if in a padded batch
    """

    checkpoint: Checkpoint
    pieces: Pieces
    models: Sequence[Any]
    tokens: int
    first: int | None = None

    def split(self) -> list[Stage]:
        """A stage a device."""
        return [replace(self, models=[model]) for model in self.models]

    @property
    def device(self) -> Any:
        """The first model's device."""
        return self.models[0].device


Read = Callable[[Any, Shown], Value]


def forward(
    stage: Stage, inputs: Inputs, read: Read[Value], advance: Callable[[int], object] | None = None
) -> Iterator[tuple[Ints, Value]]:
    """Run all inputs, longest first; yields which rows a batch had and what `read` made of the model's output there.

    read     gets the output and `Shown`, on the device; tensors it returns (alone or in a tuple) come on the CPU.
             A GPU is one batch ahead of what is yielded, so `read` must not wait for it (no `.item()`, no `.cpu()`).
    advance  told how many tokens a batch had, padding left out

    Several devices share the inputs; results then come when all are done. A batch too large for the memory is halved,
    and those after it. Raises `GistmarkError` where a single input is too large.
    """
    order = np.argsort(-inputs.ids.lengths, kind="stable")
    stages = stage.split()
    if len(stages) == 1:
        yield from _serve(stage, inputs, order, read, advance)
        return
    shares = [order[k :: len(stages)] for k in range(len(stages))]
    with ThreadPoolExecutor(len(stages)) as pool:
        served = pool.map(lambda one, share: list(_serve(one, inputs, share, read, advance)), stages, shares)
        for results in served:
            yield from results


def in_order(results: Iterator[tuple[Ints, Any]], rows: int) -> NDArray[Any]:
    """What `forward` yields, a value a row of a batch each, as one array in the order of the inputs."""
    found = [(at, np.asarray(values)) for at, values in results]
    if not found:
        return np.empty(0)
    table = np.empty((rows, *found[0][1].shape[1:]), found[0][1].dtype)
    for at, values in found:
        table[at] = values
    return table


def _serve(
    stage: Stage, inputs: Inputs, order: Ints, read: Read[Value], advance: Callable[[int], object] | None
) -> Iterator[tuple[Ints, Value]]:
    """The inputs `order` on one device, with the device one batch ahead."""
    lengths, at = inputs.ids.lengths, 0
    waiting: list[tuple[Ints, Value]] = []
    while at < len(order):
        rows = order[at : at + max(1, stage.tokens // width(stage, int(lengths[order[at]])))]
        value = _attempt(stage, inputs, rows, read)
        if value is None:
            continue
        at += len(rows)
        waiting.append((rows, value[0]))
        if len(waiting) > 1:
            yield _finished(*waiting.pop(0))
        if advance:
            advance(int(lengths[rows].sum()))
    for rows, left in waiting:
        yield _finished(rows, left)


def _attempt(stage: Stage, inputs: Inputs, rows: Ints, read: Read[Value]) -> tuple[Value] | None:
    """What `read` makes of one batch; None, and a stage with smaller batches, where the memory does not suffice."""
    import torch

    try:
        with torch.inference_mode():
            shown, options = (pad if stage.first is None else pack)(stage, inputs.take(rows), rows)
            return (read(stage.models[0](input_ids=shown.ids, **options), shown),)
    except torch.OutOfMemoryError as error:
        if len(rows) == 1:
            raise GistmarkError(
                f"{stage.checkpoint.name}: one input of {len(inputs.ids[int(rows[0])])} tokens does not fit into the "
                f"memory of {stage.device}; use another device, a smaller dtype or shorter texts"
            ) from error
    stage.tokens = len(rows) // 2 * width(stage, int(inputs.ids.lengths[rows[0]]))
    if stage.device.type == "cuda":
        torch.cuda.empty_cache()
    return None


def _finished(rows: Ints, value: Any) -> tuple[Ints, Any]:
    """A result with its tensors on the CPU."""
    if isinstance(value, tuple):
        return rows, tuple(_finished(rows, part)[1] for part in value)
    return rows, value.cpu() if hasattr(value, "cpu") else value
