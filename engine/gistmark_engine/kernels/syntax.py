"""Counting clauses, T-units and phrases on the arrays of a dependency parse.

Tokens of all sentences of all rows lie behind each other; `bits` holds what is known of each (see `dependencies`),
`heads` the index of its governor, a root pointing at itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine import dependencies as d
from gistmark_engine.jit import inlined, kernel

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MEASURES = ("W", "S", "VP", "C", "T", "DC", "CT", "CP", "CN")
W, S, VP, C, T, DC, CT, CP, CN = range(9)

_AUX_FINITE, _AUX_TO = d.AUXILIARY | d.FINITE, d.AUXILIARY | d.TO
_CLAUSE_LABEL = d.CLAUSAL | d.PARATAXIS
_LABEL_WITH_SUBJECT = d.CONJ | d.XCOMP


@kernel
def count_dependencies(bits: Ints, heads: Ints, sentences: Ints, rows: Ints) -> Ints:
    """The nine counts of each row, int64 (rows, 9), in the order of `MEASURES`.

    bits       int64 (n,)    what is known of each token
    heads      int64 (n,)    its governor's index in the same arrays
    sentences  int64 (m+1,)  sentence k is tokens sentences[k]:sentences[k+1], one tree
    rows       int64 (r+1,)  row k is sentences rows[k]:rows[k+1]
    """
    children = _children(bits, heads)
    chains = _climb(heads, bits & d.CONJ == 0)
    main, units, dependent = _clauses(bits, heads, children, chains)
    owners = _climb(heads, units)
    tokens = np.zeros((bits.size, 9), np.int64)
    _count_clauses(tokens, bits, children, main, units, dependent, owners)
    _count_coordinations(tokens, bits, heads, children, chains)
    _count_nominals(tokens, bits, heads, children)
    out = np.zeros((rows.size - 1, 9), np.int64)
    for row in range(rows.size - 1):
        for sentence in range(rows[row], rows[row + 1]):
            _add_sentence(out[row], tokens[sentences[sentence] : sentences[sentence + 1]])
    return out


@inlined
def _children(bits: Ints, heads: Ints) -> Ints:
    """The union of the bits of each token's children, with what follows from their tag and label together."""
    out = np.zeros(bits.size, np.int64)
    for i in range(bits.size):
        if heads[i] != i:
            own = bits[i] | d.ANY_CHILD
            if own & _AUX_FINITE == _AUX_FINITE:
                own |= d.FINITE_AUXILIARY
            if own & _AUX_TO == _AUX_TO:
                own |= d.TO_AUXILIARY
            if own & (d.MARK | d.THAT_FOR) == d.MARK:
                own |= d.OTHER_MARK
            out[heads[i]] |= own
    return out


@inlined
def _climb(heads: Ints, stops: Flags) -> Ints:
    """For each token the first of itself and its ancestors that stops, or its root; linear in the tokens."""
    out = np.full(heads.size, -1, np.int64)
    for i in range(heads.size):
        top = i
        while out[top] < 0 and not stops[top] and heads[top] != top:
            top = heads[top]
        goal = out[top] if out[top] >= 0 else top
        while i != top:
            out[i] = goal
            i = heads[i]
        out[top] = goal
    return out


@inlined
def _finite(bits: Ints, children: Ints, i: int) -> bool:
    """Whether token i is a finite verb, by its own tag or by that of an auxiliary."""
    return bool(bits[i] & d.VERB != 0 and (bits[i] & d.FINITE != 0 or children[i] & d.FINITE_AUXILIARY != 0))


@inlined
def _bare(bits: Ints, children: Ints, i: int) -> bool:
    """Whether token i is a base form without subject, "to" and finite auxiliary: an imperative, if in place."""
    alone = children[i] & (d.SUBJECT | d.TO_AUXILIARY) == 0 and not _finite(bits, children, i)
    return bool(alone and bits[i] & d.BASE_FORM != 0)


@inlined
def _wh_words(bits: Ints, heads: Ints, children: Ints) -> Ints:
    """The wh-bits of each token's children and of theirs, clauses below it left out."""
    out = np.zeros(bits.size, np.int64)
    for i in range(bits.size):
        if heads[i] != i and not (bits[i] & d.VERB != 0 and bits[i] & d.CLAUSAL != 0):
            out[heads[i]] |= (bits[i] | children[i]) & (d.WH | d.WH_PRONOUN)
    return out


@inlined
def _clauses(bits: Ints, heads: Ints, children: Ints, chains: Ints) -> tuple[Flags, Flags, Flags]:
    """Which tokens head a finite clause, which a T-unit, and which a dependent clause."""
    main, units, dependent = np.zeros(bits.size, np.bool_), heads == np.arange(bits.size), np.zeros(bits.size, np.bool_)
    fronted = _fronted(bits, heads, children)
    separators = np.cumsum((bits & d.SEPARATOR != 0) & (bits & d.COLON != 0))
    for i in range(bits.size):
        main[i] = _heads_clause(bits, heads, children, chains, i)
        if not main[i] or heads[i] == i:
            continue
        top = heads[heads[i]] == heads[i]
        if bits[i] & d.CONJ != 0:
            units[i] = heads[chains[i]] == chains[i]
        elif top and children[i] & d.SUBJECT != 0:
            parted = fronted[i] and separators[heads[i] - 1] > separators[i]
            units[i] = parted or bits[i] & d.PARATAXIS != 0
        base = chains[i]
        below = heads[base] != base and bits[base] & d.CLAUSAL != 0 and not fronted[base]
        dependent[i] = below and _finite(bits, children, i)
    return main, units, dependent


