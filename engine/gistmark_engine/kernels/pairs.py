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
