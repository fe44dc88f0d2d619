"""What Python does to texts before a kernel reads them: normalise, fold case, and cut where another library cuts.

It goes piece by piece over a range of rows, and looks at equal pieces once. What comes out are rows again, of the same texts
in the same order, whose pieces are rewritten texts or, behind a library that cuts, tokens.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.arrow import before, read_texts
from gistmark_engine.columns import Column
from gistmark_engine.kernels.records import BREAK, NULL
from gistmark_engine.metric import Tokenizer
from gistmark_engine.tokenizers import cut_of

if TYPE_CHECKING:
    from gistmark_engine.kernels.records import Rows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows to read, whether their pieces are tokens already, and what keeps their bytes alive."""

    rows: Rows
    given: bool
    owner: object


def wants_python(tokenizer: Tokenizer) -> bool:
    """Whether Python has to see a text before kernels do."""
    return bool(tokenizer.normalize or tokenizer.case or cut_of(tokenizer))


def prepare(rows: Rows, tokenizer: Tokenizer) -> Prepared:
    """The rows with their texts prepared; UnicodeDecodeError where one is not UTF-8."""
    texts, shaped = _renumbered(rows)
    start, stop = rows.start[texts], rows.stop[texts]
    number: dict[bytes | None, int] = {}
    which = [number.setdefault(_read(rows, piece), len(number)) for piece in _joined(start, stop).tolist()]
    made = Column(pa.array(_parts(number, tokenizer), pa.list_(pa.large_string())), "prepared", "tokens")
    parts, _ = read_texts({"prepared": made})
    first, last = parts.start[np.array(which, np.int64)], parts.stop[np.array(which, np.int64)]
    order = _joined(first, last)
    begins, pieces = before(last - first), before(stop - start)
    null, given = start == NULL, cut_of(tokenizer) is not None
    length = parts.length[order]
    shaped = shaped._replace(
        start=np.where(null, NULL, begins[pieces[:-1]]),
        stop=np.where(null, NULL, begins[pieces[1:]]),
        address=np.where(length == NULL, 0, parts.address[order]),
        length=np.where(length == NULL, BREAK if given else NULL, length),
    )
    return Prepared(shaped, given, parts.owners)


def _parts(pieces: Iterable[bytes | None], tokenizer: Tokenizer) -> list[list[str | None]]:
    """What becomes of each piece: itself rewritten, or its tokens, and None where a sentence of them stops."""
    texts = [None if piece is None else _rewritten(piece.decode(), tokenizer) for piece in pieces]
    cut = cut_of(tokenizer)
    if cut is None:
        return [[text] for text in texts]
    lines = [[] if text is None else (text.split("\n") if tokenizer.sentences else [text]) for text in texts]
    tokens = iter(cut([line for some in lines for line in some]))
    stop = [None] if tokenizer.sentences else []
    return [[token for _ in some for token in (*next(tokens), *stop)] for some in lines]


def _rewritten(text: str, tokenizer: Tokenizer) -> str:
    """A text normalised, in folded or lower case; folding can undo a normal form, so that comes last too."""
    if tokenizer.normalize:
        text = normalize(tokenizer.normalize, text)
    if tokenizer.case == "casefold":
        text = text.casefold()
        return normalize(tokenizer.normalize, text) if tokenizer.normalize else text
    return text.lower() if tokenizer.case == "lower" else text


def _renumbered(rows: Rows) -> tuple[Ints, Rows]:
    """The numbers of the rows' own texts (summaries, sources, references), and the rows with these texts as 0, 1, …"""
    count = len(rows.reference_first)
    row = np.arange(count, dtype=np.int64)
    roles = [rows.summary + row if rows.summary >= 0 else row[:0], rows.source + row if rows.source >= 0 else row[:0]]
    many = rows.reference_last - rows.reference_first
    own, through = len(roles[0]) + len(roles[1]), np.cumsum(many)
    return np.concatenate([*roles, _joined(rows.reference_first, rows.reference_last)]), rows._replace(
        summary=0 if rows.summary >= 0 else NULL,
        source=len(roles[0]) if rows.source >= 0 else NULL,
        reference_first=own + through - many,
        reference_last=own + through,
    )


def _joined(first: Ints, last: Ints) -> Ints:
    """The ranges first[k]..last[k] behind each other."""
    size = last - first
    through = np.cumsum(size)
    return np.repeat(first - through + size, size) + np.arange(through[-1] if len(size) else 0, dtype=np.int64)


def _read(rows: Rows, piece: int) -> bytes | None:
    length = int(rows.length[piece])
    return None if length == NULL else ctypes.string_at(int(rows.address[piece]), length)
