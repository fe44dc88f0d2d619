"""What two texts can have in common: the tokens of a base and of its targets that may be matched, and where they stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined

FEW = 64
"""Tokens of a base that is not worth looking through for those its targets have."""

MULTISET, SET, MEMBERSHIP = range(3)
"""What counts as shared: min of both counts; distinct grams of both; every gram of the target that the base has."""


class Kept(NamedTuple):
    """Entries (id + 1) and positions of a base's and a target's tokens.

    seen  by entry: 2 · turn where one of the base's targets has the token, 2 · turn + 1 where the base has it too; `turn`
    counts the bases from 1, so that nothing has to be cleared
    """

    base: np.ndarray
    base_places: np.ndarray
    target: np.ndarray
    target_places: np.ndarray
    seen: np.ndarray


@inlined
def make_kept(base, target, vocabulary):
    return Kept(
        np.empty(base + 1, np.int64), np.empty(base + 1, np.int64), np.empty(target + 1, np.int64),
        np.empty(target + 1, np.int64), np.zeros(vocabulary + 2, np.int64),
    )  # fmt: skip


@inlined
def keep_base(pairs, first, last, turn, kept):
    """Note the tokens of the base of the pairs first..last that can be matched; returns how many.

    Of a base of more than FEW tokens these are the ones that its targets have; otherwise all that have an id.
    """
    start, stop, seen = pairs.base[first, 0], pairs.base[first, 1], kept.seen
    if stop - start <= FEW:
        return _keep_numbered(pairs.ids, start, stop, kept)
    for p in range(first, last):
        for i in range(pairs.target[p, 0], pairs.target[p, 1]):
            seen[pairs.ids[i] + 1] = 2 * turn
    seen[0] = 0
    return _keep_wanted(pairs.ids, start, stop, turn, kept)


@inlined
def _keep_numbered(ids, start, stop, kept):
    entries, places, size = kept.base, kept.base_places, np.int64(0)
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        entries[size], places[size] = entry, i
        size += np.int64(entry > 0)
    return size


@inlined
def _keep_wanted(ids, start, stop, turn, kept):
    entries, places, seen, size = kept.base, kept.base_places, kept.seen, np.int64(0)
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        entries[size], places[size] = entry, i
        known = seen[entry]
        wanted = known >= 2 * turn
        seen[entry] = 2 * turn + 1 if wanted else known
        size += np.int64(wanted)
    return size


@inlined
def known_target(ids, start, stop, turn, kept):
    """Note the target's tokens that the base has too; returns how many. The others take no part in anything."""
    entries, places, seen, known = kept.target, kept.target_places, kept.seen, np.int64(0)
    for i in range(start, stop):
        entry = np.int64(ids[i]) + 1
        entries[known], places[known] = entry, i
        known += np.int64(seen[entry] == 2 * turn + 1)
    return known


@inlined
def all_known(ids, start, stop, kept):
    """Note all tokens of a target; entry 0 matches nothing."""
    entries, places = kept.target, kept.target_places
    for i in range(start, stop):
        entries[i - start], places[i - start] = np.int64(ids[i]) + 1, i
    return stop - start
