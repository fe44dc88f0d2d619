"""Stems remembered: real text repeats its words, so nine in ten stems are looked up, not computed.

A direct-mapped table of fixed size: a row is the token's two words and those of its stem, which hold the lengths too. A
token of more than fifteen bytes is not remembered. Whole keys are compared, so a memo can forget but never be wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.intrinsics import load_word, store_word
from gistmark_engine.jit import called, inlined
from gistmark_engine.kernels.stem import stem_token
from gistmark_engine.kernels.token import SHORT, U56, home_slot, token_words

SLOTS_LOG, ROW = 14, 32
"""Rows of a memo, bytes of a row."""

U0 = np.uint64(0)

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
    row = memo.ctypes.data + ROW * home_slot(a, b, 64 - SLOTS_LOG)
    if (load_word(row) ^ a) | (load_word(row + 8) ^ b) != U0:
        return _stem_anew(a, b, length, start, folded, row)
    stem_b = load_word(row + 24)
    return load_word(row + 16), stem_b, np.int64(stem_b >> U56)


@called
def _stem_anew(a, b, length, start, folded, row):
    """Words and length of the stem of the token at `start` of the folded text, which may be stemmed in place; they go to
    the memo's row that lies at `row`. Compiled apart: it is rarely needed, and large."""
    size = length
    if length > UNSTEMMED:
        size = np.int64(stem_token(folded, start, start + length) - start)
    stem_a, stem_b = token_words(folded.ctypes.data + start, size)
    if length <= SHORT:
        store_word(row, a)
        store_word(row + 8, b)
        store_word(row + 16, stem_a)
        store_word(row + 24, stem_b)
    return stem_a, stem_b, size
