"""Longest matches in linear time: a suffix automaton of the reversed source, read by the summary from right to left.

After reading summary tokens i, i+1, … backwards, the automaton's state stands for the longest prefix of summary[i:] that
occurs in the source. Every state keeps the last end position of its strings in the reversed source, which is the first
start position in the source itself. Transitions live in one hash table keyed by (state, token).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.token import MIX_A

U32 = np.uint64(32)
ROOT, NONE = 0, -1


class Automaton(NamedTuple):
    """States: length of the longest string, suffix link, last end position. Edges: hash table of keys and targets."""

    length: np.ndarray
    link: np.ndarray
    last: np.ndarray
    keys: np.ndarray
    targets: np.ndarray
    used: np.ndarray
    following: np.ndarray
    head: np.ndarray


@inlined
def make_automaton(size):
    """Room for a source of up to `size` tokens: at most 2·size states and 3·size edges."""
    slots = np.int64(16)
    while slots < 6 * (size + 1):
        slots *= 2
    states = 2 * size + 2
    return Automaton(
        np.empty(states, np.int64), np.empty(states, np.int64), np.empty(states, np.int64),
        np.empty(slots, np.uint64), np.empty(slots, np.int64),
        np.empty(3 * size + 4, np.int64), np.empty(3 * size + 4, np.int64), np.empty(states, np.int64),
    )  # fmt: skip


@inlined
def fitted(automaton, size):
    """The same memory with a hash table that fits a source of `size` tokens."""
    slots = np.int64(16)
    while slots < 6 * (size + 1):
        slots *= 2
    return Automaton(
        automaton.length, automaton.link, automaton.last, automaton.keys[:slots], automaton.targets[:slots],
        automaton.used, automaton.following, automaton.head,
    )  # fmt: skip


@inlined
def _edge(state, token, automaton):
    """(slot, target) of an edge; target NONE and the free slot where there is no such edge."""
    key = (np.uint64(state + 1) << U32) | np.uint64(token)
    last = len(automaton.keys) - 1
    slot = np.int64((key * MIX_A) >> U32) & last
    while automaton.keys[slot] != 0 and automaton.keys[slot] != key:
        slot = (slot + 1) & last
    return slot, automaton.targets[slot] if automaton.keys[slot] == key else np.int64(NONE)


@inlined
def _connect(state, token, target, edges, automaton):
    """Make or redirect an edge; returns the number of edges. Edges of a state form a list, for copying them."""
    slot, known = _edge(state, token, automaton)
    automaton.targets[slot] = target
    if known != NONE:
        return edges
    automaton.keys[slot] = (np.uint64(state + 1) << U32) | np.uint64(token)
    automaton.used[edges] = token
    automaton.following[edges] = automaton.head[state]
    automaton.head[state] = edges
    return edges + 1


@inlined
def build(ids, start, stop, automaton):
    """Read ids[start:stop] from right to left into a `fitted` automaton, then spread last end positions up the links."""
    automaton.keys[:] = 0
    automaton.length[ROOT], automaton.link[ROOT], automaton.last[ROOT], automaton.head[ROOT] = 0, NONE, NONE, NONE
    states, edges, end = np.int64(1), np.int64(0), np.int64(ROOT)
    for position in range(stop - start):
        token = np.int64(ids[stop - 1 - position]) + 1
        fresh = states
        states += 1
        automaton.length[fresh], automaton.last[fresh], automaton.head[fresh] = position + 1, position, NONE
        at = end
        while at != NONE and _edge(at, token, automaton)[1] == NONE:
            edges = _connect(at, token, fresh, edges, automaton)
            at = automaton.link[at]
        automaton.link[fresh] = ROOT
        if at != NONE:
            target = _edge(at, token, automaton)[1]
            if automaton.length[target] != automaton.length[at] + 1:
                edges = _split(at, token, target, states, edges, automaton)
                target, states = states, states + 1
            automaton.link[fresh] = target
        end = fresh
    _spread(states, stop - start, automaton)


@inlined
def _split(at, token, target, clone, edges, automaton):
    """Give the shorter strings of `target` a state of their own, `clone`; returns the number of edges."""
    automaton.length[clone], automaton.link[clone] = automaton.length[at] + 1, automaton.link[target]
    automaton.last[clone], automaton.head[clone] = automaton.last[target], NONE
    edge = automaton.head[target]
    while edge != NONE:
        label = automaton.used[edge]
        edges = _connect(clone, label, _edge(target, label, automaton)[1], edges, automaton)
        edge = automaton.following[edge]
    automaton.link[target] = clone
    while at != NONE and _edge(at, token, automaton)[1] == target:
        edges = _connect(at, token, clone, edges, automaton)
        at = automaton.link[at]
    return edges


@inlined
def _spread(states, size, automaton):
    """last[state] = latest end of any of its strings: pass it up the suffix links, longest states first."""
    counts, order = np.zeros(size + 2, np.int64), np.empty(states, np.int64)
    for state in range(states):
        counts[automaton.length[state] + 1] += 1
    for length in range(size + 1):
        counts[length + 1] += counts[length]
    for state in range(states):
        order[counts[automaton.length[state]]] = state
        counts[automaton.length[state]] += 1
    for k in range(states - 1, 0, -1):
        state = order[k]
        link = automaton.link[state]
        automaton.last[link] = max(automaton.last[link], automaton.last[state])


@inlined
def longest_matches(ids, summary, summary_stop, size, automaton, matched, found):
    """For every summary position i: matched[i] = length of the longest prefix of summary[i:] in the source of `size`
    tokens, found[i] = its first position there."""
    state, length = np.int64(ROOT), np.int64(0)
    for i in range(summary_stop - 1, summary - 1, -1):
        token = np.int64(ids[i]) + 1
        target = _edge(state, token, automaton)[1]
        while target == NONE and state != ROOT:
            state = automaton.link[state]
            length = automaton.length[state]
            target = _edge(state, token, automaton)[1]
        if target != NONE:
            state, length = target, length + 1
        matched[i - summary] = length
        found[i - summary] = size - 1 - automaton.last[state] if length > 0 else 0
