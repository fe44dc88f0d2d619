"""What a tokenizer cannot read, said aloud: bytes that are no text, and text in a script it does not know."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from gistmark_engine.arrow import Texts
from gistmark_engine.inputs import Inputs
from gistmark_engine.tokens import Tokens


def find_invalid_utf8(inputs: Inputs, roles: Sequence[str]) -> tuple[str, int]:
    """(column, row of the job) of the first text that is not UTF-8; one is known to be there."""
    for row in range(inputs.count):
        for role in roles:
            share = inputs.shares.get(role)
            if share and any(_is_broken(inputs.texts, t) for t in range(share.first[row], share.last[row])):
                return inputs.columns[role].name, inputs.first + row
    raise RuntimeError("a kernel met invalid UTF-8 that is not there")


def first_invalid(values: pa.Array) -> int | None:
    """The first row of an Arrow array whose texts, at any depth, are not all UTF-8."""
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


def warn_untokenised(inputs: Inputs, tokens: Tokens, tokenizer: str) -> None:
    """Warn of summaries that hold letters but no token, such as Thai under the tokenizer `rouge`."""
    spans = tokens.cut.summary
    empty = spans[:, 0] == spans[:, 1]
    if not empty.any() or "summary" not in inputs.shares:
        return
    for row in np.flatnonzero(empty & (spans[:, 0] >= 0)).tolist():
        if any(letter.isalpha() for letter in _read(inputs.texts, inputs.shares["summary"].first[row])):
            why = ", which keeps ASCII letters and digits only" if tokenizer == "rouge" else ""
            warnings.warn(
                f"column {inputs.columns['summary'].name!r}, row {inputs.first + row}: the text has letters but no tokens "
                f"under tokenizer {tokenizer!r}{why}; it is scored as empty",
                stacklevel=2,
            )
            return
