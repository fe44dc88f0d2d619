"""64 ASCII bytes at a time: their case folded, their tokens as masks, and those laid into the bits of a text."""

from __future__ import annotations

import numpy as np

from gistmark_engine.blocks import alnum_mask, copy_block, lower_block, newline_mask, space_mask, word_mask
from gistmark_engine.intrinsics import load_byte, load_word, store_word
from gistmark_engine.jit import inlined
from gistmark_engine.tokenizers.rule import ROUGE, ROUGE155, WHITESPACE, WORD_LOWER, WORD_PUNCT

U0, U1, U63, U64 = np.uint64(0), np.uint64(1), np.uint64(63), np.uint64(64)
ONES = ~U0


@inlined
def block_of(address, length, block, pad):
    """(where to read 64 bytes, how many of them lie before a text's block, which bits of the block lie in the text).

    The last block is read from 64 bytes before the end, or from a padded copy: nothing beyond the text is touched.
    """
    at, left = address + 64 * block, length - 64 * block
    if left >= 64:
        return at, U0, ONES
    live = (U1 << np.uint64(left)) - U1
    if length < 64:
        return _padded(address, length, pad), U0, live
    return at + left - 64, np.uint64(64 - left), live


@inlined
def _padded(address, length, pad):
    """The address of a copy of a text of less than 64 bytes, zeros behind it."""
    to = pad.ctypes.data
    for k in range(0, 64, 8):
        store_word(to + k, U0)
    for k in range(0, length - 7, 8):
        store_word(to + k, load_word(address + k))
    for k in range(length & ~7, length):
        pad[k] = load_byte(address + k)
    return to


@inlined
def fold_block(at, to, rule):
    """Copy 64 bytes as the rule folds them."""
    if rule == WHITESPACE:
        copy_block(at, to)
    else:
        lower_block(at, to)


@inlined
def token_masks(at, rule):
    """Bytes inside word-like tokens, and bytes that are tokens by themselves."""
    if rule == ROUGE or rule == ROUGE155:
        return alnum_mask(at), U0
    if rule == WORD_LOWER:
        return word_mask(at), U0
    if rule == WORD_PUNCT:
        word = word_mask(at)
        return word, ~(word | space_mask(at))
    return ~space_mask(at), U0


@inlined
def mark_stretch(at, count, rule, folded, size, in_word, starts, ends, breaks):
    """Append the first `count` of 64 bytes, all of them ASCII, to the `size` bytes of a text whose folded bytes begin at
    the address `folded`; 64 are written. Returns (size, whether a word is open)."""
    fold_block(at, folded + size, rule)
    live = ~U0 >> (U64 - np.uint64(count))
    word, single = token_masks(at, rule)
    word, single = word & live, single & live
    before = (word << U1) | np.uint64(in_word)
    after = size + count
    if after >> 6 != size >> 6:
        block = after >> 6
        starts[block], ends[block], breaks[block] = U0, U0, U0
    _lay(starts, size, (word & ~before) | single)
    _lay(ends, size, (before & ~word & live) | (single << U1))
    _lay(breaks, size, newline_mask(at) & live)
    if count == 64 and single >> U63 != U0:
        set_bit(ends, after)
    return after, (word >> np.uint64(count - 1)) & U1 != U0


@inlined
def _lay(bits, position, mask):
    """Set the bits of a mask from a position on; the words beyond the first that it reaches are there."""
    block, shift = position >> 6, np.uint64(position & 63)
    bits[block] |= mask << shift
    rest = mask >> U1 >> (U63 - shift)
    if rest != U0:
        bits[block + 1] |= rest


@inlined
def set_bit(bits, position):
    bits[position >> 6] |= U1 << np.uint64(position & 63)
