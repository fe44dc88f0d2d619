"""Which texts are compared with which."""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import kernel


@kernel
def reference_pairs(groups, offsets):
    """(row, reference) int64 [pairs] of every summary with every reference of its group: by group, reference, member."""
    count = np.int64(0)
    for g in range(len(offsets) - 1):
        count += (offsets[g + 1] - offsets[g]) * (groups.offsets[g + 1] - groups.offsets[g])
    row, reference = np.empty(count, np.int64), np.empty(count, np.int64)
    pair = 0
    for g in range(len(offsets) - 1):
        for k in range(offsets[g], offsets[g + 1]):
            for m in range(groups.offsets[g], groups.offsets[g + 1]):
                row[pair], reference[pair] = groups.members[m], k
                pair += 1
    return row, reference


@kernel
def source_pairs(cut, groups):
    """Every reference and every summary against its group's source, by group, references first.

    Returns (target spans [pairs, 2], base spans [pairs, 2], pair of each reference, pair of each row).
    """
    count = len(cut.reference) + len(cut.summary)
    target, base = np.empty((count, 2), np.int64), np.empty((count, 2), np.int64)
    reference_pair, row_pair = np.empty(len(cut.reference), np.int64), np.empty(len(cut.summary), np.int64)
    pair = 0
    for g in range(len(groups.offsets) - 1):
        first = pair
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            target[pair, 0], target[pair, 1] = cut.reference[k, 0], cut.reference[k, 1]
            reference_pair[k] = pair
            pair += 1
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            target[pair, 0], target[pair, 1] = cut.summary[row, 0], cut.summary[row, 1]
            row_pair[row] = pair
            pair += 1
        for p in range(first, pair):
            base[p, 0], base[p, 1] = cut.source[g, 0], cut.source[g, 1]
    return target, base, reference_pair, row_pair
