"""Stems remembered: real text repeats its words, so nine in ten stems are looked up, not computed.

A direct-mapped table of fixed size: row = the token's two words, then those of its stem and the stem's length. A token
of more than fifteen bytes is not remembered. Whole keys are compared, so a memo can forget but never be wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.intern import SHORT, home_slot, token_words
from gistmark_engine.kernels.stem import stem_token

SLOTS_LOG = 15

UNSTEMMED = 3
"""Tokens of up to this many bytes stay as they are, as in `rouge_score`."""


def make_memo() -> NDArray[np.uint64]:
    """An empty memo, 1.3 MB."""
    return np.zeros((1 << SLOTS_LOG, 5), np.uint64)


@inlined
def stemmed(a, b, length, start, folded, memo):
    """The token's words and length, or those of its stem where there is a memo: without one the stemmer is not compiled."""
    if memo is None:
        return a, b, length
    if length <= UNSTEMMED:
        return a, b, length
    return memo_stem(a, b, length, start, folded, memo)


@inlined
def memo_stem(a, b, length, start, folded, memo):
    """(word, word, length) of the stem of the token at `start` of the folded text; the text may be stemmed in place."""
    slot = home_slot(a, b, 64 - SLOTS_LOG)
    if length <= SHORT and memo[slot, 0] == a and memo[slot, 1] == b:
        return memo[slot, 2], memo[slot, 3], np.int64(memo[slot, 4])
    size = np.int64(stem_token(folded, start, start + length) - start)
    stem_a, stem_b = token_words(folded.ctypes.data + start, size)
    if length <= SHORT:
        memo[slot, 0], memo[slot, 1] = a, b
        memo[slot, 2], memo[slot, 3], memo[slot, 4] = stem_a, stem_b, np.uint64(size)
    return stem_a, stem_b, size
