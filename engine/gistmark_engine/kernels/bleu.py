"""From clipped matches to BLEU, of a row or of a corpus."""

from __future__ import annotations

import math

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.metric import STATUS

NONE, EXP, FLOOR, ADD_K = range(4)
LOG_ZERO = -9999999999.0
OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]


@kernel
def bleu_score(counts, smooth, value, effective):
    """BLEU, 0 to 100, of float64 counts: summary length, reference length, matches of each order, totals of each order.

    smooth     NONE, EXP, FLOOR (by `value`) or ADD_K (`value` more matches and totals beyond unigrams)
    effective  average over the orders that the summary is long enough for, not over all
    """
    top = (len(counts) - 2) // 2
    if not np.any(counts[2 : 2 + top]):
        return 0.0
    total_log, halved, orders = 0.0, 1.0, top
    for n in range(top):
        precision, halved = _precision(counts, n, smooth, value, halved)
        if precision < 0:
            if effective:
                orders = n
            else:
                total_log += LOG_ZERO * (top - n)
            break
        total_log += math.log(precision) if precision > 0 else LOG_ZERO
    return _brevity_penalty(counts[0], counts[1]) * math.exp(total_log / orders)


@kernel
def bleu_parts(counts, smooth, value):
    """What BLEU is made of, by counts as in `bleu_score`: the precisions, 0 to 100, and the brevity penalty."""
    precisions, halved = np.zeros((len(counts) - 2) // 2), 1.0
    if np.any(counts[2 : 2 + len(precisions)]):
        for n in range(len(precisions)):
            precision, halved = _precision(counts, n, smooth, value, halved)
            if precision < 0:
                break
            precisions[n] = precision
    return precisions, _brevity_penalty(counts[0], counts[1])


@inlined
def _precision(counts, n, smooth, value, halved):
    """The precision of order n + 1, −1 if the summary is too short for it, and what EXP divides by, from order to order."""
    added = value if smooth == ADD_K and n > 0 else 0.0
    matches, total = counts[2 + n] + added, counts[len(counts) // 2 + 1 + n] + added
    if total == 0:
        return -1.0, halved
    if matches > 0:
        return 100.0 * matches / total, halved
    if smooth == EXP:
        return 100.0 / (2 * halved * total), 2 * halved
    return (100.0 * value / total if smooth == FLOOR else 0.0), halved


@inlined
def _brevity_penalty(summary_length, reference_length):
    if summary_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / summary_length) if summary_length > 0 else 0.0


@kernel
def bleu_rows(cut, groups, hits, smooth, value, effective, parity):
    """float64 [2 · orders + 4, rows]: BLEU, its counts as `bleu_score` reads them, the status; null rows hold anything.

    A row without references has no counts, but NaN.

    parity  empty references count; otherwise they are left out, and BLEU is NaN if all are empty
    """
    top = len(hits)
    out = np.full((2 * top + 4, len(cut.summary)), np.nan)
    counts = np.empty(2 * top + 2)
    for g in range(len(groups.offsets) - 1):
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            length = cut.summary[row, 1] - cut.summary[row, 0]
            closest = _closest(cut, g, length, parity)
            counts[0], counts[1] = length, max(closest, 0)
            for n in range(top):
                counts[2 + n], counts[2 + top + n] = hits[n, row], max(length - n, 0)
            if closest >= 0:
                out[0, row] = bleu_score(counts, smooth, value, effective)
            if cut.reference_offsets[g + 1] > cut.reference_offsets[g]:
                out[1:-1, row] = counts
            out[len(out) - 1, row] = EMPTY_REFERENCE if closest < 0 else (EMPTY_SUMMARY if length == 0 else OK)
    return out


@inlined
def _closest(cut, g, length, parity):
    """The length of the reference closest in length, the shorter of two; -1 if none counts."""
    closest = np.int64(-1)
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        other = cut.reference[k, 1] - cut.reference[k, 0]
        if other == 0 and not parity:
            continue
        nearer, as_near = abs(other - length) < abs(closest - length), abs(other - length) == abs(closest - length)
        if closest < 0 or nearer or (as_near and other < closest):
            closest = other
    return closest
