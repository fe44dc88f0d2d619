"""Stems remembered: real text repeats its words, so nine in ten stems are looked up, not computed.

A direct-mapped table of fixed size: a row is the token's two words and those of its stem, which hold the lengths too. A
token of more than fifteen bytes is not remembered. Whole keys are compared, so a memo can forget but never be wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.stem import stem_token
from gistmark_engine.kernels.token import SHORT, U56, home_slot, token_words

SLOTS_LOG = 14

UNSTEMMED = 3
"""Tokens of up to this many bytes stay as they are, as in `rouge_score`."""


def make_memo() -> NDArray[np.uint64]:
    """An empty memo, half a megabyte: it stays in a core's second cache."""
    return np.zeros(4 << SLOTS_LOG, np.uint64)


@inlined
def stemmed(a, b, length, start, folded, memo):
    """The token's words and length, or those of its stem where there is a memo: without one the stemmer is not compiled."""
    if memo is None:
        return a, b, length
    if length <= UNSTEMMED:
        return a, b, length
    return _memo_stem(a, b, length, start, folded, memo)


@inlined
def _memo_stem(a, b, length, start, folded, memo):
    """Words and length of the stem of the token at `start` of the folded text; the text may be stemmed in place."""
    row = 4 * home_slot(a, b, 64 - SLOTS_LOG)
    if length <= SHORT and memo[row] == a and memo[row + 1] == b:
        return memo[row + 2], memo[row + 3], np.int64(memo[row + 3] >> U56)
    size = np.int64(stem_token(folded, start, start + length) - start)
    stem_a, stem_b = token_words(folded.ctypes.data + start, size)
    if length <= SHORT:
        memo[row], memo[row + 1], memo[row + 2], memo[row + 3] = a, b, stem_a, stem_b
    return stem_a, stem_b, size
