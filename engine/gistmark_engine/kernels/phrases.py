"""Paraphrases: a trie of phrases, and for each phrase those that may stand for it, in the order of their file.

A node of the trie is a number: a gram of `kernels.grams`, made of the node before it and one more word; 0 is the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed, trailing_zeros
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.grams import U32, add_gram, gram_key
from gistmark_engine.kernels.intern import MIX_A, add, rehash, token_words

SPACE, NEWLINE = 32, 10
FIRST = 12
"""Log of a table's slots at first; it doubles as words and phrases come."""


class Phrases(NamedTuple):
    """`table`, `shift`, `keys`: the trie, `longest`: the words of its longest phrase; the phrases that may stand for node k
    are targets[offsets[k]:offsets[k + 1]]."""

    table: np.ndarray
    shift: int
    keys: np.ndarray
    longest: int
    offsets: np.ndarray
    targets: np.ndarray


class Tables(NamedTuple):
    """Hash tables of words (with `vocabulary` and `places` as for `kernels.intern`) and of nodes (with `keys`)."""

    words: np.ndarray
    vocabulary: np.ndarray
    places: np.ndarray
    nodes: np.ndarray
    keys: np.ndarray


@kernel
def read_phrases(text, size):
    """(Phrases, places of the words): from lines of a number, a phrase and one that may stand for it, again and again.

    text    uint8, 16 bytes longer than `size`
    places  int64: start and length of word k at 2k; word 0 is no word
    """
    pairs = np.empty((_lines(text, size) // 3, 2), np.int32)
    tables = Tables(
        np.zeros(1 << FIRST, np.uint32), np.empty(2 << FIRST, np.uint64), np.empty(2 << FIRST, np.int64),
        np.zeros(1 << FIRST, np.uint32), np.empty(1 << FIRST, np.uint64),
    )  # fmt: skip
    line, start, words, nodes = 0, 0, np.int64(0), np.int64(0)
    for i in range(size):
        if text[i] == NEWLINE:
            if line % 3 > 0:
                tables = _roomy(tables, words, nodes, i - start)
                words, nodes, node = _read(text, start, i, words, nodes, tables)
                pairs[line // 3, line % 3 - 1] = node
            line, start = line + 1, i + 1
    offsets, targets = _listed(pairs, nodes)
    phrases = Phrases(tables.nodes, _shift(tables.nodes), tables.keys, _depth(tables.keys, nodes), offsets, targets)
    return phrases, tables.places[: 2 * words + 2]


@inlined
def _lines(text, size):
    lines = np.int64(0)
    for i in range(size):
        lines += np.int64(text[i] == NEWLINE)
    return lines


@inlined
def _shift(table):
    """The shift of a hash table of 2**(64 - shift) slots."""
    return np.int64(64) - trailing_zeros(np.uint64(len(table)))


@inlined
def _read(text, start, stop, words, nodes, tables):
    """(words and nodes that are known now, the node of the phrase text[start:stop])."""
    text, tables = borrowed(text), borrowed(tables)
    node, at = np.int64(0), start
    for i in range(start, stop + 1):
        if i == stop or text[i] == SPACE:
            if i > at:
                a, b = token_words(text.ctypes.data + at, i - at)
                word, known = add(
                    a, b, at, i - at, tables.words, _shift(tables.words), tables.vocabulary, tables.places, text, words
                )  # fmt: skip
                if known > words:
                    tables.places[2 * word], tables.places[2 * word + 1] = at, i - at
                words = known
                key = gram_key(node, word)
                node, nodes = add_gram(key, tables.nodes, _shift(tables.nodes), tables.keys, nodes)
            at = i + 1
    return words, nodes, node


@inlined
def _roomy(tables, words, nodes, more):
    """The same with room for `more` words and nodes."""
    while 2 * (words + more + 2) > len(tables.words):
        table = np.zeros(2 * len(tables.words), np.uint32)
        vocabulary, places = _doubled(tables.vocabulary), _doubled(tables.places)
        rehash(table, _shift(table), vocabulary, words)
        tables = Tables(table, vocabulary, places, tables.nodes, tables.keys)
    while 2 * (nodes + more + 2) > len(tables.nodes):
        table = np.zeros(2 * len(tables.nodes), np.uint32)
        for node in range(1, nodes + 1):
            slot = np.int64((tables.keys[node] * MIX_A) >> np.uint64(_shift(table)))
            while table[slot] != 0:
                slot = (slot + 1) & (len(table) - 1)
            table[slot] = node
        tables = Tables(tables.words, tables.vocabulary, tables.places, table, _doubled(tables.keys))
    return tables


@inlined
def _doubled(array):
    return np.concatenate((array, np.empty_like(array)))


@inlined
def _depth(keys, nodes):
    """The depth of the trie; a node is made after the one before it."""
    depth = np.zeros(nodes + 1, np.int64)
    for node in range(1, nodes + 1):
        depth[node] = depth[np.int64(keys[node] >> U32)] + 1
    return depth.max()


@inlined
def _listed(pairs, nodes):
    """Pairs (phrase, other) as lists of others by phrase."""
    offsets = np.zeros(nodes + 2, np.int64)
    for p in range(len(pairs)):
        offsets[pairs[p, 0] + 1] += 1
    for node in range(nodes + 1):
        offsets[node + 1] += offsets[node]
    filled, targets = offsets.copy(), np.empty(len(pairs), np.int32)
    for p in range(len(pairs)):
        node = pairs[p, 0]
        targets[filled[node]] = pairs[p, 1]
        filled[node] += 1
    return offsets, targets


@inlined
def next_node(node, word, phrases):
    """The node behind `node` on `word`, 0 if there is none or the word (0) is in no phrase."""
    if word == 0:
        return np.int64(0)
    key, last = gram_key(node, word), len(phrases.table) - 1
    slot = np.int64((key * MIX_A) >> np.uint64(phrases.shift))
    while phrases.table[slot] != 0 and phrases.keys[phrases.table[slot]] != key:
        slot = (slot + 1) & last
    return np.int64(phrases.table[slot])
