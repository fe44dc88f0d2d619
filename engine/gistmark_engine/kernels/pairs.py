"""Which texts are compared with which."""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import inlined, kernel


@kernel
def reference_pairs(summaries, references, offsets, groups):
    """Every summary with every reference of its group: target and base spans [pairs, 2], by group, reference, member.

    summaries, references  spans by row and by reference; `offsets`: the references of each group

    The base is the reference, so that its tables serve a whole group; for a row on its own it is the shorter of the two.
    Multiset overlap and LCS do not mind which is which.
    """
    count = _count(offsets, groups)
    target, base = np.empty((count, 2), np.int64), np.empty((count, 2), np.int64)
    pair = 0
    for g in range(len(groups.offsets) - 1):
        alone = groups.offsets[g + 1] - groups.offsets[g] == 1
        for k in range(offsets[g], offsets[g + 1]):
            for m in range(groups.offsets[g], groups.offsets[g + 1]):
                row = groups.members[m]
                swap = alone and _size(summaries, row) <= _size(references, k) and summaries[row, 0] >= 0
                _put(base if swap else target, pair, summaries, row)
                _put(target if swap else base, pair, references, k)
                pair += 1
    return target, base


@inlined
def _count(offsets, groups):
    """How many pairs of a summary and a reference of its group there are."""
    count = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        count += (offsets[g + 1] - offsets[g]) * (groups.offsets[g + 1] - groups.offsets[g])
    return count


@inlined
def _size(spans, k):
    return spans[k, 1] - spans[k, 0]


@inlined
def _put(to, pair, spans, k):
    to[pair, 0], to[pair, 1] = spans[k, 0], spans[k, 1]


@kernel
def union_pairs(cut, groups):
    """(reference, row) of the same pairs in the same order, int64 [pairs] each."""
    count = _count(cut.reference_offsets, groups)
    reference, row = np.empty(count, np.int64), np.empty(count, np.int64)
    pair = 0
    for g in range(len(groups.offsets) - 1):
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            for m in range(groups.offsets[g], groups.offsets[g + 1]):
                reference[pair], row[pair] = k, groups.members[m]
                pair += 1
    return reference, row


@kernel
def source_pairs(cut, groups):
    """Every reference and every summary against its group's source, by group, references first.

    Returns (target spans [pairs, 2], base spans [pairs, 2], pair of each reference, pair of each row).
    """
    count = cut.reference_offsets[-1] + len(cut.summary)  # cut.reference has room for null references too
    target, base = np.empty((count, 2), np.int64), np.empty((count, 2), np.int64)
    reference_pair, row_pair = np.empty(len(cut.reference), np.int64), np.empty(len(cut.summary), np.int64)
    pair = 0
    for g in range(len(groups.offsets) - 1):
        first = pair
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            _put(target, pair, cut.reference, k)
            reference_pair[k] = pair
            pair += 1
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            _put(target, pair, cut.summary, row)
            row_pair[row] = pair
            pair += 1
        for p in range(first, pair):
            _put(base, p, cut.source, g)
    return target, base, reference_pair, row_pair
