"""What Python knows about characters, as tables a kernel can read; built from the running Python, so always in step with it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIMIT = 0x40000
"""Beyond this code point no character is a letter, digit or space, nor has another lower case."""

MARKS, MARKS_STOP = 0xE0000, 0xE1000
"""Tags and variation selectors, the only characters beyond `LIMIT` that matter: the final sigma passes over them."""

WORD, SPACE, CASED, IGNORABLE = 1, 2, 4, 8
"""Bits of `Characters.classes`. CASED and IGNORABLE serve the final sigma alone."""


@dataclass(frozen=True)
class Characters:
    """`classes[c]`: uint8 bits of code point c < LIMIT; `lower[c]`: int32, its lower case (U+0130 alone has two, see the
    kernel). Both go on behind LIMIT with MARKS..MARKS_STOP."""

    classes: NDArray[np.uint8]
    lower: NDArray[np.int32]


def no_characters() -> Characters:
    """For rules that look at ASCII alone."""
    return Characters(np.zeros(1, np.uint8), np.zeros(1, np.int32))


@functools.cache
def characters() -> Characters:
    """The tables of the running Python's Unicode version; some 80 ms, once a process."""
    points = [chr(code) for code in (*range(LIMIT), *range(MARKS, MARKS_STOP))]
    count = len(points)
    classes = np.zeros(count, np.uint8)
    classes |= np.fromiter((c.isalnum() or c == "_" for c in points), bool, count) * np.uint8(WORD)
    classes |= np.fromiter((c.isspace() for c in points), bool, count) * np.uint8(SPACE)
    cased = np.fromiter((_ends_final(c + "Σ") for c in points), bool, count)
    passed = np.fromiter((_ends_final("A" + c + "Σ") for c in points), bool, count)
    classes |= cased * np.uint8(CASED)
    classes |= (passed & ~cased) * np.uint8(IGNORABLE)
    lower = np.fromiter((ord(c.lower()[0]) for c in points), np.int32, count)
    return Characters(classes, lower)


def _ends_final(text: str) -> bool:
    """Whether Python lowers the last letter, a capital sigma, to the final form: true after a cased character."""
    return text.lower()[-1] == "ς"
