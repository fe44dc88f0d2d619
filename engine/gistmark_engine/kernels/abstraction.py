"""RA, SA and AR from shared words, bigrams and subsequence: how far a text keeps from its source."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.metric import STATUS

OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]
EMPTY_SOURCE, TOO_SHORT = STATUS["empty_source"], STATUS["too_short"]

FIRST, MEAN, MIN_AR, MEDIAN = range(4)
SATURATED = 1e-6

C_R, C_S, HM_R, HM_S, RA, SA, SA_PER_WORD, AR, RISK, SATURATION = 0, 3, 6, 7, 8, 11, 14, 17, 20, 21
R_TOKENS, S_TOKENS, O_TOKENS, STATUS_ROW, ROWS = 24, 25, 26, 27, 28
"""Rows of the output; those that come in threes are for words, bigrams, subsequence."""

OF_REFERENCE = 11
"""Numbers a reference gives: three overlaps, HM, three RA, three AR, its length."""


class Options(NamedTuple):
    """The options of the metric `abstraction`; cuts: upper bounds of the classes extractive, balanced, moderate."""

    by_words: bool
    exponent: float
    epsilon: float
    zero_bigram: bool
    one_extractive: bool
    risk_from: int
    cuts: np.ndarray
    multi: int


@kernel
def abstraction(cut, groups, shared, reference_pair, row_pair, options):
    """float64 [ROWS, rows], NaN for null (rows with a null summary or source are not looked at).

    shared  int64 [3, pairs]: words, bigrams and LCS that each text shares with its source
    """
    out = np.full((ROWS, len(cut.summary)), np.nan)
    per_reference = np.empty((_most(cut.reference_offsets), OF_REFERENCE))
    overlap = np.empty(3)
    for g in range(len(groups.offsets) - 1):
        size = cut.source[g, 1] - cut.source[g, 0]
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            length = cut.summary[row, 1] - cut.summary[row, 0]
            out[S_TOKENS, row], out[O_TOKENS, row] = length, size
            kept = 0
            if size > 0 and length > 0:
                _overlaps(shared[:, row_pair[row]], length, options, overlap)
                _of_summary(overlap, length, size, options, out[:, row])
                for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
                    if cut.reference[k, 1] > cut.reference[k, 0]:
                        reference_length = cut.reference[k, 1] - cut.reference[k, 0]
                        target = per_reference[kept]
                        _of_reference(shared[:, reference_pair[k]], reference_length, size, overlap, options, target)
                        kept += 1
                if kept > 0:
                    _combine(per_reference[:kept], options, out[:, row])
            out[STATUS_ROW, row] = _status(size, length, kept, out[:, row])
    return out


@inlined
def _most(offsets):
    most = np.int64(1)
    for g in range(len(offsets) - 1):
        most = max(most, offsets[g + 1] - offsets[g])
    return most


@inlined
def _overlaps(shared, length, options, overlap):
    """c of words, bigrams and subsequence of a text of `length` tokens: shares in [0, 1]; no bigrams: NaN or 0."""
    overlap[0] = shared[0] / length
    overlap[2] = shared[2] / length
    bigrams = length if options.by_words else length - 1
    overlap[1] = shared[1] / bigrams if length > 1 else (0.0 if options.zero_bigram else np.nan)


@inlined
def harmonic_mean(length, size):
    """HM(n, O) = 2nO / (n + O)."""
    return 2.0 * length * size / (length + size)


@inlined
def _of_summary(overlap, length, size, options, out):
    """C_S, HM_S and SA, in words and a word of HM_S."""
    out[HM_S] = harmonic_mean(length, size)
    for k in range(3):
        out[C_S + k] = overlap[k]
        out[SA_PER_WORD + k] = (1.0 - overlap[k]) ** options.exponent
        out[SA + k] = out[HM_S] * out[SA_PER_WORD + k]


@inlined
def _of_reference(shared, length, size, summary, options, out):
    """What one reference gives: its overlaps, HM, RA, the AR of the summary against it, its length."""
    _overlaps(shared, length, options, out[:3])
    out[3], out[10] = harmonic_mean(length, size), length
    for k in range(3):
        rest = (1.0 - out[k]) ** options.exponent
        out[4 + k] = out[3] * rest
        out[7 + k] = (1.0 - summary[k]) ** options.exponent / (rest + options.epsilon)
        if options.one_extractive and out[k] == 1.0 and summary[k] == 1.0:
            out[7 + k] = 1.0


@inlined
def _combine(numbers, options, out):
    """One row from what its references give: the first, the one with the least AR, or means or medians of each number.

    A mean or median of numbers one of which is undefined is undefined; an undefined AR is never the least.
    """
    chosen = np.empty(OF_REFERENCE)
    best = _least(numbers[:, 7 + options.risk_from]) if options.multi == MIN_AR else 0
    for c in range(OF_REFERENCE):
        if options.multi == MEAN:
            chosen[c] = _mean(numbers, c)
        elif options.multi == MEDIAN:
            chosen[c] = _median(numbers, c)
        else:
            chosen[c] = numbers[best, c]
    out[HM_R], out[R_TOKENS] = chosen[3], chosen[10]
    for k in range(3):
        out[C_R + k], out[RA + k], out[AR + k] = chosen[k], chosen[4 + k], chosen[7 + k]
        rest = (1.0 - chosen[k]) ** options.exponent
        out[SATURATION + k] = np.nan if np.isnan(rest) else np.float64(rest < SATURATED)
    out[RISK] = _risk(out[AR + options.risk_from], options.cuts)


@inlined
def _mean(numbers, c):
    total = 0.0
    for k in range(len(numbers)):
        total += numbers[k, c]
    return total / len(numbers)


@inlined
def _median(numbers, c):
    """The middle of column c, or the mean of the middle two; NaN if any is NaN. By insertion: references are few."""
    ordered = np.empty(len(numbers))
    for k in range(len(numbers)):
        value, at = numbers[k, c], k
        if np.isnan(value):
            return np.nan
        while at > 0 and ordered[at - 1] > value:
            ordered[at] = ordered[at - 1]
            at -= 1
        ordered[at] = value
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


@inlined
def _least(ratios):
    """Where the least ratio that is defined stands, the first of equals; 0 if none is."""
    best = 0
    for k in range(1, len(ratios)):
        if ratios[k] < ratios[best] or (np.isnan(ratios[best]) and not np.isnan(ratios[k])):
            best = k
    return best


@inlined
def _risk(ratio, cuts):
    """Class 0 to 3: extractive below the first cut, balanced up to the second, moderate up to the third, then high."""
    if np.isnan(ratio):
        return np.nan
    if ratio < cuts[0]:
        return 0.0
    return 1.0 if ratio <= cuts[1] else (2.0 if ratio <= cuts[2] else 3.0)


@inlined
def _status(size, length, kept, out):
    if length == 0:
        return EMPTY_SUMMARY
    if size == 0:
        return EMPTY_SOURCE
    if kept == 0:
        return EMPTY_REFERENCE
    return TOO_SHORT if np.isnan(out[AR + 1]) else OK
