"""Which way the runs that a summary copies are found, and what that needs: the longer the texts, the more is made ready."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.automaton import Automaton, build, fitted, longest_matches, make_automaton
from gistmark_engine.kernels.fragments import (
    PAIRS,
    SINGLES,
    STATISTICS,
    Fragments,
    Matches,
    Places,
    note_recurrence,
)
from gistmark_engine.kernels.openings import Openings, learn_openings, make_openings, opening
from gistmark_engine.kernels.records import NULL

FEW, MANY = 4, 128
"""Visits of the source, for each token of both texts, up to which walking from token to token is faster than noting pairs, and
from pair to pair than building an automaton."""


class Copying(NamedTuple):
    """What finding fragments needs, for the largest texts of a range."""

    places: Places
    openings: Openings
    automaton: Automaton
    matches: Matches
    fragments: Fragments
    seen: np.ndarray


@inlined
def make_copying(vocabulary, summaries, sources):
    """Room for summaries and sources of up to so many tokens, with ids below `vocabulary`."""
    places = Places(
        np.full(vocabulary + 2, NULL, np.int64), np.empty(sources + 1, np.int64),
        np.zeros(vocabulary + 2, np.int64), np.empty(sources + 1, np.int64),
    )  # fmt: skip
    matches = Matches(
        np.empty(summaries + 1, np.int64), np.empty(summaries + 1, np.int64), np.empty(summaries + 1, np.int64)
    )
    fragments = Fragments(
        np.empty(summaries + 1, np.int64), np.empty(summaries + 1, np.int64), np.empty(summaries + 1, np.int64)
    )
    seen = np.full(vocabulary + 2, NULL, np.int64)
    return Copying(places, make_openings(sources), make_automaton(sources), matches, fragments, seen)


@inlined
def way_of(ids, summary, summary_stop, start, stop, numbered, ready, copying):
    """(way to find what the summary copies, what is ready): all that it needs is made ready for its source, of which `ready`
    is already; `numbered` of the source's tokens have an id."""
    tokens = summary_stop - summary + stop - start
    if _single_visits(ids, summary, summary_stop, copying.places) <= FEW * tokens:
        return SINGLES, ready
    if ready < PAIRS:
        learn_openings(ids, start, stop, copying.places.numbered, numbered, copying.openings)
        ready = PAIRS
    if _pair_visits(ids, summary, summary_stop, start, numbered, copying.openings) <= MANY * tokens:
        return PAIRS, ready
    automaton, matches = fitted(copying.automaton, stop - start), copying.matches
    if ready < STATISTICS:
        build(ids, start, stop, automaton)
        ready = STATISTICS
    longest_matches(ids, summary, summary_stop, stop - start, automaton, matches.length, matches.source)
    note_recurrence(ids, summary, summary_stop, copying.seen, matches)
    return STATISTICS, ready


@inlined
def _single_visits(ids, summary, summary_stop, places):
    """Places of the source that walking from token to token visits."""
    total = np.int64(0)
    for i in range(summary, summary_stop):
        total += places.times[ids[i] + 1]
    return total


@inlined
def _pair_visits(ids, summary, summary_stop, start, numbered, openings):
    """Places of the source that walking from pair to pair visits."""
    total = np.int64(0)
    for i in range(summary, summary_stop - 1):
        first = opening(ids, i, start, numbered, openings)
        total += openings.times[first] if first != NULL else 0
    return total
