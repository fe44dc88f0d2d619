"""Which rows share references and source, found without reading texts that differ at first sight.

Evaluation sets repeat their documents: one line a system. Rows are matched by the lengths and the outer bytes of their
shared texts, then compared byte by byte, so equal groups are equal texts and nothing depends on a hash. Texts that look
alike at first sight and differ inside (fixed-width templates) are compared with a few of their kind only: a group missed
costs time, never a number.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.blocks import difference_mask
from gistmark_engine.intrinsics import borrowed, load_byte, load_word
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.records import Groups
from gistmark_engine.kernels.token import MIX_A, MIX_B, U29, U32

U0 = np.uint64(0)
TRIES = 32
"""Rows that look alike a row is compared with before it leads a group of its own."""


@kernel
def group_rows(rows):
    """Groups in order of their first row; the members of each in row order."""
    count = len(rows.reference_first)
    leader = _leaders(rows, count)
    group, sizes = np.empty(count, np.int64), np.zeros(count, np.int64)
    found = 0
    for row in range(count):
        if leader[row] == row:
            group[row] = found
            found += 1
        else:
            group[row] = group[leader[row]]
        sizes[group[row]] += 1
    offsets = np.zeros(found + 1, np.int64)
    for g in range(found):
        offsets[g + 1] = offsets[g] + sizes[g]
    filled, members = offsets[:found].copy(), np.empty(count, np.int64)
    for row in range(count):
        members[filled[group[row]]] = row
        filled[group[row]] += 1
    return Groups(offsets, members)


@inlined
def _leaders(rows, count):
    """For each row the first row with the same shared texts."""
    rows = borrowed(rows)
    bits = np.int64(1)
    while np.int64(1) << bits < 2 * count:
        bits += 1
    table, last = np.full(np.int64(1) << bits, -1, np.int64), (np.int64(1) << bits) - 1
    leader = np.empty(count, np.int64)
    for row in range(count):
        if row > 0 and _same_shared(rows, row - 1, row):
            leader[row] = leader[row - 1]
            continue
        leader[row] = row
        slot = np.int64(_glance(rows, row) >> np.uint64(64 - bits))
        for _ in range(TRIES):
            if table[slot] < 0:
                table[slot] = row
                break
            if _same_shared(rows, table[slot], row):
                leader[row] = table[slot]
                break
            slot = (slot + 1) & last
    return leader


@inlined
def _glance(rows, row):
    """A hash of the number, lengths and outer bytes of the shared texts."""
    value = np.uint64(0)
    if rows.source >= 0:
        value = _glance_text(rows, rows.source + row, value)
    for t in range(rows.reference_first[row], rows.reference_last[row]):
        value = _glance_text(rows, t, value + MIX_B)
    return value * MIX_B


@inlined
def _glance_text(rows, t, value):
    for p in range(rows.start[t], rows.stop[t]):
        address, length = rows.address[p], rows.length[p]
        value = (value ^ np.uint64(length)) * MIX_A
        if length >= 8:
            value = (value ^ load_word(address)) * MIX_A
            value ^= value >> U29
            value = (value ^ load_word(address + length - 8)) * MIX_B
        elif length >= 0:
            for k in range(length):
                value = (value ^ load_byte(address + k)) * MIX_B
        else:
            value = (value ^ np.uint64(address)) * MIX_B
        value ^= value >> U32
    return value


@inlined
def _same_shared(rows, one, other):
    many = rows.reference_last[one] - rows.reference_first[one]
    if rows.reference_last[other] - rows.reference_first[other] != many:
        return False
    if rows.source >= 0 and not _same_text(rows, rows.source + one, rows.source + other):
        return False
    for k in range(many):
        if not _same_text(rows, rows.reference_first[one] + k, rows.reference_first[other] + k):
            return False
    return True


@inlined
def _same_text(rows, one, other):
    if (rows.start[one] < 0) != (rows.start[other] < 0):
        return False
    many = rows.stop[one] - rows.start[one]
    if rows.stop[other] - rows.start[other] != many:
        return False
    for k in range(many):
        p, q = rows.start[one] + k, rows.start[other] + k
        if rows.length[p] != rows.length[q]:
            return False
        if rows.address[p] != rows.address[q] and not _same_bytes(rows.address[p], rows.address[q], rows.length[p]):
            return False
    return True


@inlined
def _same_bytes(one, other, length):
    """Whether `length` bytes agree; a negative length is an integer or a null, whose address is its value."""
    if length < 0:
        return length == -1
    for at in range(0, length - 63, 64):
        if difference_mask(one + at, other + at) != U0:
            return False
    if length >= 64:
        return difference_mask(one + length - 64, other + length - 64) == U0
    for at in range(length):
        if load_byte(one + at) != load_byte(other + at):
            return False
    return True
