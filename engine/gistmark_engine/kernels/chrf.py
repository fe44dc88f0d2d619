"""From matched character and word n-grams to chrF, of a row or of a corpus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.metric import STATUS

EPSILON = 1e-16
SUMMARY, REFERENCE, MATCH = range(3)
OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]


class Matches(NamedTuple):
    """`hits` [orders, pairs] of n-grams of one kind, pairs in order of group, reference, member; the texts' spans."""

    hits: np.ndarray
    summary: np.ndarray
    reference: np.ndarray


@kernel
def chrf_score(counts, factor, smoothed):
    """chrF, 0 to 100, of float64 counts [orders, 3]: n-grams of the summary, of the reference, matches.

    factor    beta squared: how much more recall weighs than precision
    smoothed  one F per order, with 1e-16 for what is undefined, averaged over all orders; otherwise precision and recall
              are averaged over the orders that both texts have, and F is taken of the averages
    """
    total, precisions, recalls, orders = 0.0, 0.0, 0.0, 0
    for n in range(len(counts)):
        summary, reference, match = counts[n, SUMMARY], counts[n, REFERENCE], counts[n, MATCH]
        precision = match / summary if summary > 0 else EPSILON
        recall = match / reference if reference > 0 else EPSILON
        below = factor * precision + recall
        total += (1 + factor) * precision * recall / below if below > 0 else EPSILON
        if summary > 0 and reference > 0:
            precisions, recalls, orders = precisions + precision, recalls + recall, orders + 1
    if smoothed:
        return 100 * total / len(counts)
    if orders == 0 or precisions + recalls == 0:
        return 0.0
    precision, recall = precisions / orders, recalls / orders
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


@kernel
def chrf_rows(cut, groups, characters, words, factor, smoothed, parity):
    """float64 [3 · orders + 2, rows]: chrF, its counts as `chrf_score` reads them, the status; null rows hold anything.

    A row without references has no counts, but NaN. Of several references the first with the highest chrF counts.

    parity  empty references count too; otherwise they are left out, and chrF is NaN if all are empty
    """
    top = len(characters.hits) + len(words.hits)
    out = np.full((3 * top + 2, len(cut.summary)), np.nan)
    counts, best = np.empty((top, 3)), np.empty((top, 3))
    pair = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        first, last = cut.reference_offsets[g], cut.reference_offsets[g + 1]
        size = groups.offsets[g + 1] - groups.offsets[g]
        for m in range(size):
            row, score = groups.members[groups.offsets[g] + m], -1.0
            best[:] = 0.0
            for k in range(first, last):
                if parity or cut.reference[k, 1] > cut.reference[k, 0]:
                    at = pair + (k - first) * size + m
                    _count(characters, row, k, at, counts[: len(characters.hits)])
                    _count(words, row, k, at, counts[len(characters.hits) :])
                    this = chrf_score(counts, factor, smoothed)
                    if this > score:
                        score, best[:] = this, counts
            if score >= 0:
                out[0, row] = score
            if last > first:
                out[1:-1, row] = best.reshape(-1)
            empty = cut.summary[row, 1] == cut.summary[row, 0]
            out[len(out) - 1, row] = EMPTY_REFERENCE if score < 0 else (EMPTY_SUMMARY if empty else OK)
        pair += size * (last - first)
    return out


@inlined
def _count(matches, row, reference, pair, counts):
    """The counts of one pair; an order that the reference is too short for does not count in the summary either."""
    for n in range(len(matches.hits)):
        in_summary = max(matches.summary[row, 1] - matches.summary[row, 0] - n, 0)
        in_reference = max(matches.reference[reference, 1] - matches.reference[reference, 0] - n, 0)
        counts[n, SUMMARY] = in_summary if in_reference > 0 else 0
        counts[n, REFERENCE], counts[n, MATCH] = in_reference, matches.hits[n, pair]
