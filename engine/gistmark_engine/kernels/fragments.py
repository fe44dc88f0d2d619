"""Extractive fragments: the runs of tokens a summary copies from its source (Grusky et al. 2018, figure 3).

`newsroom` is the published scan. At summary position i it walks the source; where a token matches, the common run is
measured, kept if strictly longer than the best so far, and the walk goes on *behind* the run. Jumping hides runs that
begin inside another, so the result is not always the longest match; `longest` is. Here the walk visits only the places
where the source has the token, or, where those are many, the pair of tokens that opens a run (a run of one token hides
none). Texts of few kinds of token go by matching statistics instead (`automaton`), where the two scans agree: they do unless
the summary's token recurs within its match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.openings import opening
from gistmark_engine.kernels.records import NULL

NEWSROOM, LONGEST = range(2)
SINGLES, PAIRS, STATISTICS = range(3)
"""How runs are found: by the places of tokens, of pairs of tokens, or by matching statistics."""


class Places(NamedTuple):
    """Per token id + 1: where the source has it (head of a linked list in ascending order) and how often; and the places of
    all tokens that have an id."""

    head: np.ndarray
    following: np.ndarray
    times: np.ndarray
    numbered: np.ndarray


class Matches(NamedTuple):
    """Per summary position: the longest match, where the source first has it, and where its token comes next."""

    length: np.ndarray
    source: np.ndarray
    recurs: np.ndarray


class Fragments(NamedTuple):
    """Copied runs in order: start in the summary, start in the source (token positions), length."""

    summary: np.ndarray
    source: np.ndarray
    length: np.ndarray


@inlined
def learn_places(ids, start, stop, places):
    """Link the places of each token that has an id; returns how many of the source's tokens have one."""
    numbered, count = places.numbered, np.int64(0)
    for j in range(stop - start):
        numbered[count] = j
        count += np.int64(ids[start + j] >= 0)
    for k in range(count - 1, -1, -1):
        j = numbered[k]
        entry = np.int64(ids[start + j]) + 1
        places.following[j] = places.head[entry]
        places.head[entry] = j
        places.times[entry] += 1
    return count


@inlined
def forget_places(ids, start, count, places):
    """Undo `learn_places`, which returned `count`."""
    for k in range(count):
        entry = np.int64(ids[start + places.numbered[k]]) + 1
        places.head[entry] = NULL
        places.times[entry] = 0


@inlined
def copied(ids, summary, summary_stop, start, stop, numbered, scan, way, copying):
    """Fill `copying.fragments` for the summary ids[summary:summary_stop] and the source ids[start:stop], of which `numbered`
    tokens have an id; returns how many.

    Matching statistics are trusted always under LONGEST, under NEWSROOM where the first token of the match does not recur
    within it (then the scan cannot have jumped over it).
    """
    fragments, matches = copying.fragments, copying.matches
    count, i = np.int64(0), summary
    while i < summary_stop:
        k = i - summary
        if way == STATISTICS and (scan == LONGEST or matches.recurs[k] >= k + matches.length[k]):
            source, length = matches.source[k], matches.length[k]
        elif way == SINGLES:
            places = copying.places
            source, length = _walk(
                ids, i, summary_stop, start, stop, scan, places.head[ids[i] + 1], places.following
            )  # fmt: skip
        else:
            source, length = _walk_pairs(ids, i, summary_stop, start, stop, numbered, scan, copying)
        if length > 0:
            fragments.summary[count], fragments.source[count], fragments.length[count] = k, source, length
            count += 1
        i += max(length, np.int64(1))
    return count


@inlined
def _walk_pairs(ids, summary, summary_stop, start, stop, numbered, scan, copying):
    """As `_walk`, by the places of the pair that opens the run: a token that opens none is copied from its first place."""
    first = copying.places.head[ids[summary] + 1]
    if first == NULL:
        return np.int64(0), np.int64(0)
    if summary + 1 < summary_stop:
        pair = opening(ids, summary, start, numbered, copying.openings)
        if pair != NULL:
            return _walk(ids, summary, summary_stop, start, stop, scan, pair, copying.openings.following)
    return first, np.int64(1)


@inlined
def note_recurrence(ids, summary, summary_stop, seen, matches):
    """recurs[k] = next summary position with the token of position k; `seen` is NULL everywhere, before and after."""
    for i in range(summary_stop - 1, summary - 1, -1):
        entry = ids[i] + 1
        matches.recurs[i - summary] = seen[entry] if seen[entry] != NULL else summary_stop - summary
        seen[entry] = i - summary
    for i in range(summary, summary_stop):
        seen[ids[i] + 1] = NULL


@inlined
def _walk(ids, summary, summary_stop, start, stop, scan, first, following):
    """One summary position by walking from place to place, `first` the first of them: (source position, length) of the run
    the scan keeps, length 0 for none."""
    best, length, free = np.int64(0), np.int64(0), np.int64(0)
    j = first
    while j != NULL:
        if j >= free:
            run = np.int64(1)
            while (
                summary + run < summary_stop and start + j + run < stop and ids[summary + run] == ids[start + j + run]
            ):
                run += 1
            if run > length:
                best, length = j, run
            if scan == NEWSROOM:
                free = j + run
        j = following[j]
    return best, length
