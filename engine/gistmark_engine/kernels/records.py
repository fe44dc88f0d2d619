"""What kernels are given and give back: named tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

INTEGER = -8
"""Length of a piece that is an integer token: its address is the integer itself."""

NULL = -1
"""Length of a null piece, start of a null text."""

BREAK = -2
"""Length of a piece, at address 0, that stands where a sentence of tokens stops."""


class Rows(NamedTuple):
    """Some rows and all texts of the job.

    Text t is the pieces start[t]:stop[t], both -1 for a null text; piece p is `length[p]` bytes at `address[p]`. The
    summary of row r is text `summary + r`, its source `source + r`, where -1 says that the role is absent; its references
    are the texts reference_first[r]:reference_last[r].
    """

    start: np.ndarray
    stop: np.ndarray
    address: np.ndarray
    length: np.ndarray
    summary: int
    source: int
    reference_first: np.ndarray
    reference_last: np.ndarray


class Groups(NamedTuple):
    """Rows that share references and source: group g has the rows members[offsets[g]:offsets[g + 1]]."""

    offsets: np.ndarray
    members: np.ndarray


class Cut(NamedTuple):
    """All texts of some rows as ids.

    A span is a pair of indices into `ids`, [start, stop), -1 for a null text; a sentence span is a pair of indices into
    `sentence_stops`, which holds where in `ids` each sentence stops. Summaries go by row, sources by group; the references
    of group g are reference_offsets[g]:reference_offsets[g + 1], null ones left out. `vocabulary` bounds the ids of each
    group; -1 is a token that no text it is compared with has.
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
    vocabulary: np.ndarray


class Rules(NamedTuple):
    """How to cut: the rule's code, whether to note sentences and to number tokens that only a summary has, the character
    tables, and the memo of stems, None for no stemming."""

    code: int
    sentences: bool
    whole: bool
    classes: np.ndarray
    lower: np.ndarray
    memo: np.ndarray | None
