"""Where Unicode lets a text be cut into words and characters: the break properties of its Annex 29, as kernels read them.

`breaks.npz` holds them for Unicode 16.0.0 as runs of code points (data of the Unicode Consortium, see `breaks.NOTICE`); it
is made and checked by `tests/breaks.py`.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from gistmark_engine.characters import LIMIT, MARKS, MARKS_STOP, Characters, characters

TABLE = Path(__file__).with_name("breaks.npz")

WORD_BREAK = (
    "OTHER", "ALETTER", "HEBREW_LETTER", "NUMERIC", "KATAKANA", "EXTENDNUMLET", "MIDLETTER", "MIDNUM", "MIDNUMLET",
    "SINGLE_QUOTE", "DOUBLE_QUOTE", "CR", "LF", "NEWLINE", "EXTEND", "FORMAT", "ZWJ", "WSEGSPACE", "REGIONAL_INDICATOR",
)  # fmt: skip
"""Values of Word_Break by number."""

GRAPHEME = (
    "OTHER", "CR", "LF", "CONTROL", "EXTEND", "ZWJ", "REGIONAL_INDICATOR", "PREPEND", "PACINGMARK", "L", "V", "T", "LV",
    "LVT",
)  # fmt: skip
"""Values of Grapheme_Cluster_Break by number."""

CONJUNCT_EXTEND, PICTOGRAPHIC, LINKER, CONSONANT = 16, 32, 64, 128
"""Bits beside the number: Extended_Pictographic, and beside that of a grapheme break the values of Indic_Conjunct_Break."""


@functools.cache
def break_tables(kind: str) -> Characters:
    """The tables of characters with those of `kind`, "word" or "grapheme", behind the classes, which end half way."""
    plain = characters()
    with np.load(TABLE) as runs:
        lengths = np.diff(np.append(runs["first"], 0x110000))
        every = np.repeat(runs[kind], lengths)
    breaks = np.concatenate([every[:LIMIT], every[MARKS:MARKS_STOP]])
    return Characters(np.concatenate([plain.classes, breaks]), plain.lower)
