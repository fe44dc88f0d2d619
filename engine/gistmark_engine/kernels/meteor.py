"""METEOR's alignment, greedy from the end in stages, and the score of what it aligned; equal to NLTK 3.10.4."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.spans import longest
from gistmark_engine.metric import STATUS

OK, EMPTY_SUMMARY, EMPTY_REFERENCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_reference"]


class Lexicon(NamedTuple):
    """What stages after the first go by, for every word id: int32 arrays.

    stem      the id of its stem, or -1: no stem stage
    key       what it is looked up by in the synonym stage
    synonyms  of key k, as keys: synonyms[offsets[k]:offsets[k + 1]]
    """

    stem: np.ndarray
    key: np.ndarray
    offsets: np.ndarray
    synonyms: np.ndarray


class Weights(NamedTuple):
    """Of the score: of precision against recall, and the penalty's shape and size."""

    alpha: float
    beta: float
    gamma: float


class Chains(NamedTuple):
    """Positions of a reference that are still free, by key: the last one, and for each position the one before it."""

    last: np.ndarray
    before: np.ndarray


@kernel
def meteor_rows(cut, groups, lexicon, keys, weights, parity):
    """float64 [2, rows]: the best score over references, status; NaN for null (null rows are not looked at).

    keys    an upper bound of all word, stem and synonym keys
    parity  empty references count as 0.0; otherwise they are left out, and null if all are empty
    """
    out = np.full((2, len(cut.summary)), np.nan)
    widest = longest(cut.reference)
    match, taken = np.empty(longest(cut.summary), np.int64), np.empty(widest, np.bool_)
    chains = Chains(np.full(keys, -1, np.int64), np.empty(widest, np.int64))
    _score_rows(cut, groups, lexicon, weights, parity, match, taken, chains, out)
    return out


@inlined
def _score_rows(cut, groups, lexicon, weights, parity, match, taken, chains, out):
    cut, groups, lexicon, chains = borrowed(cut), borrowed(groups), borrowed(lexicon), borrowed(chains)
    match, taken, out = borrowed(match), borrowed(taken), borrowed(out)
    for g in range(len(groups.offsets) - 1):
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            summary = cut.ids[cut.summary[row, 0] : max(cut.summary[row, 1], cut.summary[row, 0])]
            kept = 0
            for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
                reference = cut.ids[cut.reference[k, 0] : cut.reference[k, 1]]
                if parity or len(reference) > 0:
                    _align(summary, reference, lexicon, match, taken, chains)
                    score = _score(match[: len(summary)], len(reference), weights)
                    out[0, row] = max(score, out[0, row]) if kept else score
                    kept += 1
            out[1, row] = EMPTY_REFERENCE if kept == 0 else (EMPTY_SUMMARY if len(summary) == 0 else OK)


@inlined
def _align(summary, reference, lexicon, match, taken, chains):
    """match[i]: the position in the reference that position i of the summary is aligned with, -1 for none."""
    match[: len(summary)] = -1
    taken[: len(reference)] = False
    for i in range(len(reference)):
        _push(chains, np.int64(reference[i]), i)
    for i in range(len(summary) - 1, -1, -1):
        _take(chains, np.int64(summary[i]), i, match, taken)
    for j in range(len(reference)):
        chains.last[reference[j]] = -1
    if len(lexicon.stem) > 0:
        _match_keys(summary, reference, lexicon.stem, match, taken, chains)
    if len(lexicon.synonyms) > 0:
        _match_synonyms(summary, reference, lexicon, match, taken, chains)


@inlined
def _match_keys(summary, reference, key, match, taken, chains):
    """The last free position of equal key, for positions of the summary from the last to the first."""
    _chain(reference, key, taken, chains)
    for i in range(len(summary) - 1, -1, -1):
        if match[i] < 0:
            _take(chains, np.int64(key[summary[i]]), i, match, taken)
    _unchain(reference, key, chains)


@inlined
def _match_synonyms(summary, reference, lexicon, match, taken, chains):
    """The last free position that holds any synonym."""
    _chain(reference, lexicon.key, taken, chains)
    for i in range(len(summary) - 1, -1, -1):
        if match[i] < 0:
            k = np.int64(lexicon.key[summary[i]])
            best = np.int64(-1)
            for s in range(lexicon.offsets[k], lexicon.offsets[k + 1]):
                best = max(best, chains.last[lexicon.synonyms[s]])
            if best >= 0:
                _take(chains, np.int64(lexicon.key[reference[best]]), i, match, taken)
    _unchain(reference, lexicon.key, chains)


@inlined
def _chain(reference, key, taken, chains):
    for j in range(len(reference)):
        if not taken[j]:
            _push(chains, np.int64(key[reference[j]]), j)


@inlined
def _unchain(reference, key, chains):
    for j in range(len(reference)):
        chains.last[key[reference[j]]] = -1


@inlined
def _push(chains, key, j):
    chains.before[j] = chains.last[key]
    chains.last[key] = j


@inlined
def _take(chains, key, i, match, taken):
    """Align position i with the last free position of a key, if there is one."""
    j = chains.last[key]
    if j >= 0:
        match[i], taken[j] = j, True
        chains.last[key] = chains.before[j]


@inlined
def _score(match, reference_length, weights):
    """(1 − penalty) · Fmean, in NLTK's order of operations; 0 where nothing is aligned."""
    matches, chunks = 0, 0
    follows = np.int64(-1)
    for i in range(len(match)):
        if match[i] >= 0:
            matches += 1
            chunks += match[i] != follows
        follows = match[i] + 1 if match[i] >= 0 else np.int64(-2)
    if matches == 0:
        return 0.0
    precision, recall = matches / len(match), matches / reference_length
    fmean = (precision * recall) / (weights.alpha * precision + (1 - weights.alpha) * recall)
    penalty = weights.gamma * (chunks / matches) ** weights.beta
    return (1 - penalty) * fmean
