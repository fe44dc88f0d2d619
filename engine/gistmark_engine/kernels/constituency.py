"""Counting clauses, T-units and phrases on the arrays of constituency trees (L2SCA's definitions).

The nodes of all trees of all rows lie behind each other in preorder: the nodes below i are i+1 … ends[i]-1, its first
child is i+1, and a sister begins where a node ends. A part of speech is a node without nodes below it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine import constituents as c
from gistmark_engine.jit import inlined, kernel

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

W, S, VP, C, T, DC, CT, CP, CN = range(9)


@kernel
def count_constituents(labels: Ints, parents: Ints, ends: Ints, words: Ints, rows: Ints, heads: Ints) -> Ints:
    """The nine counts of each row, int64 (rows, 9): W, S, VP, C, T, DC, CT, CP, CN.

    labels   int64 (n,)    each node's label as a code of `constituents`
    parents  int64 (n,)    its parent, -1 for the top of a tree
    ends     int64 (n,)    one past the last node below it
    words    int64 (n,)    bits of `constituents` for what a leaf's text is; 0 for other nodes
    rows     int64 (r+1,)  row k is nodes rows[k]:rows[k+1]
    heads    int64 (labels, 1 + longest)  head rules: direction, then labels by priority, -1 behind the last
    """
    head = _head_children(labels, ends, heads)
    finite, units = _finite_clauses(labels, parents, ends, head), _t_units(labels, parents, ends)
    dependent = np.zeros(labels.size, np.bool_)
    for i in range(labels.size):
        if finite[i] and parents[i] >= 0 and labels[parents[i]] == c.SBAR:
            dependent[parents[i]] = True
    nodes = np.zeros((labels.size, 9), np.int64)
    _count_clauses(nodes, labels, parents, ends, words, finite, units, dependent)
    _count_phrases(nodes, labels, parents, ends)
    _count_nominals(nodes, labels, parents, ends, words, head)
    out = np.zeros((rows.size - 1, 9), np.int64)
    for row in range(rows.size - 1):
        out[row] = nodes[rows[row] : rows[row + 1]].sum(axis=0)
    return out


@inlined
def _head_children(labels: Ints, ends: Ints, rules: Ints) -> Ints:
    """Each node's head child, -1 for a leaf."""
    out = np.full(labels.size, -1, np.int64)
    children = np.empty(labels.size, np.int64)
    for i in range(labels.size):
        count, child = 0, i + 1
        while child < ends[i]:
            children[count] = child
            count, child = count + 1, ends[child]
        if count:
            out[i] = children[_head_place(labels, children[:count], rules[labels[i]])]
    return out


@inlined
def _head_place(labels: Ints, children: Ints, rule: Ints) -> int:
    """Which child is the head: the first from the rule's side that bears the best label; before a CC, if it has one."""
    last = children.size - 1
    place = 0 if rule[0] == c.LEFT else last
    for k in range(1, rule.size):
        found = -1
        for step in range(last + 1):
            at = step if rule[0] == c.LEFT else last - step
            if found < 0 and rule[k] >= 0 and labels[children[at]] == rule[k]:
                found = at
        if found >= 0:
            place = found
            break
    if place >= 2 and (labels[children[place - 1]] == c.CC or labels[children[place - 1]] == c.CONJP):
        before = place - 2
        while before >= 0 and labels[children[before]] == c.PUNCTUATION:
            before -= 1
        place = before if before >= 0 else place
    return place


@inlined
def _has_child(labels: Ints, ends: Ints, i: int, label: int) -> bool:
    """Whether node i has a child with this label."""
    child = i + 1
    while child < ends[i]:
        if labels[child] == label:
            return True
        child = ends[child]
    return False


@inlined
def _is_finite(label: int) -> bool:
    return label == c.MD or label == c.VBZ or label == c.VBP or label == c.VBD


@inlined
def _is_clause(label: int) -> bool:
    return label == c.S or label == c.SINV or label == c.SQ


@inlined
def _finite_phrase(labels: Ints, ends: Ints, head: Ints, i: int) -> bool:
    """Whether node i is a verb phrase headed by a finite verb, or a coordination with one of those."""
    if labels[i] != c.VP or head[i] < 0:
        return False
    if _is_finite(labels[head[i]]):
        return True
    child = i + 1
    while _has_child(labels, ends, i, c.CC) and child < ends[i]:
        if labels[child] == c.VP and head[child] >= 0 and _is_finite(labels[head[child]]):
            return True
        child = ends[child]
    return False


@inlined
def _finite_clauses(labels: Ints, parents: Ints, ends: Ints, head: Ints) -> Flags:
    """Which nodes are finite clauses: an imperative under the root, a finite head, or a finite verb phrase as child."""
    out = np.zeros(labels.size, np.bool_)
    for i in range(labels.size):
        if not _is_clause(labels[i]) or head[i] < 0:
            continue
        first = i + 1
        imperative = labels[first] == c.VP and head[first] >= 0 and labels[head[first]] == c.VB
        out[i] = (imperative and _under_root(labels, parents, i)) or _is_finite(labels[head[i]])
        child = first
        while not out[i] and child < ends[i]:
            out[i] = _finite_phrase(labels, ends, head, child)
            child = ends[child]
    return out


@inlined
def _under_root(labels: Ints, parents: Ints, i: int) -> bool:
    return bool(parents[i] >= 0 and labels[parents[i]] == c.ROOT)


