"""Greedy matching of two texts' word pieces, many pairs at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.ragged import Ints

CELLS = {"cpu": 1 << 21, "cuda": 1 << 27}
"""Numbers in the largest tensors of a batch of pairs."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Texts whose tokens have unit vectors.

    table    tensor [tokens, width], the vectors of text k at starts[k], …, starts[k] + lengths[k] - 1
    weights  float32 tensor [all tokens of the texts], those of text k from first[k] on; they sum to 1
    """

    table: Any
    starts: Ints
    lengths: Ints
    weights: Any
    first: Ints


def match(texts: Embedded, left: Ints, right: Ints, zero: bool) -> NDArray[np.float32]:
    """Precision and recall, float32 (pairs, 2), of texts `left[k]` against texts `right[k]`.

    zero  a token whose similarities are all negative counts as 0
    """
    import torch

    found = np.empty((len(left), 2), np.float32)
    done: list[tuple[Ints, Any]] = []
    with torch.inference_mode():
        for pairs in _batches(texts, left, right):
            done.append((pairs, _match(texts, left[pairs], right[pairs], zero)))
        for pairs, scores in done:  # the device is never waited for before all is launched
            found[pairs] = scores.cpu().numpy()
    return found


def _batches(texts: Embedded, left: Ints, right: Ints) -> Iterator[Ints]:
    """Pairs of about the same lengths, as many as the tensors have room for."""
    a, b = texts.lengths[left], texts.lengths[right]
    order = np.argsort(-(a + b), kind="stable")
    cells, width = CELLS[texts.table.device.type], texts.table.shape[1]
    at = 0
    while at < len(order):
        largest = int(a[order[at]] + b[order[at]])  # no pair that follows has more tokens
        count = max(1, cells // (largest * width + largest * largest // 4))
        yield order[at : at + count]
        at += count


def _match(texts: Embedded, left: Ints, right: Ints, zero: bool) -> Any:
    """float32 tensor [pairs, 2]"""
    import torch

    x, x_weights = _gather(texts, left)  # [pairs, n, width], [pairs, n]
    y, y_weights = _gather(texts, right)  # [pairs, m, width], [pairs, m]
    similar = torch.bmm(x, y.transpose(1, 2))  # [pairs, n, m]
    best_x, best_y = similar.amax(2).float(), similar.amax(1).float()
    if zero:
        best_x, best_y = best_x.clamp_(min=0), best_y.clamp_(min=0)
    return torch.stack([(best_x * x_weights).sum(1), (best_y * y_weights).sum(1)], 1)


def _gather(texts: Embedded, rows: Ints) -> tuple[Any, Any]:
    """The vectors of some texts, padded to the longest with each one's last token, which changes no maximum; and the
    weights, 0 for padding."""
    import torch

    device = texts.table.device
    starts, lengths, first = (
        torch.from_numpy(values[rows]).to(device, non_blocking=True)[:, None]
        for values in (texts.starts, texts.lengths, texts.first)
    )
    steps = torch.arange(int(texts.lengths[rows].max()), device=device)
    inside = torch.minimum(steps, lengths - 1)
    return texts.table[starts + inside], texts.weights[first + inside] * (steps < lengths)
