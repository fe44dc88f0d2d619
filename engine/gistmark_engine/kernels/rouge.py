"""From shared grams and lengths to ROUGE's precision, recall and F1, one reference or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.metric import STATUS

MAX, MEAN, JACKKNIFE, FIRST, ARGMAX_ROUGE1 = range(5)
OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]
P, R, F = range(3)


class Hits(NamedTuple):
    """`hits` [types, pairs], pairs in order of group, reference, member; `orders[t]`: n of ROUGE-N, 1 for L and Lsum."""

    hits: np.ndarray
    orders: np.ndarray


@kernel
def rouge_scores(cut, groups, found, rule, parity):
    """float64 [3 · types + 1, rows]: p, r, F1 of each type, then the status; NaN for null (null rows are not looked at).

    rule    how several references make one score; ARGMAX_ROUGE1 goes by type 0
    parity  empty references count as 0.0, as in `rouge_score`; otherwise they are left out, and null if all are empty
    """
    types = len(found.orders)
    out = np.full((3 * types + 1, len(cut.summary)), np.nan)
    scores = np.empty((types, _most_references(cut), 3))
    pair = np.int64(0)
    for g in range(len(groups.offsets) - 1):
        first, last = cut.reference_offsets[g], cut.reference_offsets[g + 1]
        size = groups.offsets[g + 1] - groups.offsets[g]
        for m in range(size):
            row = groups.members[groups.offsets[g] + m]
            kept = 0
            for k in range(last - first):
                if parity or cut.reference[first + k, 1] > cut.reference[first + k, 0]:
                    _score(cut, row, first + k, found, pair + k * size + m, scores[:, kept])
                    kept += 1
            _combine(scores[:, :kept], rule, out[:, row])
            empty = cut.summary[row, 1] == cut.summary[row, 0]
            out[3 * types, row] = EMPTY_REFERENCE if kept == 0 else (EMPTY_SUMMARY if empty else OK)
        pair += size * (last - first)
    return out


@inlined
def _most_references(cut):
    most = np.int64(1)
    for g in range(len(cut.reference_offsets) - 1):
        most = max(most, cut.reference_offsets[g + 1] - cut.reference_offsets[g])
    return most


@inlined
def _score(cut, row, reference, found, pair, scores):
    """p, r, F1 of every type for one summary and one reference, in the reference implementation's order of operations."""
    summary_length = cut.summary[row, 1] - cut.summary[row, 0]
    reference_length = cut.reference[reference, 1] - cut.reference[reference, 0]
    for t in range(len(found.orders)):
        hits = np.float64(found.hits[t, pair])
        p = hits / max(summary_length - found.orders[t] + 1, 1)
        r = hits / max(reference_length - found.orders[t] + 1, 1)
        scores[t, P], scores[t, R] = p, r
        scores[t, F] = 2 * p * r / (p + r) if p + r > 0 else 0.0


@inlined
def _combine(scores, rule, out):
    """One row of output from the scores [types, references, 3] of the references that count."""
    if scores.shape[1] == 0:
        return
    leader = _best(scores[0])
    for t in range(scores.shape[0]):
        if rule == MEAN:
            for c in range(3):
                out[3 * t + c] = _mean(scores[t], c)
        elif rule == JACKKNIFE and scores.shape[1] > 1:
            out[3 * t + F] = _jackknife(scores[t])
        else:
            best = 0 if rule == FIRST else (leader if rule == ARGMAX_ROUGE1 else _best(scores[t]))
            for c in range(3):
                if rule != JACKKNIFE or c == F:
                    out[3 * t + c] = scores[t, best, c]


@inlined
def _best(scores):
    """The reference with the highest F1, the first of equals."""
    best = 0
    for k in range(1, len(scores)):
        if scores[k, F] > scores[best, F]:
            best = k
    return best


@inlined
def _mean(scores, c):
    total = 0.0
    for k in range(len(scores)):
        total += scores[k, c]
    return total / len(scores)


@inlined
def _jackknife(scores):
    """Mean over references left out of the best F1 among the others (Lin 2004)."""
    total = 0.0
    for out in range(len(scores)):
        best = -1.0
        for k in range(len(scores)):
            if k != out:
                best = max(best, scores[k, F])
        total += best
    return total / len(scores)
