"""What a tokenizer cannot read, said aloud: bytes that are no text, and text in a script it does not know."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import islice

import numpy as np
import pyarrow as pa

from gistmark_engine.arrow import Texts
from gistmark_engine.inputs import Inputs
from gistmark_engine.tokens import Tokens

MOST = 1000
"""Texts without a token that are looked for: so many tell enough."""


def find_invalid_utf8(inputs: Inputs, roles: Sequence[str]) -> tuple[str, int]:
    """(column, row of the job) of the first text that is not UTF-8; one is known to be there."""
    for row in range(inputs.count):
        for role in roles:
            share = inputs.shares.get(role)
            if share and any(_is_broken(inputs.texts, t) for t in range(share.first[row], share.last[row])):
                return inputs.columns[role].name, inputs.first + row
    raise RuntimeError("a kernel met invalid UTF-8 that is not there")


def first_invalid(values: pa.Array | pa.ChunkedArray) -> int | None:
    """The first row of an Arrow column whose texts, at any depth, are not all UTF-8."""
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        return next((row for row in range(len(values)) if not _decodes(values[row])), None)
    return None


def _decodes(value: pa.Scalar) -> bool:
    try:
        value.as_py()
    except UnicodeDecodeError:
        return False
    return True


def _is_broken(texts: Texts, t: int) -> bool:
    try:
        _read(texts, t)
    except UnicodeDecodeError:
        return True
    return False


def _read(texts: Texts, t: int) -> str:
    """Text t, its pieces joined."""
    pieces = [
        ctypes.string_at(int(texts.address[p]), int(texts.length[p])).decode()
        for p in range(max(texts.start[t], 0), max(texts.stop[t], 0))
        if texts.length[p] > 0
    ]
    return "\n".join(pieces)


class Untokenised(UserWarning):
    """Summaries that hold letters but no token, such as Thai under the tokenizer `rouge`.

    column, tokenizer  their names; `rows`: which rows, in order; MOST of them may stand for more
    """

    def __init__(self, column: str, tokenizer: str, rows: Sequence[int]) -> None:
        self.column, self.tokenizer, self.rows = column, tokenizer, rows
        more = f" and {'at least ' if len(rows) >= MOST else ''}{len(rows) - 1} more" if len(rows) > 1 else ""
        why = (
            ", which keeps ASCII letters and digits only ('unicode' reads every script)" if tokenizer == "rouge" else ""
        )
        super().__init__(
            f"column {column!r}, row {rows[0]}{more}: the text has letters but no tokens under tokenizer {tokenizer!r}{why}; "
            "it is scored as empty"
        )


def find_untokenised(inputs: Inputs, tokens: Tokens) -> list[int]:
    """Rows of the job, MOST at most, whose summary holds letters but no token."""
    spans = tokens.cut.summary
    empty = spans[:, 0] == spans[:, 1]
    if not empty.any() or "summary" not in inputs.shares:
        return []
    rows, first = np.flatnonzero(empty & (spans[:, 0] >= 0)), inputs.shares["summary"].first
    letters = (row for row in rows.tolist() if any(letter.isalpha() for letter in _read(inputs.texts, first[row])))
    return [inputs.first + row for row in islice(letters, MOST)]
