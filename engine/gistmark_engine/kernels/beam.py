"""METEOR 1.5's search for an alignment: place by place of the reference, the best forty partial alignments are kept.

Better is: more words covered, then fewer chunks, then less distance between what is aligned. The released program's ways are
kept where they show: candidates after the exact stage count half, rounded down; the distance of a candidate is added to those
tried after it at the same place; candidates that nothing competes with are fixed beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.candidates import EXACT, LENGTH, OWN_LENGTH, OWN_START, STAGE, START

BEAM = 40
COVERED, CHUNKS, DISTANCE, NEXT, OWN_NEXT, PARENT, CHOSEN = range(7)
"""Columns of a partial alignment: how many words it covers, its finished chunks, its distance, the place it has reached in the
reference, the place behind its last match in the summary (-1: no match before), whose child it is, by what candidate."""

NONE = np.int64(-1)


class Beam(NamedTuple):
    """Partial alignments, best first: their numbers [BEAM, 7], the candidate chosen at each place of the reference, which words
    of summary and reference are used."""

    numbers: np.ndarray
    chosen: np.ndarray
    own: np.ndarray
    other: np.ndarray


@inlined
def search(lattice):
    """The candidate chosen at each place of the reference, -1 for none: int32 [reference words]."""
    places = len(lattice.other)
    beam, spare = _make_beam(lattice), _make_beam(lattice)
    _fix(lattice, beam)
    beam.numbers[0, :] = (0, 0, 0, 0, -1, 0, -1)
    size = 1
    for place in range(places + 1):
        grown = 0
        for k in range(size):
            grown = _grow(lattice, place, k, beam, spare.numbers, grown)
        if grown == 0:  # the best goes on as it is
            spare.numbers[0] = beam.numbers[0]
            spare.numbers[0, PARENT], spare.numbers[0, CHOSEN], grown = 0, NONE, 1
        _inherit(lattice, beam, spare, grown)
        beam, spare, size = spare, beam, grown
    return beam.chosen[0]


@inlined
def _make_beam(lattice):
    own, other = len(lattice.own), len(lattice.other)
    return Beam(
        np.empty((BEAM, 7), np.int64), np.empty((BEAM, other), np.int32),
        np.empty((BEAM, own), np.bool_), np.empty((BEAM, other), np.bool_),
    )  # fmt: skip


@inlined
def _fix(lattice, beam):
    """The first partial alignment: places with one candidate, none of whose words another covers."""
    beam.chosen[0], beam.own[0], beam.other[0] = -1, False, False
    for place in range(len(lattice.other)):
        if lattice.offsets[place + 1] - lattice.offsets[place] == 1:
            c = lattice.order[lattice.offsets[place]]
            match = lattice.found[c]
            own = lattice.own[match[OWN_START] : match[OWN_START] + match[OWN_LENGTH]]
            other = lattice.other[place : place + match[LENGTH]]
            if own.max() == 1 and other.max() == 1:
                _use(match, c, beam, 0)


@inlined
def _use(match, c, beam, k):
    beam.chosen[k, match[START]] = c
    beam.own[k, match[OWN_START] : match[OWN_START] + match[OWN_LENGTH]] = True
    beam.other[k, match[START] : match[START] + match[LENGTH]] = True


@inlined
def _grow(lattice, place, k, beam, ranked, count):
    """Put what partial alignment k may become at a place among the `count` ranked ones; returns how many there are then."""
    covered, chunks, distance, reached, behind = _state(beam.numbers[k])
    if place == len(lattice.other):
        return _rank(ranked, count, covered, chunks + (behind != NONE), distance, reached, behind, k, NONE)
    if beam.other[k, place]:
        if place < reached:
            return _rank(ranked, count, covered, chunks, distance, reached, behind, k, NONE)
        c = np.int64(beam.chosen[k, reached])
        return _follow(lattice, c, beam.numbers[k], distance, k, NONE, ranked, count) if c >= 0 else count
    for at in range(lattice.offsets[place], lattice.offsets[place + 1]):
        c = lattice.order[at]
        if not _is_used(lattice.found[c], beam, k):
            count = _follow(lattice, c, beam.numbers[k], distance, k, c, ranked, count)
            distance += _distance(lattice.found[c])
    return _rank(ranked, count, covered, chunks + (behind != NONE), distance, reached + 1, NONE, k, NONE)


@inlined
def _state(numbers):
    return numbers[COVERED], numbers[CHUNKS], numbers[DISTANCE], numbers[NEXT], numbers[OWN_NEXT]


@inlined
def _is_used(match, beam, k):
    for j in range(match[OWN_START], match[OWN_START] + match[OWN_LENGTH]):
        if beam.own[k, j]:
            return True
    for i in range(match[START], match[START] + match[LENGTH]):
        if beam.other[k, i]:
            return True
    return False


@inlined
def _distance(match):
    return np.int64(abs(match[START] - match[OWN_START]))


@inlined
def _follow(lattice, c, numbers, distance, k, chosen, ranked, count):
    """Rank partial alignment k with candidate c behind it; a fixed one (`chosen` is NONE) has its distance added."""
    match, behind = lattice.found[c], numbers[OWN_NEXT]
    half = np.int64(match[STAGE] != EXACT)
    covered = numbers[COVERED] + (np.int64(match[OWN_LENGTH]) >> half) + (np.int64(match[LENGTH]) >> half)
    chunks = numbers[CHUNKS] + (behind != NONE and match[OWN_START] != behind)
    distance += _distance(match) if chosen == NONE else np.int64(0)
    reached, behind = np.int64(match[START] + match[LENGTH]), np.int64(match[OWN_START] + match[OWN_LENGTH])
    return _rank(ranked, count, covered, chunks, distance, reached, behind, k, chosen)


@inlined
def _rank(ranked, count, covered, chunks, distance, reached, behind, parent, chosen):
    """Insert behind those that are as good; the worst of more than BEAM is dropped."""
    at = count
    while at > 0 and _better(covered, chunks, distance, ranked[at - 1]):
        at -= 1
    if at == BEAM:
        return count
    count = min(count + 1, BEAM)
    for k in range(count - 1, at, -1):
        ranked[k] = ranked[k - 1]
    ranked[at, :] = (covered, chunks, distance, reached, behind, parent, chosen)
    return count


@inlined
def _better(covered, chunks, distance, other):
    if covered != other[COVERED]:
        return covered > other[COVERED]
    return chunks < other[CHUNKS] or (chunks == other[CHUNKS] and distance < other[DISTANCE])


@inlined
def _inherit(lattice, beam, grown, count):
    """Give each of the `count` grown ones its parent's choices, and its own."""
    for k in range(count):
        parent, c = grown.numbers[k, PARENT], grown.numbers[k, CHOSEN]
        grown.chosen[k], grown.own[k], grown.other[k] = beam.chosen[parent], beam.own[parent], beam.other[parent]
        if c >= 0:
            _use(lattice.found[c], c, grown, k)
