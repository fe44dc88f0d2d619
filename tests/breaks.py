"""The break properties of every code point from uniseg, as the shipped table holds them.

`python tests/breaks.py` writes that table again, after a new version of Unicode has reached uniseg.
"""

from __future__ import annotations

import itertools

import numpy as np
from uniseg.derived import InCB, indic_conjunct_break
from uniseg.emoji import extended_pictographic
from uniseg.graphemecluster import grapheme_cluster_break
from uniseg.wordbreak import word_break

from gistmark_engine.breaks import CONJUNCT_EXTEND, CONSONANT, GRAPHEME, LINKER, PICTOGRAPHIC, TABLE, WORD_BREAK

SURROGATES = range(0xD800, 0xE000)
CONJUNCT = {InCB.NONE: 0, InCB.EXTEND: CONJUNCT_EXTEND, InCB.LINKER: LINKER, InCB.CONSONANT: CONSONANT}


def word(c: str) -> int:
    return WORD_BREAK.index(word_break(c).name) + PICTOGRAPHIC * bool(extended_pictographic(c))


def grapheme(c: str) -> int:
    value = GRAPHEME.index(grapheme_cluster_break(c).name) + PICTOGRAPHIC * bool(extended_pictographic(c))
    return value + CONJUNCT[indic_conjunct_break(c)]


def properties() -> list[tuple[int, int]]:
    """(word, grapheme) of each code point; a surrogate is none."""
    return [(0, 0) if code in SURROGATES else (word(chr(code)), grapheme(chr(code))) for code in range(0x110000)]


def write() -> None:
    runs = [(value, sum(1 for _ in same)) for value, same in itertools.groupby(properties())]
    values, lengths = zip(*runs, strict=True)
    first = np.cumsum([0, *lengths])[:-1].astype(np.int32)
    columns = np.array(values, np.uint8).T
    np.savez_compressed(TABLE, first=first, word=columns[0], grapheme=columns[1])


if __name__ == "__main__":
    write()
