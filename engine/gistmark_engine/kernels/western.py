"""First pass of the tokenizer 13a on ordinary text: the decisions of `kernels.mteval`, 64 characters at a time.

A bit stands for a byte, and a bit shifted up for the byte before it. Texts that 13a would edit (`&`, `<`, a hyphen that
ends a line), and those with white space beyond ASCII or capitals beyond ASCII to lower, are left to the walk by character;
any other character beyond ASCII is part of a word.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.blocks import (
    copy_block,
    digit_mask,
    edit_mask,
    high_mask,
    hyphen_mask,
    lower_block,
    mark_mask,
    may_be_space_mask,
    newline_mask,
    space_mask,
    stop_mask,
)
from gistmark_engine.characters import LIMIT, SPACE
from gistmark_engine.intrinsics import load_byte, trailing_zeros
from gistmark_engine.jit import inlined
from gistmark_engine.kernels.marks import block_of
from gistmark_engine.kernels.utf8 import decode, is_utf8

U0, U1, U2, U62, U63 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(62), np.uint64(63)
DIGIT_0, DIGIT_9, NEWLINE, COMMA, STOP = 48, 57, 10, 44, 46


@inlined
def classify_western(address, length, lowered, classes, pad, folded, starts, ends, breaks):
    """Fold and mark one piece; returns whether that could be done. `folded`: where its folded bytes go."""
    edited, high = U0, U0
    closed, digits, stops, visible = ~U0, U0, U0, U0
    for block in range((length + 63) >> 6):
        at, past, live = block_of(address, length, block, pad)
        if lowered:
            lower_block(at, folded + 64 * block - np.int64(past))
        else:
            copy_block(at, folded + 64 * block - np.int64(past))
        after = load_byte(address + 64 * block + 64) if length > 64 * block + 64 else U0
        newline = (newline_mask(at) >> past) & live
        hyphen, digit = (hyphen_mask(at) >> past) & live, (digit_mask(at) >> past) & live
        stop = (stop_mask(at) >> past) & live
        edited |= edit_mask(at) | (hyphen & _next(newline, after == NEWLINE))
        high |= high_mask(at)
        seen = ~(space_mask(at) >> past) & live
        after_digit = (digit << U1) | (digits >> U63)
        shut = ~seen | (mark_mask(at) >> past) | (hyphen & after_digit)
        joins = ~shut & ~((shut << U1) | (closed >> U63))
        joins &= ~stop | (after_digit & _next(digit, DIGIT_0 <= after <= DIGIT_9))
        after_stop = (stop << U1) | (stops >> U63)
        second = (stop << U2) | (stops >> U62)
        glued = digit & ((digit << U2) | (digits >> U62)) & ~second
        joins &= ~after_stop | glued | _after_run(digit & after_stop & second, address + 64 * block, address)
        starts[block] = seen & ~joins
        ends[block] = ((seen << U1) | (visible >> U63)) & ~joins
        breaks[block] = U0
        closed, digits, stops, visible = shut, digit, stop, seen
    if length & 63 == 0:
        block = length >> 6
        starts[block], ends[block], breaks[block] = U0, visible >> U63, U0
    return edited == U0 and (high == U0 or (not lowered and _is_plain(address, length, classes, pad)))


@inlined
def _next(bits, after):
    """The bits of the bytes that come next; `after`: that of the byte behind the block."""
    return (bits >> U1) | (np.uint64(after) << U63)


@inlined
def _after_run(candidates, at, address):
    """Which of the digits at `at` + k, each behind two commas or full stops at least, join the last of these: the rules
    eat a run two by two, so those behind an odd run that a digit precedes, or behind an even one that none precedes."""
    glued = U0
    while candidates != U0:
        k = trailing_zeros(candidates)
        before = at + k - 1
        while before >= address and (load_byte(before) == COMMA or load_byte(before) == STOP):
            before -= 1
        odd = (at + k - 1 - before) & 1 == 1
        follows = before >= address and DIGIT_0 <= load_byte(before) <= DIGIT_9
        glued |= np.uint64(odd == follows) << np.uint64(k)
        candidates &= candidates - U1
    return glued


@inlined
def _is_plain(address, length, classes, pad):
    """Whether a text is UTF-8 without white space beyond ASCII."""
    if not is_utf8(address, length):
        return False
    for block in range((length + 63) >> 6):
        at, past, live = block_of(address, length, block, pad)
        leads = (may_be_space_mask(at) >> past) & live
        while leads != U0:
            place = 64 * block + trailing_zeros(leads)
            point, _ = decode(address + place, length - place)
            if point < LIMIT and classes[point] & SPACE:
                return False
            leads &= leads - U1
    return True
