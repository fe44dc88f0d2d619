"""Rows of different lengths in one array: what tokenizers give and batches are cut from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ragged:
    """Integers by row.

    values  int32 (total,), the rows behind each other
    bounds  int64 (rows + 1,): row k is values[bounds[k]:bounds[k + 1]]
    """

    values: NDArray[np.int32]
    bounds: Ints

    @staticmethod
    def of(rows: Sequence[Sequence[int]]) -> Ragged:
        """Rows given as lists."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        values = np.fromiter(itertools.chain.from_iterable(rows), np.int32, int(lengths.sum()))
        return Ragged(values, bounds_of(lengths))

    @staticmethod
    def repeat(row: Sequence[int], count: int) -> Ragged:
        """One row `count` times."""
        return Ragged(np.tile(np.array(row, np.int32), count), np.arange(count + 1, dtype=np.int64) * len(row))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def lengths(self) -> Ints:
        """int64 (rows,)"""
        return np.diff(self.bounds)

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.values[self.bounds[row] : self.bounds[row + 1]]

    def take(self, rows: Ints) -> Ragged:
        """Some rows, in the order given."""
        return self.slices(rows, np.zeros(len(rows), np.int64), self.lengths[rows])

    def head(self, limits: Ints) -> Ragged:
        """The first `limits[k]` values of each row k, all of it where it has fewer."""
        rows = np.arange(len(self))
        return self.slices(rows, np.zeros(len(self), np.int64), np.minimum(self.lengths, limits))

    def slices(self, rows: Ints, starts: Ints, lengths: Ints) -> Ragged:
        """`lengths[k]` values from place `starts[k]` of row `rows[k]` on, for every k."""
        return Ragged(self.values[places(self.bounds[rows] + starts, lengths)], bounds_of(lengths))

    def padded(self, fill: int, width: int = 0) -> NDArray[np.int64]:
        """int64 (rows, longest row, or `width` if that is more), filled up with `fill` on the right."""
        table = np.full((len(self), max(int(self.lengths.max(initial=0)), width)), fill, np.int64)
        table[np.arange(table.shape[1]) < self.lengths[:, None]] = self.values
        return table


def bounds_of(lengths: Ints) -> Ints:
    """Where rows of these lengths begin and end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def places(starts: Ints, lengths: Ints) -> Ints:
    """The places starts[k], …, starts[k] + lengths[k] - 1 of every k, behind each other."""
    bounds = bounds_of(lengths)
    return np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])


def means(values: NDArray[np.float64], starts: Ints) -> NDArray[np.float64]:
    """The mean of each range of elements, which begins at `starts` and has one or more, along the first axis."""
    counts = np.diff(starts, append=len(values))
    found: NDArray[np.float64] = np.add.reduceat(values, starts) / counts.reshape(-1, *[1] * (values.ndim - 1))
    return found


def join(*parts: Ragged) -> Ragged:
    """Row k of every part, behind each other in one row k."""
    lengths = np.stack([part.lengths for part in parts], axis=1)  # [rows, parts]
    starts = bounds_of(lengths.ravel())[:-1].reshape(lengths.shape)
    values = np.empty(int(lengths.sum()), np.int32)
    for at, part in enumerate(parts):
        values[places(starts[:, at], part.lengths)] = part.values
    return Ragged(values, bounds_of(lengths.sum(axis=1)))
