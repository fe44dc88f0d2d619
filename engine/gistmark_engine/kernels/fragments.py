"""Extractive fragments: the runs of tokens a summary copies from its source (Grusky et al. 2018, figure 3).

`newsroom` is the published scan. At summary position i it walks the source; where a token matches, the common run is
measured, kept if strictly longer than the best so far, and the walk goes on *behind* the run. Jumping hides runs that
begin inside another, so the result is not always the longest match; `longest` is. Here the walk visits only the places
where the source has the token. Long texts go by matching statistics instead (`automaton`), where the two agree: they do
unless the summary's token recurs within its match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.records import NULL

NEWSROOM, LONGEST = range(2)
FEW = 128
"""Visits of the source, for each token of both texts, up to which walking is faster than building an automaton."""


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
def is_long_walk(ids, summary, summary_stop, source_length, places):
    """Whether walking from every summary position would visit so many source positions that an automaton is faster."""
    total = np.int64(0)
    for i in range(summary, summary_stop):
        total += places.times[ids[i] + 1]
    return total > FEW * (summary_stop - summary + source_length)


@inlined
def copied(ids, summary, summary_stop, start, stop, scan, places, matches, use_matches, fragments):
    """Fill `fragments` for the summary ids[summary:summary_stop] and the source ids[start:stop]; returns how many.

    use_matches  `matches` is filled and trusted: always under LONGEST, under NEWSROOM where the first token of the match
                 does not recur within it (then the scan cannot have jumped over it)
    """
    count, i = 0, summary
    while i < summary_stop:
        k = i - summary
        if use_matches and (scan == LONGEST or matches.recurs[k] >= k + matches.length[k]):
            source, length = matches.source[k], matches.length[k]
        else:
            source, length = _walk(ids, i, summary_stop, start, stop, scan, places)
        if length > 0:
            fragments.summary[count], fragments.source[count], fragments.length[count] = k, source, length
            count += 1
        i += max(length, np.int64(1))
    return count


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
def _walk(ids, summary, summary_stop, start, stop, scan, places):
    """One summary position by walking: (source position, length) of the run the scan keeps, length 0 for none."""
    best, length, free = np.int64(0), np.int64(0), np.int64(0)
    j = places.head[ids[summary] + 1]
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
        j = places.following[j]
    return best, length
