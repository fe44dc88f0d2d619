"""n-grams of all orders at once that two texts share, by the bits of the places in the base where they end.

A lane is an order. Where the target's n-gram up to here ends in the base follows from where its n-gram one order shorter
ended before: one place further, if this token stands there. Equal grams have equal places and different ones none in
common, so each place can be claimed once, which is what clipped counting asks for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import load_half
from gistmark_engine.jit import inlined
from gistmark_engine.lanes import LANES, all_bits, claimed, grown, no_bits, put_zeros

U0, U1 = np.uint64(0), np.uint64(1)
NARROW, MIDDLE, WIDE = 2, 4, 6
"""Words of places of a base. Up to WIDE of them this beats sorting what begins at each token of both texts."""


class Ends(NamedTuple):
    """`masks[words · (id + 1)]`: the places of a token in the base; `counts` of the lanes.

    A token that the other text lacks may be −1, in one of the two texts: then it meets no place of its own kind.
    """

    masks: np.ndarray
    counts: np.ndarray


@inlined
def make_ends(vocabulary):
    return Ends(np.zeros(WIDE * (vocabulary + 2), np.uint64), np.empty(LANES, np.int64))


@inlined
def match_ends(base, target, ends):
    """Count the shared n-grams of two texts, given as ids, into `ends.counts`: lane k for order k + 1."""
    if len(base) <= 64 * NARROW:
        _match(no_bits(NARROW), NARROW, base, target, ends)
    elif len(base) <= 64 * MIDDLE:
        _match(no_bits(MIDDLE), MIDDLE, base, target, ends)
    else:
        _match(no_bits(WIDE), WIDE, base, target, ends)


@inlined
def _match(places, words, base, target, ends):
    """The same for a base of so many words of places, of which there are none yet."""
    _learn(base, words, ends.masks)
    ids, masks, free = target.ctypes.data, ends.masks.ctypes.data, all_bits(places)
    for i in range(len(target)):
        places = grown(places, masks + 8 * np.int64(_place(np.int32(load_half(ids + 4 * i)), words)))
        free = claimed(free, places)
    put_zeros(free, ends.counts.ctypes.data)
    _forget(base, words, ends.masks)


@inlined
def _learn(base, words, masks):
    for j in range(len(base)):
        masks[_place(base[j], words) + np.uint64(j >> 6)] |= U1 << np.uint64(j & 63)


@inlined
def _forget(base, words, masks):
    """Few kinds of token are forgotten all at once, else those of the base."""
    if len(masks) <= 64 * len(base):
        masks[:] = 0
        return
    for j in range(len(base)):
        for w in range(words):
            masks[_place(base[j], words) + np.uint64(w)] = U0


@inlined
def _place(number, words):
    """Where the masks of a token lie."""
    return np.uint64(words * (np.int64(number) + 1))
