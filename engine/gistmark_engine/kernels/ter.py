"""From edits to the translation edit rate of every row."""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.edits import shift_edits
from gistmark_engine.metric import STATUS

OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]


@inlined
def edit_rate(edits, length):
    """100 · edits / length; 100 where there are edits but nothing to edit into, 0 where there is nothing at all."""
    if length > 0:
        return 100 * (edits / length)
    return 100.0 if edits > 0 else 0.0


@kernel
def ter_rows(cut, groups, parity):
    """float64 [4, rows]: TER, fewest edits to any reference, mean reference length, status; null rows hold anything.

    A row without references has NaN but for its status.

    parity: empty references count too; otherwise they are left out, and TER is NaN if all are empty.
    """
    out = np.full((4, len(cut.summary)), np.nan)
    for g in range(len(groups.offsets) - 1):
        first, last = cut.reference_offsets[g], cut.reference_offsets[g + 1]
        filled = 0
        for k in range(first, last):
            filled += parity or cut.reference[k, 1] > cut.reference[k, 0]
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            start, stop = cut.summary[row, 0], cut.summary[row, 1]
            out[3, row] = EMPTY_REFERENCE if filled == 0 else (EMPTY_SUMMARY if start == stop else OK)
            if start < 0 or first == last:
                continue
            edits, length = _fewest(cut, cut.ids[start:stop], first, last, parity or filled == 0)
            if filled > 0:
                out[0, row] = edit_rate(edits, length)
            out[1, row], out[2, row] = edits, length
    return out


@inlined
def _fewest(cut, summary, first, last, every):
    """(fewest edits, mean length) over the references first..last, all of them or those that hold a token."""
    fewest, total, count = np.int64(-1), np.int64(0), np.int64(0)
    for k in range(first, last):
        reference = cut.ids[cut.reference[k, 0] : cut.reference[k, 1]]
        if every or len(reference) > 0:
            edits = np.int64(shift_edits(summary, reference))
            fewest = edits if fewest < 0 else min(fewest, edits)
            total, count = total + len(reference), count + 1
    return fewest, total / count
