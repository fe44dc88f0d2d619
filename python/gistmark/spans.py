"""Where a summary copies from its source and where it says something new, as places in both texts.

Tokens are those of `word_punct`, the fragments those of `datastats` (Grusky et al. 2018, figure 3, the published greedy
scan): the tokens they cover, divided by the summary's, are its `coverage`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

ORDERS = (1, 2, 3)

_TOKEN = re.compile(r"\w+|[^\w\s]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A copied run: where it stands in the summary and in the source (character positions, stop excluded), and how many
    tokens it has."""

    summary: Span
    source: Span
    tokens: int


@dataclass(frozen=True, slots=True)
class Marks:
    """The fragments in the summary's order, and by n-gram order the parts of the summary whose n-grams the source lacks."""

    fragments: tuple[Fragment, ...]
    novel: dict[int, tuple[Span, ...]]


def marks(summary: str, source: str) -> Marks:
    """What to mark in a summary and its source."""
    ours, places = _tokens(summary)
    theirs, there = _tokens(source)
    runs = _copied(ours, theirs)
    fragments = tuple(Fragment(_cover(places, i, n), _cover(there, j, n), n) for i, j, n in runs)
    return Marks(fragments, {order: _novel(ours, theirs, places, order) for order in ORDERS})


def _tokens(text: str) -> tuple[list[str], list[Span]]:
    """Lower-cased tokens and where each stands in the text as it was."""
    lower = text.lower()
    origin: Sequence[int] = range(len(text) + 1)
    if len(lower) != len(text):  # one character has become several
        origin = [at for at, char in enumerate(text) for _ in char.lower()] + [len(text)]
    found = list(_TOKEN.finditer(lower))
    return [match[0] for match in found], [(origin[match.start()], origin[match.end() - 1] + 1) for match in found]


def _copied(summary: list[str], source: list[str]) -> list[tuple[int, int, int]]:
    """(position in the summary, in the source, tokens) of every fragment that the greedy scan keeps."""
    places: dict[str, list[int]] = {}
    for at, token in enumerate(source):
        places.setdefault(token, []).append(at)
    runs, i = [], 0
    while i < len(summary):
        best, longest, free = 0, 0, 0
        for j in places.get(summary[i], ()):
            if j < free:
                continue  # the scan has jumped behind the run before
            run = _run(summary, source, i, j)
            free = j + run
            if run > longest:
                best, longest = j, run
        if longest:
            runs.append((i, best, longest))
        i += max(longest, 1)
    return runs


def _run(summary: list[str], source: list[str], i: int, j: int) -> int:
    """How many tokens agree from these two positions on."""
    run = 0
    while i + run < len(summary) and j + run < len(source) and summary[i + run] == source[j + run]:
        run += 1
    return run


def _novel(summary: list[str], source: list[str], places: list[Span], order: int) -> tuple[Span, ...]:
    """The parts of the summary under n-grams that the source lacks, those that touch joined."""
    known = {tuple(source[at : at + order]) for at in range(len(source) - order + 1)}
    spans: list[Span] = []
    last = -1
    for at in range(len(summary) - order + 1):
        if tuple(summary[at : at + order]) in known:
            continue
        start, stop = _cover(places, at, order)
        if at <= last:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((start, stop))
        last = at + order
    return tuple(spans)


def _cover(places: list[Span], first: int, tokens: int) -> Span:
    return places[first][0], places[first + tokens - 1][1]