@inlined
def _heads_clause(bits: Ints, heads: Ints, children: Ints, chains: Ints, i: int) -> bool:
    """Whether token i heads a finite clause: in a clausal place, coordinated with its own subject, or imperative."""
    root = chains[i]
    if _bare(bits, children, i) and heads[root] == root:
        return i == root or not _bare(bits, children, root)
    if not _finite(bits, children, i):
        return False
    if heads[i] == i or bits[i] & _CLAUSE_LABEL != 0:
        return True
    return bool(bits[i] & _LABEL_WITH_SUBJECT != 0 and children[i] & d.SUBJECT != 0)


@inlined
def _fronted(bits: Ints, heads: Ints, children: Ints) -> Flags:
    """Which complement clauses stand before their governor without a subordinator or wh-word."""
    wh = _wh_words(bits, heads, children)
    out = np.zeros(bits.size, np.bool_)
    for i in range(bits.size):
        out[i] = bits[i] & d.CCOMP != 0 and i < heads[i] and children[i] & d.MARK == 0 and wh[i] & d.WH == 0
    return out


@inlined
def _count_clauses(
    tokens: Ints, bits: Ints, children: Ints, main: Flags, units: Flags, dependent: Flags, owners: Ints
) -> None:
    """Mark words, clauses, T-units, dependent clauses and verb phrases at their heads, complex T-units at theirs."""
    for i in range(bits.size):
        tokens[i, W] = bits[i] & d.COUNTED != 0
        tokens[i, S] = bits[i] & d.WORD != 0
        tokens[i, C] = main[i]
        tokens[i, T] = units[i]
        tokens[i, DC] = dependent[i]
        tokens[i, VP] = bits[i] & d.VERB != 0 and (main[i] or _nonfinite_phrase(bits, children, i))
        if dependent[i]:
            tokens[owners[i], CT] = 1


@inlined
def _nonfinite_phrase(bits: Ints, children: Ints, i: int) -> bool:
    """Whether verb i is not finite and in a place where it makes a verb phrase."""
    infinitive = bits[i] & d.ACL != 0 and children[i] & d.TO_AUXILIARY != 0
    return (infinitive or bits[i] & d.NONFINITE_SLOT != 0) and not _finite(bits, children, i)


@inlined
def _count_coordinations(tokens: Ints, bits: Ints, heads: Ints, children: Ints, chains: Ints) -> None:
    """Mark the first member of each coordination of phrases."""
    clausal = np.zeros(bits.size, np.bool_)  # chains with a later member that has its own subject
    for i in range(bits.size):
        if chains[i] != i and children[i] & d.SUBJECT != 0:
            clausal[chains[i]] = True
    for i in range(bits.size):
        if bits[i] & d.CC != 0 and children[heads[i]] & d.CONJ != 0:
            first = chains[heads[i]]
            verbal = bits[first] & d.VERB != 0 and not clausal[first]
            if verbal or bits[first] & (d.NOMINAL | d.ADJ_ADV) != 0:
                tokens[first, CP] = 1


@inlined
def _count_nominals(tokens: Ints, bits: Ints, heads: Ints, children: Ints) -> None:
    """Mark complex nominals: modified noun phrases, nominal clauses, gerunds and infinitives as subjects."""
    modified = _modified(bits, heads)
    wh = _wh_words(bits, heads, children)
    for i in range(bits.size):
        bare = bits[i] & d.BARE_EXCLUDED != 0 and children[i] & d.ANY_CHILD == 0
        phrase = bits[i] & d.NOMINAL != 0 and bits[i] & d.SLOT != 0 and modified[i] and not bare
        tokens[i, CN] = (
            phrase or _clausal_subject(bits, children, i) or _nominal_complement(bits, heads, children, wh, i)
        )


@inlined
def _modified(bits: Ints, heads: Ints) -> Flags:
    """Which tokens have, at any depth below them, what makes a noun phrase complex."""
    out = np.zeros(bits.size, np.bool_)
    for i in range(bits.size):
        if bits[i] & (d.MODIFIER_TAG | d.MODIFIER_LABEL) != 0:
            while heads[i] != i and not out[heads[i]]:
                i = heads[i]
                out[i] = True
    return out


@inlined
def _clausal_subject(bits: Ints, children: Ints, i: int) -> bool:
    """Whether token i heads a subject that is a finite clause, an infinitive or a gerund."""
    gerund = bits[i] & d.GERUND != 0
    if bits[i] & d.CLAUSAL_SUBJECT != 0:
        return gerund or children[i] & d.TO_AUXILIARY != 0 or _finite(bits, children, i)
    return bool(gerund and bits[i] & d.NOMINAL_SUBJECT != 0 and children[i] & d.COMPLEMENT != 0)


@inlined
def _nominal_complement(bits: Ints, heads: Ints, children: Ints, wh: Ints, i: int) -> bool:
    """Whether token i heads a finite complement clause after its governor that is no if- or whether-clause."""
    if bits[i] & d.CCOMP == 0 or i < heads[i] or not _finite(bits, children, i):
        return False
    return bool(children[i] & d.OTHER_MARK == 0 or wh[i] & d.WH_PRONOUN != 0)


@inlined
def _add_sentence(out: Ints, tokens: Ints) -> None:
    """Add one sentence's marks; without a word it counts nothing but W, without a clause it is a fragment of one."""
    counts = tokens.sum(axis=0)
    out[W] += counts[W]
    if counts[S] == 0:
        return
    out[S] += 1
    out[C] += max(counts[C], 1)
    out[VP] += counts[VP]
    out[T:] += counts[T:]
