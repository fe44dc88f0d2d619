"""A batch as tensors on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.pieces import Inputs
from gistmark.models.ragged import Ints, places

if TYPE_CHECKING:
    from gistmark.models.stage import Stage

Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader gets beside the model's output.

    rows     int64 (b,), which inputs these are
    starts   int64 (b,), where each begins in the output's tokens, its first two axes taken as one
    ids      int64 tensor [b, n], padded on the right; packed, [1, all tokens]
    lengths  int64 tensor [b]
    mask     bool tensor [b, n], False where padded; packed, all True
    """

    rows: Ints
    starts: Ints
    ids: Any
    lengths: Any
    mask: Any

    def tensor(self, values: Ints) -> Any:
        """An array as a tensor on the device of the others."""
        return tensor(self.ids.device, values)


def pad(stage: Stage, inputs: Inputs, rows: Ints) -> tuple[Shown, Options]:
    """The inputs, which are the rows `rows` of all, as a padded batch, and what the model reads beside the ids."""
    import torch

    lengths = inputs.ids.lengths
    wide = width(stage, int(lengths.max()))
    ids, sizes = tensor(stage.device, inputs.ids.padded(stage.pieces.pad, wide)), tensor(stage.device, lengths)
    mask = torch.arange(wide, device=stage.device) < sizes[:, None]
    options: Options = {}
    if inputs.types is not None:
        options["token_type_ids"] = tensor(stage.device, inputs.types.padded(0, wide))
    if lengths.min() < wide:  # without a mask a faster attention runs
        options["attention_mask"] = mask.long()
    return Shown(rows, np.arange(len(rows)) * wide, ids, sizes, mask), options


def pack(stage: Stage, inputs: Inputs, rows: Ints) -> tuple[Shown, Options]:
    """The inputs behind each other in one row, and what the model reads beside the ids (see `packing`)."""
    import torch

    lengths, bounds = inputs.ids.lengths, inputs.ids.bounds
    positions = places(np.full(len(rows), stage.first or 0, np.int64), lengths)
    ids = tensor(stage.device, inputs.ids.values.astype(np.int64))[None]
    options: Options = {
        "position_ids": tensor(stage.device, positions)[None],
        "bounds": tensor(stage.device, bounds).int(),
        "longest": int(lengths.max()),
    }
    if inputs.types is not None:
        options["token_type_ids"] = tensor(stage.device, inputs.types.values.astype(np.int64))[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    return Shown(rows, bounds[:-1], ids, tensor(stage.device, lengths), mask), options


def tensor(device: Any, values: NDArray[Any]) -> Any:
    """An array on the device, copied without waiting for it."""
    import torch

    found = torch.from_numpy(values)
    return found if device.type == "cpu" else found.pin_memory().to(device, non_blocking=True)


def width(stage: Stage, longest: int) -> int:
    """How wide a padded batch is: on a GPU a multiple of 8, which its matrix units and its attention with a mask like,
    unless the model has no positions for that."""
    return longest if stage.device.type == "cpu" else min(-(-longest // 8) * 8, stage.pieces.limit)
