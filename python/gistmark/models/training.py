"""A masked language model that learns a text."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.masking import Masking, Vocabulary, variants
from gistmark.models.pieces import Pieces
from gistmark.models.ragged import Ragged

OTHER, ITSELF = 0.1, 0.2
"""Below the first a masked piece is shown as another one, below the second as itself, above as the mask."""
OTHERS = (1000, 29999)
"""The ids of other pieces: BERT's words."""
DECAY, EPSILON = 0.01, 1e-8
UNLEARNT = -100
"""Where nothing is to be learnt."""

Example = tuple[NDArray[np.int64], NDArray[np.int64]]
"""What the model reads, and what it is to learn at each place."""


@dataclass(frozen=True, slots=True)
class Training:
    """The options of `blanc_tune` about learning."""

    epochs: int
    learning_rate: float
    chunk: int
    stride: int
    seed: int


def examples(
    body: NDArray[np.int32], pieces: Pieces, vocabulary: Vocabulary, rule: Masking, training: Training
) -> list[Example]:
    """All variants of all chunks of a text, the pieces that are masked drawn by the seed."""
    draw = Random(training.seed)
    chunks = Ragged.of([part.tolist() for part in _chunks(body, min(training.chunk, pieces.room), training.stride)])
    masked = variants(chunks, vocabulary, rule)
    read, bounds = pieces.around(masked.ids), masked.at.bounds
    highest = len(vocabulary.sizes) - 1
    found = []
    for row in range(len(read)):
        ids = read[row].astype(np.int64)
        wanted = np.full(len(ids), UNLEARNT, np.int64)
        for at, answer in zip(masked.at[row], masked.answers[bounds[row] : bounds[row + 1]], strict=True):
            place = len(pieces.prefix) + at
            wanted[place] = answer
            chance = draw.random()
            if chance < OTHER:
                ids[place] = draw.randint(min(OTHERS[0], highest), min(OTHERS[1], highest))
            elif chance < ITSELF:
                ids[place] = answer
        found.append((ids, wanted))
    return found


def tune(model: Any, found: list[Example], training: Training, advance: Callable[[int], object]) -> Any:
    """A copy of the model that learnt the examples, one at a time."""
    import torch

    tuned = copy.deepcopy(model).train()
    optimizer = torch.optim.AdamW(_groups(tuned), lr=training.learning_rate, eps=EPSILON)
    steps = len(found) * training.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, (steps - step) / max(1, steps)))
    devices = [tuned.device] if tuned.device.type == "cuda" else []
    tensors = [tuple(torch.from_numpy(part)[None].to(tuned.device) for part in example) for example in found]
    with torch.random.fork_rng(devices), torch.enable_grad():
        torch.manual_seed(training.seed)
        for ids, wanted in tensors * training.epochs:
            optimizer.zero_grad()
            tuned(input_ids=ids, attention_mask=torch.ones_like(ids), labels=wanted).loss.backward()
            optimizer.step()
            schedule.step()
            advance(ids.shape[1])
    return tuned.eval()


def _chunks(body: NDArray[np.int32], size: int, stride: int) -> Iterator[NDArray[np.int32]]:
    """The parts of a text that are learnt; its beginning, which lies in fewer of them, some times more."""
    for start in range(0, len(body), stride):
        yield body[start : start + size]
        if 0 < start < size:
            yield body[:start]


def _groups(model: Any) -> list[dict[str, Any]]:
    """The model's parameters, those that decay and those that do not."""
    named = list(model.named_parameters())
    still = [parameter for name, parameter in named if "bias" in name or "LayerNorm.weight" in name]
    kept = {id(parameter) for parameter in still}
    return [
        {"params": [parameter for _, parameter in named if id(parameter) not in kept], "weight_decay": DECAY},
        {"params": still, "weight_decay": 0.0},
    ]
