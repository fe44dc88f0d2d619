"""What kernels are given and give back: named tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class TextArrays(NamedTuple):
    """Texts as a kernel reads them: the pieces of each, and each piece's address and length."""

    start: np.ndarray
    stop: np.ndarray
    address: np.ndarray
    length: np.ndarray


class Rows(NamedTuple):
    """The texts of all rows by role; an absent role has null texts, or no references."""

    summary: TextArrays
    source: TextArrays
    reference: TextArrays
    reference_first: np.ndarray
    reference_last: np.ndarray


class Groups(NamedTuple):
    """Rows that share references and source: group g has the rows members[offsets[g]:offsets[g + 1]]."""

    offsets: np.ndarray
    members: np.ndarray


class Cut(NamedTuple):
    """All texts of some rows as ids.

    A span is a pair of indices into `ids`, [start, stop), -1 for a null text; a sentence span is a pair of indices into
    `sentence_stops`, which holds where in `ids` each sentence stops. Summaries go by row, sources by group; the
    references of group g are reference_offsets[g]:reference_offsets[g + 1]. `shared[g]` counts the ids of a group's shared
    texts, `whole[row]` those of its summary too.
    """

    ids: np.ndarray
    sentence_stops: np.ndarray
    summary: np.ndarray
    summary_sentences: np.ndarray
    source: np.ndarray
    source_sentences: np.ndarray
    reference_offsets: np.ndarray
    reference: np.ndarray
    reference_sentences: np.ndarray
    shared: np.ndarray
    whole: np.ndarray


class Rules(NamedTuple):
    """How to cut: the rule's code, whether to note sentences and to number tokens that only a summary has, the character
    tables, and the memo of stems, None for no stemming."""

    code: int
    sentences: bool
    whole: bool
    classes: np.ndarray
    lower: np.ndarray
    memo: np.ndarray | None
