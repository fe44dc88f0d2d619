"""Clipped n-gram matches of every order from 1 up, for many pairs of texts: what chrF counts.

Two ways, by what they cost: short texts by the bits of places (`ends`), in time with the product of the lengths; long ones
by sorting (`prefixes`), in time with their sum.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.ends import PART, make_ends, match_ends
from gistmark_engine.kernels.prefixes import make_prefixes, match_prefixes
from gistmark_engine.lanes import LANES

SORTED = 4 / 3
"""What sorting costs a token, counted in tokens of a target matched with a part of a base."""


@kernel
def match_orders(pairs, top):
    """(matches int64 [top, pairs], bool [pairs]: which are left to count otherwise).

    Left are long texts of too many kinds of token, and all where `top` is more than there are lanes. Null texts give 0.
    """
    count = len(pairs.target)
    hits, left = np.zeros((top, count), np.int64), np.zeros(count, np.bool_)
    if top > LANES:
        left[:] = True
        return hits, left
    short, long = _longest(pairs)
    ends = make_ends(pairs.vocabulary if short > 0 else 0, short)
    prefixes = make_prefixes(pairs.vocabulary if long > 0 else 0, long)
    _match(pairs, ends, prefixes, hits, left)
    return hits, left


@inlined
def _longest(pairs):
    """The longest text matched by bits, and the most tokens of a pair that is sorted; 0 where no pair is."""
    short, long = np.int64(0), np.int64(0)
    for p in range(len(pairs.target)):
        one, other = _size(pairs.base, p), _size(pairs.target, p)
        if _is_long(min(one, other), max(one, other)):
            long = max(long, one + other)
        else:
            short = max(short, one, other)
    return short, long


@inlined
def _size(spans, p):
    return spans[p, 1] - spans[p, 0]


@inlined
def _is_long(base, target):
    return target * ((base + PART - 1) // PART) > SORTED * (base + target)


@inlined
def _match(pairs, ends, prefixes, hits, left):
    """All pairs; the shorter text of a pair is the base."""
    pairs, ends, prefixes = borrowed(pairs), borrowed(ends), borrowed(prefixes)
    hits, left, top = borrowed(hits), borrowed(left), len(hits)
    for p in range(len(pairs.target)):
        base, target = _text(pairs, pairs.base, p), _text(pairs, pairs.target, p)
        if len(base) > len(target):
            base, target = target, base
        if not _is_long(len(base), len(target)):
            match_ends(base, target, ends)
            for k in range(top):
                hits[k, p] = ends.counts[k]
        elif match_prefixes(base, target, top, prefixes):
            for k in range(top):
                hits[k, p] = (len(base) + len(target) - prefixes.difference[k]) >> 1
        else:
            left[p] = True


@inlined
def _text(pairs, spans, p):
    return pairs.ids[max(spans[p, 0], 0) : max(spans[p, 1], 0)]
