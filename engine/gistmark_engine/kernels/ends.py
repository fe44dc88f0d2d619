"""n-grams of all orders at once that two short texts share, by the bits of the places in the base where they end.

A lane is an order. Where the target's n-gram up to here ends in the base follows from where its n-gram one order shorter
ended before: one place further, if this token stands there. Equal grams have equal places and different ones none in
common, so each place can be claimed once, which is what clipped counting asks for. A base longer than a number of places
is taken part by part; of each token of the target it is kept which lanes carry over into the next part, and which have
claimed a place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import load_byte, load_half
from gistmark_engine.jit import inlined
from gistmark_engine.lanes import LANES, add_zeros, all_bits, claimed, grown, highest, no_bits

U0, U1 = np.uint64(0), np.uint64(1)
NARROW, WIDE = 2, 4
"""Words of places in a part of the base: NARROW where it is one such part, WIDE in longer ones. A wider part takes longer, but
less for each of its places."""

PART = 64 * WIDE


class Ends(NamedTuple):
    """`masks[words · (id + 1)]`: the places of a token in the part of the base at hand, none for id −1; by token of the target
    `carried` and `done`, flags of lanes; `counts` of the lanes."""

    masks: np.ndarray
    carried: np.ndarray
    done: np.ndarray
    counts: np.ndarray


@inlined
def make_ends(vocabulary, longest):
    return Ends(
        np.zeros(WIDE * (vocabulary + 2), np.uint64),
        np.empty(longest, np.uint8),
        np.empty(longest, np.uint8),
        np.empty(LANES, np.int64),
    )


@inlined
def match_ends(base, target, ends):
    """Count the shared n-grams of two texts, given as ids, into `ends.counts`: lane k for order k + 1."""
    ends.counts[:] = 0
    if len(base) <= 64 * NARROW:
        _match_parts(no_bits(NARROW), NARROW, base, target, ends)
    else:
        _match_parts(no_bits(WIDE), WIDE, base, target, ends)


@inlined
def _match_parts(nothing, words, base, target, ends):
    """The same, part by part; `nothing`: no places, of so many words."""
    size = 64 * words
    for first in range(0, len(base), size):
        part = base[first : first + size]
        _learn(part, words, ends.masks)
        if len(base) <= size:
            _claim_once(nothing, words, target, ends)
        else:
            _claim_part(nothing, words, target, first == 0, ends)
        _forget(part, words, ends.masks)


@inlined
def _learn(part, words, masks):
    for j in range(len(part)):
        masks[_place(part[j], words) + np.uint64(j >> 6)] |= U1 << np.uint64(j & 63)
    masks[:words] = 0


@inlined
def _forget(part, words, masks):
    """Few kinds of token are forgotten all at once, else those of the part."""
    if len(masks) <= 64 * len(part):
        masks[:] = 0
        return
    for j in range(len(part)):
        for w in range(words):
            masks[_place(part[j], words) + np.uint64(w)] = U0


@inlined
def _place(number, words):
    """Where the masks of a token lie."""
    return np.uint64(words * (np.int64(number) + 1))


@inlined
def _masks_of(ids, i, words, masks):
    """The address of the masks of token i."""
    return masks + 8 * np.int64(_place(np.int32(load_half(ids + 4 * i)), words))


@inlined
def _claim_once(places, words, target, ends):
    """All of the base is in the masks."""
    ids, masks = target.ctypes.data, ends.masks.ctypes.data
    free = all_bits(places)
    for i in range(len(target)):
        places = grown(places, U1, _masks_of(ids, i, words, masks))
        free, _ = claimed(free, places, U0)
    add_zeros(free, ends.counts.ctypes.data)


@inlined
def _claim_part(places, words, target, is_first, ends):
    """A part of the base is in the masks. Every place continues lane −1, hence the flag 1."""
    ids, masks = target.ctypes.data, ends.masks.ctypes.data
    if is_first:
        ends.carried[: len(target)] = 1
        ends.done[: len(target)] = 0
    carried, done = ends.carried.ctypes.data, ends.done.ctypes.data
    free, lowest = all_bits(places), U1
    for i in range(len(target)):
        places = grown(places, lowest, _masks_of(ids, i, words, masks))
        free, taken = claimed(free, places, load_byte(done + i))
        lowest = load_byte(carried + i)
        ends.carried[i], ends.done[i] = highest(places) << U1 | U1, taken
    add_zeros(free, ends.counts.ctypes.data)
