"""All ways in which words or phrases of a summary may stand for words or phrases of a reference, for METEOR 1.5.

They come stage by stage in the order of the released program, which decides between alignments of equal worth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.phrases import next_node

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
STAGE, START, LENGTH, OWN_START, OWN_LENGTH = range(5)
"""Columns of a candidate: its stage, and its words in the reference and in the summary."""


class Words(NamedTuple):
    """By word id: keys of its spelling and of its stem, whether it is a function word, its number among the words of phrases
    (0 for none), and its synonym sets, ascending: sets[offsets[k]:offsets[k + 1]]."""

    spelling: np.ndarray
    stem: np.ndarray
    function: np.ndarray
    phrase: np.ndarray
    offsets: np.ndarray
    sets: np.ndarray


class Lattice(NamedTuple):
    """Candidates [candidates, 5]; those that begin at place i of the reference are order[offsets[i]:offsets[i + 1]];
    `own`, `other`: how many candidates cover each place of the summary and of the reference."""

    found: np.ndarray
    order: np.ndarray
    offsets: np.ndarray
    own: np.ndarray
    other: np.ndarray


class Trail(NamedTuple):
    """Phrases of one text by trie node, as lists: `head[node]` is the entry of the first in the text, 0 for none."""

    head: np.ndarray
    place: np.ndarray
    length: np.ndarray
    node: np.ndarray
    following: np.ndarray


@inlined
def find_candidates(summary, reference, words, phrases, stages, head):
    """The lattice of a pair of texts, given as word ids; of equal texts, only the first wanted stage.

    stages  bool [4]: which are wanted; `head` [nodes]: zeros, left so
    """
    found, count = np.empty((len(summary) + len(reference) + 8, 5), np.int32), np.int64(0)
    alone = _same(summary, reference, words.spelling)
    for stage in range(EXACT, PARAPHRASE + 1):
        if stages[stage] and not (alone and stages[:stage].any()):
            if stage < PARAPHRASE:
                found, count = _find_words(summary, reference, words, stage, found, count)
            else:
                found, count = _find_phrases(summary, reference, words, phrases, True, head, found, count)
                found, count = _find_phrases(reference, summary, words, phrases, False, head, found, count)
    return _lattice(found[:count], len(summary), len(reference))


@inlined
def _same(summary, reference, spelling):
    if len(summary) != len(reference):
        return False
    for i in range(len(summary)):
        if spelling[summary[i]] != spelling[reference[i]]:
            return False
    return True


@inlined
def _find_words(summary, reference, words, stage, found, count):
    for i in range(len(reference)):
        for j in range(len(summary)):
            if _match(summary[j], reference[i], words, stage):
                found, count = _add(found, count, stage, i, 1, j, 1)
    return found, count


@inlined
def _match(own, other, words, stage):
    """Whether two words match in a stage; those of equal spelling do so in the first alone."""
    same = words.spelling[own] == words.spelling[other]
    if stage == EXACT or same:
        return same and stage == EXACT
    if stage == STEM:
        return words.stem[own] == words.stem[other]
    a, b = words.offsets[own], words.offsets[other]
    while a < words.offsets[own + 1] and b < words.offsets[other + 1]:
        one, two = words.sets[a], words.sets[b]
        if one == two:
            return True
        a += np.int64(one < two)
        b += np.int64(two < one)
    return False


@inlined
def _add(found, count, stage, start, length, own_start, own_length):
    if count == len(found):
        found = np.concatenate((found, np.empty_like(found)))
    found[count, STAGE], found[count, START], found[count, LENGTH] = stage, start, length
    found[count, OWN_START], found[count, OWN_LENGTH] = own_start, own_length
    return found, count + 1


@inlined
def _find_phrases(target, base, words, phrases, forward, head, found, count):
    """Phrases of the base that the table lists, where one that may stand for them is in the target; `forward`: the base is
    the reference."""
    trail, entries = _make_trail(target, words.phrase, phrases, head)
    for i in range(len(base)):
        node = np.int64(0)
        for k in range(i, len(base)):
            node = next_node(node, words.phrase[base[k]], phrases)
            if node == 0:
                break
            for t in range(phrases.offsets[node], phrases.offsets[node + 1]):
                entry = trail.head[phrases.targets[t]]
                while entry > 0:
                    place, length = trail.place[entry], trail.length[entry]
                    if forward:
                        found, count = _add(found, count, PARAPHRASE, i, k + 1 - i, place, length)
                    else:
                        found, count = _add(found, count, PARAPHRASE, place, length, i, k + 1 - i)
                    entry = trail.following[entry]
    for entry in range(1, entries):
        trail.head[trail.node[entry]] = 0
    return found, count


@inlined
def _make_trail(text, numbers, phrases, head):
    """(trail, entries used): every phrase of the text that the trie has, those of a node in the order of the text."""
    entries, room = np.int64(1), phrases.longest * len(text) + 1
    trail = Trail(
        head, np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    )
    for i in range(len(text) - 1, -1, -1):
        node = np.int64(0)
        for k in range(i, len(text)):
            node = next_node(node, numbers[text[k]], phrases)
            if node == 0:
                break
            trail.place[entries], trail.length[entries], trail.node[entries] = i, k + 1 - i, node
            trail.following[entries], head[node] = head[node], entries
            entries += 1
    return trail, entries


@inlined
def _lattice(found, own_length, other_length):
    """The candidates sorted by where they begin in the reference, their order kept among equals."""
    offsets, order = np.zeros(other_length + 2, np.int64), np.empty(len(found), np.int64)
    own, other = np.zeros(own_length, np.int64), np.zeros(other_length, np.int64)
    for c in range(len(found)):
        offsets[found[c, START] + 1] += 1
        own[found[c, OWN_START] : found[c, OWN_START] + found[c, OWN_LENGTH]] += 1
        other[found[c, START] : found[c, START] + found[c, LENGTH]] += 1
    for i in range(other_length):
        offsets[i + 1] += offsets[i]
    filled = offsets.copy()
    for c in range(len(found)):
        start = found[c, START]
        order[filled[start]] = c
        filled[start] += 1
    return Lattice(found, order, offsets, own, other)
