"""Constituency trees in Penn brackets as arrays, and their counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gistmark.syntax.words import WordRule, tag_counts, text_counts
from gistmark_engine import constituents
from gistmark_engine.errors import InputError

_PIECES = re.compile(r"[()]|[^\s()]+")
_TOPS = ("ROOT", "TOP", "")


@dataclass(frozen=True, slots=True)
class Trees:
    """The nodes of all trees of all texts in preorder; a part of speech is a node with a text.

    labels   each node's label without function tags
    texts    its text, None for a node with nodes below it
    parents  its parent's index, -1 for the top of a tree
    ends     one past the last node below it
    rows     text k is nodes rows[k]:rows[k+1]
    """

    labels: list[str]
    texts: list[str | None]
    parents: list[int]
    ends: list[int]
    rows: list[int]

    def counts(self, w_rule: WordRule = "word") -> NDArray[np.int64]:
        """The nine counts of each text, int64 (texts, 9)."""
        from gistmark_engine.kernels.constituency import count_constituents

        codes = [constituents.CODES.get(label, constituents.OTHER) for label in self.labels]
        words = [_leaf_bits(text, label, w_rule) for text, label in zip(self.texts, self.labels, strict=True)]
        labels, parents, ends, leaves, rows = (
            np.array(values, np.int64) for values in (codes, self.parents, self.ends, words, self.rows)
        )
        heads = constituents.head_rules()
        counts: NDArray[np.int64] = count_constituents(labels, parents, ends, leaves, rows, heads)
        return counts


def parse(texts: Sequence[str]) -> Trees:
    """Read texts of any number of trees, `(ROOT (S (NP (PRP It)) (VP (VBZ works)) (. .)))`.

    Function tags and indices (`NP-SBJ-1`) are dropped, empty elements (`-NONE-`) count as no word, and a tree without
    `ROOT`, `TOP` or an empty label at its top gets one. Raises `InputError` with the row for what is no such tree.
    """
    trees = Trees([], [], [], [], [0])
    for row, text in enumerate(texts):
        try:
            _read(text, trees)
        except _MalformedError as error:
            raise InputError(f"no constituency tree: {error}", metric="syntax", row=row, value=text) from None
        trees.rows.append(len(trees.labels))
    return trees


class _MalformedError(Exception):
    """Why a text is no tree."""


def _read(text: str, trees: Trees) -> None:
    """Append the nodes of all trees of one text."""
    pieces = _PIECES.findall(text)
    open_nodes: list[int] = []
    rootless = False
    for k, piece in enumerate(pieces):
        if piece == "(":
            label = _label(pieces[k + 1 : k + 2])
            if not open_nodes and (rootless := label not in _TOPS):
                _open(trees, open_nodes, "ROOT")
            _open(trees, open_nodes, label)
        elif piece == ")":
            _close(trees, open_nodes)
            if rootless and len(open_nodes) == 1:
                _close(trees, open_nodes)
        elif not open_nodes:
            raise _MalformedError(f"{piece!r} stands outside brackets")
        elif pieces[k - 1] != "(":
            _leaf(trees, open_nodes[-1], piece)
    if open_nodes:
        raise _MalformedError("a bracket is not closed")


def _label(piece: list[str]) -> str:
    """The label a bracket opens with, without function tags; empty if another bracket follows at once."""
    if not piece or piece[0] in "()":
        return ""
    return piece[0] if piece[0].startswith("-") else re.split(r"[-=|]", piece[0])[0]


def _open(trees: Trees, open_nodes: list[int], label: str) -> None:
    """Begin a node below the innermost open one."""
    if open_nodes and trees.texts[open_nodes[-1]] is not None:
        raise _MalformedError(f"{trees.texts[open_nodes[-1]]!r} is followed by a bracket")
    trees.parents.append(open_nodes[-1] if open_nodes else -1)
    open_nodes.append(len(trees.labels))
    trees.labels.append(label)
    trees.texts.append(None)
    trees.ends.append(-1)


def _close(trees: Trees, open_nodes: list[int]) -> None:
    """End the innermost open node."""
    if not open_nodes:
        raise _MalformedError("a bracket closes that was not opened")
    node = open_nodes.pop()
    trees.ends[node] = len(trees.labels)
    if trees.texts[node] is None and trees.ends[node] == node + 1:
        raise _MalformedError(f"node {trees.labels[node]!r} is empty")


def _leaf(trees: Trees, node: int, text: str) -> None:
    """Give the innermost open node its text."""
    if trees.texts[node] is not None or len(trees.labels) != node + 1:
        raise _MalformedError(f"{text!r} stands beside another leaf or node")
    trees.texts[node] = text


def _leaf_bits(text: str | None, tag: str, rule: WordRule) -> int:
    """What of a leaf's text and tag the counting asks for."""
    if text is None or tag == "-NONE-":
        return 0
    bracket = tag in ("-LRB-", "-RRB-") and rule == "word"  # spelt with letters
    counted = not bracket and text_counts(text, rule) and tag_counts(tag, rule)
    that_for = text.lower() in ("that", "for")
    return constituents.COUNTED * counted | constituents.THAT_FOR * that_for
