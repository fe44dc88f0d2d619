"""Where a source has each pair of adjacent tokens: of a run that a summary copies, two tokens or more, the opening.

Two texts share far fewer pairs than tokens, so that walking from pair to pair stays short where walking from token to token
grows with the length of the source.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.records import NULL
from gistmark_engine.kernels.token import MIX_A, table_shift

U32 = np.uint64(32)


class Openings(NamedTuple):
    """`table`: a pair's first place + 1, 0 in an empty slot; per place, where the same pair comes next, and how often it comes
    from there on."""

    table: np.ndarray
    following: np.ndarray
    times: np.ndarray


@inlined
def make_openings(size):
    """Room for a source of up to `size` tokens."""
    return Openings(
        np.empty(np.int64(1) << (64 - _shift(size)), np.int64), np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
    )  # fmt: skip


@inlined
def _shift(size):
    """The shift of the table for a source of `size` tokens with an id."""
    return table_shift(4 * size + 16)


@inlined
def learn_openings(ids, start, stop, numbered, count, openings):
    """Note the pairs of the source ids[start:stop], of whose tokens the `count` at the places `numbered` have an id."""
    shift, size = _shift(count), stop - start
    openings.table[: np.int64(1) << (64 - shift)] = 0
    for k in range(count - 1, -1, -1):
        j = numbered[k]
        if j + 1 < size and ids[start + j + 1] >= 0:
            slot = _find(ids, start + j, start, shift, openings.table)
            first = openings.table[slot] - 1
            openings.following[j] = first if first >= 0 else NULL
            openings.times[j] = openings.times[first] + 1 if first >= 0 else 1
            openings.table[slot] = j + 1


@inlined
def opening(ids, at, start, count, openings):
    """The first place in the source, of which `count` tokens have an id, of the pair at ids[at], NULL if it has none."""
    return openings.table[_find(ids, at, start, _shift(count), openings.table)] - 1


@inlined
def _find(ids, at, start, shift, table):
    """The slot of the pair at ids[at]: its own, or the free one that is to hold it."""
    one, two = ids[at], ids[at + 1]
    key = (np.uint64(np.int64(one) + 1) << U32) | np.uint64(np.int64(two) + 1)
    slot, last = np.int64((key * MIX_A) >> np.uint64(shift)), (np.int64(1) << (64 - shift)) - 1
    while table[slot] != 0:
        known = start + table[slot] - 1
        if ids[known] == one and ids[known + 1] == two:
            break
        slot = (slot + 1) & last
    return slot
