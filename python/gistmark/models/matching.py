"""Greedy matching of two texts' word pieces, many pairs at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gistmark.models.ragged import Ints
from gistmark.models.shown import tensor

CELLS = {"cpu": 1 << 21, "cuda": 1 << 27}
"""Numbers in the largest tensors of a batch of pairs, and of a part of a pair that is too large for one."""


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
            x, y = left[pairs], right[pairs]
            best = _match_parts(texts, x, y) if _large(texts, x, y) else _match(texts, x, y)
            done.append((pairs, _averaged(*best, zero)))
        for pairs, scores in done:  # the device is never waited for before all is launched
            found[pairs] = scores.cpu().numpy()
    return found


def _batches(texts: Embedded, left: Ints, right: Ints) -> Iterator[Ints]:
    """Pairs of about the same lengths, as many as the tensors have room for."""
    lengths = texts.lengths[left] + texts.lengths[right]
    order = np.argsort(-lengths, kind="stable")
    at = 0
    while at < len(order):
        count = max(
            1, CELLS[texts.table.device.type] // _cells(texts, int(lengths[order[at]]))
        )  # none after it is longer
        yield order[at : at + count]
        at += count


def _cells(texts: Embedded, tokens: int) -> int:
    """Numbers in the tensors of a pair of so many tokens, at most."""
    return tokens * int(texts.table.shape[1]) + tokens * tokens // 4


def _large(texts: Embedded, left: Ints, right: Ints) -> bool:
    """Whether this is one pair, and too large for one batch."""
    tokens = int(texts.lengths[left[0]] + texts.lengths[right[0]])
    return _cells(texts, tokens) > CELLS[texts.table.device.type]


Best = tuple[Any, Any, Any, Any]
"""The highest similarity of each token of the left texts [pairs, n] and of the right ones [pairs, m], and both's weights."""


def _match(texts: Embedded, left: Ints, right: Ints) -> Best:
    """Of pairs that share a batch."""
    import torch

    x, x_weights = _gather(texts, left)  # [pairs, n, width], [pairs, n]
    y, y_weights = _gather(texts, right)  # [pairs, m, width], [pairs, m]
    similar = torch.bmm(x, y.transpose(1, 2))  # [pairs, n, m]
    return similar.amax(2), similar.amax(1), x_weights, y_weights


def _match_parts(texts: Embedded, left: Ints, right: Ints) -> Best:
    """Of one pair, part by part of each text."""
    import torch

    side = math.isqrt(CELLS[texts.table.device.type])
    (x, x_weights), (y, y_weights) = (_slice(texts, int(rows[0])) for rows in (left, right))  # [n, width], [n]
    best_x, best_y = (one.new_full((len(one),), -torch.inf) for one in (x, y))
    for a, row in zip(x.split(side), best_x.split(side), strict=True):
        for b, column in zip(y.split(side), best_y.split(side), strict=True):
            similar = a @ b.T
            torch.maximum(row, similar.amax(1), out=row)
            torch.maximum(column, similar.amax(0), out=column)
    return best_x[None], best_y[None], x_weights[None], y_weights[None]


def _averaged(best_x: Any, best_y: Any, x_weights: Any, y_weights: Any, zero: bool) -> Any:
    """float32 tensor [pairs, 2]"""
    import torch

    best_x, best_y = best_x.float(), best_y.float()
    if zero:
        best_x, best_y = best_x.clamp_(min=0), best_y.clamp_(min=0)
    return torch.stack([(best_x * x_weights).sum(1), (best_y * y_weights).sum(1)], 1)


def _slice(texts: Embedded, row: int) -> tuple[Any, Any]:
    """The vectors of one text and its weights, as they lie there."""
    start, first, length = int(texts.starts[row]), int(texts.first[row]), int(texts.lengths[row])
    return texts.table[start : start + length], texts.weights[first : first + length]


def _gather(texts: Embedded, rows: Ints) -> tuple[Any, Any]:
    """The vectors of some texts, padded to the longest with each one's last token, which changes no maximum; and the
    weights, 0 for padding."""
    import torch

    device = texts.table.device
    starts, lengths, first = (
        tensor(device, values[rows])[:, None] for values in (texts.starts, texts.lengths, texts.first)
    )
    steps = torch.arange(int(texts.lengths[rows].max()), device=device)
    inside = torch.minimum(steps, lengths - 1)
    return texts.table[starts + inside], texts.weights[first + inside] * (steps < lengths)
