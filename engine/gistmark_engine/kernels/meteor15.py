"""METEOR 1.5 of rows: align each summary with each reference, weigh what is aligned, keep the best."""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.beam import search
from gistmark_engine.kernels.candidates import LENGTH, OWN_LENGTH, OWN_START, STAGE, START, find_candidates
from gistmark_engine.kernels.meteor import EMPTY_REFERENCE, EMPTY_SUMMARY, OK

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
"""The parameters of English, task "rank": precision against recall, the penalty's shape and size, content words' weight."""

WEIGHTS = np.array((1.0, 0.6, 0.8, 0.6))
"""Of the stages exact, stem, synonym, paraphrase."""


@kernel
def meteor15_rows(cut, groups, words, phrases, stages, parity):
    """float64 [2, rows]: the best score over references, status; NaN for null (null rows are not looked at).

    words, phrases   see `kernels.candidates`, `kernels.phrases`; `stages`: bool [4], which are wanted
    parity           empty references count as 0.0; otherwise they are left out, and null if all are empty
    """
    out = np.full((2, len(cut.summary)), np.nan)
    head = np.zeros(len(phrases.offsets), np.int32)
    for g in range(len(groups.offsets) - 1):
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row, kept = groups.members[m], 0
            summary = cut.ids[cut.summary[row, 0] : max(cut.summary[row, 1], cut.summary[row, 0])]
            for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
                reference = cut.ids[cut.reference[k, 0] : cut.reference[k, 1]]
                if parity or len(reference) > 0:
                    score = _score_pair(summary, reference, words, phrases, stages, head)
                    out[0, row] = max(score, out[0, row]) if kept else score
                    kept += 1
            out[1, row] = EMPTY_REFERENCE if kept == 0 else (EMPTY_SUMMARY if len(summary) == 0 else OK)
    return out


@inlined
def _score_pair(summary, reference, words, phrases, stages, head):
    lattice = find_candidates(summary, reference, words, phrases, stages, head)
    if len(lattice.found) == 0:
        return 0.0
    chosen = search(lattice)
    counts, chunks = _count(lattice.found, chosen, summary, reference, words.function)
    return _score(
        counts, chunks, _functions(summary, words), len(summary), _functions(reference, words), len(reference)
    )


@inlined
def _functions(text, words):
    """How many function words a text has."""
    count = 0
    for i in range(len(text)):
        count += words.function[text[i]]
    return count


@inlined
def _count(found, chosen, summary, reference, function):
    """(aligned words int64 [2 texts, 4 stages, content or function], chunks)."""
    counts = np.zeros((2, 4, 2), np.int64)
    chunks, behind, i = 0, np.int64(-1), np.int64(0)
    while i < len(chosen):
        if chosen[i] < 0:
            chunks += behind != -1
            behind = np.int64(-1)
            i += 1
            continue
        match = found[chosen[i]]
        for j in range(match[OWN_START], match[OWN_START] + match[OWN_LENGTH]):
            counts[0, match[STAGE], np.int64(function[summary[j]])] += 1
        for j in range(match[START], match[START] + match[LENGTH]):
            counts[1, match[STAGE], np.int64(function[reference[j]])] += 1
        chunks += behind != -1 and match[OWN_START] != behind
        i, behind = np.int64(match[START] + match[LENGTH]), np.int64(match[OWN_START] + match[OWN_LENGTH])
    return counts, chunks + (behind != -1)


@inlined
def _score(counts, chunks, own_functions, own_length, other_functions, other_length):
    """(1 − penalty) · Fmean, in the program's order of operations; 0 where nothing is aligned."""
    precision = _weighted(counts[0]) / _weighted_length(own_length, own_functions)
    recall = _weighted(counts[1]) / _weighted_length(other_length, other_functions)
    own, other = counts[0].sum(), counts[1].sum()
    if own == 0 or other == 0 or precision == 0 or recall == 0:
        return 0.0
    fmean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
    whole = own == own_length and other == other_length and chunks == 1
    scattered = 0.0 if whole else chunks / ((own + other) / 2.0)
    return max(fmean * (1.0 - GAMMA * scattered**BETA), 0.0)


@inlined
def _weighted(counts):
    """Aligned words of one text, weighed by stage and kind."""
    total = 0.0
    for stage in range(4):
        total += counts[stage, 0] * WEIGHTS[stage] * DELTA
    for stage in range(4):
        total += counts[stage, 1] * WEIGHTS[stage] * (1.0 - DELTA)
    return total


@inlined
def _weighted_length(length, functions):
    return DELTA * (length - functions) + (1.0 - DELTA) * functions
