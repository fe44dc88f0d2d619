"""Clipped n-gram matches of every order from 1 up, for many pairs of texts: what chrF counts.

Two ways: where one text is short by the bits of its places (`ends`), where both are long by sorting (`prefixes`), in time with
the sum of the lengths.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.ends import WIDE, make_ends, match_ends
from gistmark_engine.kernels.prefixes import make_prefixes, match_prefixes
from gistmark_engine.lanes import LANES

SHORT = 64 * WIDE
"""Tokens of the shorter text of a pair that bits are the quicker way for."""


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
    longest = _longest(pairs)
    ends = make_ends(pairs.vocabulary)
    prefixes = make_prefixes(pairs.vocabulary if longest > 0 else 0, longest)
    _match(pairs, ends, prefixes, hits, left)
    return hits, left


@inlined
def _longest(pairs):
    """The most tokens of a pair that is sorted, 0 where none is."""
    longest = np.int64(0)
    for p in range(len(pairs.target)):
        one, other = pairs.base[p, 1] - pairs.base[p, 0], pairs.target[p, 1] - pairs.target[p, 0]
        if min(one, other) > SHORT:
            longest = max(longest, one + other)
    return longest


@inlined
def _match(pairs, ends, prefixes, hits, left):
    """All pairs; the shorter text of a pair is the base."""
    pairs, ends, prefixes = borrowed(pairs), borrowed(ends), borrowed(prefixes)
    hits, left, top = borrowed(hits), borrowed(left), len(hits)
    for p in range(len(pairs.target)):
        base, target = _text(pairs, pairs.base, p), _text(pairs, pairs.target, p)
        if len(base) > len(target):
            base, target = target, base
        if len(base) <= SHORT:
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