@inlined
def _t_units(labels: Ints, parents: Ints, ends: Ints) -> Flags:
    """Which nodes are T-units: clauses under the root, or clauses after a sister clause outside every SBAR and VP."""
    out = np.zeros(labels.size, np.bool_)
    embedded = np.zeros(labels.size, np.bool_)  # below an SBAR or VP
    after = np.zeros(labels.size, np.bool_)  # to the right of a sister that is a clause
    for i in range(labels.size):
        clause = _is_clause(labels[i]) or labels[i] == c.SBARQ
        if parents[i] >= 0:
            above = labels[parents[i]]
            embedded[i] = embedded[parents[i]] or above == c.SBAR or above == c.VP
            if ends[i] < ends[parents[i]]:
                after[ends[i]] = after[i] or clause
        out[i] = clause and (_under_root(labels, parents, i) or (after[i] and not embedded[i]))
    return out


@inlined
def _count_clauses(
    nodes: Ints, labels: Ints, parents: Ints, ends: Ints, words: Ints, finite: Flags, units: Flags, dependent: Flags
) -> None:
    """Mark words, sentences, clauses, T-units and dependent clauses, with the fragments that stand for them."""
    clauses, t_units, subordinate = _before(finite), _before(units), _before(dependent)
    for i in range(labels.size):
        fragment = labels[i] == c.FRAG and _under_root(labels, parents, i)
        nodes[i, W] = words[i] & c.COUNTED != 0
        nodes[i, S] = labels[i] == c.ROOT and parents[i] < 0
        nodes[i, C] = finite[i] or (fragment and clauses[ends[i]] == clauses[i + 1])
        nodes[i, T] = units[i] or (fragment and t_units[ends[i]] == t_units[i + 1])
        nodes[i, DC] = dependent[i]
        nodes[i, CT] = units[i] and subordinate[ends[i]] > subordinate[i + 1]


@inlined
def _before(flags: Flags) -> Ints:
    """How many flags are set before each place; the last element counts all."""
    out = np.zeros(flags.size + 1, np.int64)
    out[1:] = np.cumsum(flags)
    return out


@inlined
def _count_phrases(nodes: Ints, labels: Ints, parents: Ints, ends: Ints) -> None:
    """Mark verb phrases directly below a clause, finite verbs of inverted questions, and coordinate phrases."""
    for i in range(labels.size):
        label = labels[i]
        if parents[i] >= 0:
            above = labels[parents[i]]
            inverted = _is_finite(label) and above == c.SQ and not _has_child(labels, ends, parents[i], c.VP)
            nodes[i, VP] = (label == c.VP and _is_clause(above)) or inverted
        phrase = label == c.ADJP or label == c.ADVP or label == c.NP or label == c.VP
        nodes[i, CP] = phrase and _has_child(labels, ends, i, c.CC)


@inlined
def _count_nominals(nodes: Ints, labels: Ints, parents: Ints, ends: Ints, words: Ints, head: Ints) -> None:
    """Mark complex nominals: modified noun phrases, nominal clauses, gerunds and infinitives as subjects."""
    modifying = np.zeros(labels.size, np.bool_)
    for i in range(labels.size):
        label = labels[i]
        modifying[i] = label == c.JJ or label == c.POS or label == c.PP or label == c.S or label == c.VBG
        modifying[i] |= _in_apposition(labels, parents, ends, i)
    modifiers = _before(modifying)
    for i in range(labels.size):
        above = labels[parents[i]] if parents[i] >= 0 else -1
        after = labels[ends[i]] if above >= 0 and ends[i] < ends[parents[i]] else -1
        if labels[i] == c.NP:
            nodes[i, CN] = above != c.NP and modifiers[ends[i]] > modifiers[i + 1]
        elif labels[i] == c.SBAR:
            nodes[i, CN] = (after == c.VP or above == c.VP) and _nominal_clause(labels, words, head, i)
        elif labels[i] == c.S:
            nodes[i, CN] = after == c.VP and _gerund_or_infinitive(labels, ends, head, i)


@inlined
def _in_apposition(labels: Ints, parents: Ints, ends: Ints, i: int) -> bool:
    """Whether node i is a noun phrase with a later sister noun phrase, the next sister being no CC."""
    if labels[i] != c.NP or parents[i] < 0:
        return False
    sister, end = ends[i], ends[parents[i]]
    if sister < end and labels[sister] == c.CC:
        return False
    while sister < end:
        if labels[sister] == c.NP:
            return True
        sister = ends[sister]
    return False


@inlined
def _nominal_clause(labels: Ints, words: Ints, head: Ints, i: int) -> bool:
    """Whether an SBAR is headed by a WHNP or by "that" or "for", or begins with its clause."""
    if head[i] < 0:
        return False
    if labels[head[i]] == c.WHNP or labels[i + 1] == c.S:
        return True
    return bool(labels[head[i]] == c.IN and words[head[i]] & c.THAT_FOR != 0)


@inlined
def _gerund_or_infinitive(labels: Ints, ends: Ints, head: Ints, i: int) -> bool:
    """Whether a clause has a verb phrase headed by a gerund or "to" as child."""
    child = i + 1
    while child < ends[i]:
        if labels[child] == c.VP and head[child] >= 0:
            label = labels[head[child]]
            if label == c.VBG or label == c.TO:
                return True
        child = ends[child]
    return False
