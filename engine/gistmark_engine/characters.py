"""What Python knows about characters, as tables a kernel can read; built from the running Python, so always in step with it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIMIT = 0x40000
"""Beyond this code point no character is a letter, digit or space, nor has another lower case."""

DOTTED_I = 0x130

MARKS, MARKS_STOP = 0xE0000, 0xE1000
"""Tags and variation selectors, the only characters beyond `LIMIT` that matter: the final sigma passes over them."""

CASELESS = (0x3400, 0xA000), (0xAC00, 0xF900), (0x20000, LIMIT)
"""Ideographs, syllables, surrogates and private use: two thirds of all, and none is cased or passed over by the final sigma."""

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
    """The tables of the running Python's Unicode version; some 30 ms, once a process.

    All characters go through `str.lower` and `re` in one long string: a call for each would take ten times as long.
    """
    points = np.concatenate([np.arange(LIMIT), np.arange(MARKS, MARKS_STOP)]).astype(np.int32)
    classes = _matches(r"\w", points) * np.uint8(WORD) | _matches(r"\s", points) * np.uint8(SPACE)
    mixed = ~np.logical_or.reduce([(points >= start) & (points < stop) for start, stop in CASELESS])
    cased, passed = _before_final(points[mixed]), _before_final(points[mixed], "A")
    classes[mixed] |= cased * np.uint8(CASED) | (passed & ~cased) * np.uint8(IGNORABLE)
    return Characters(classes, _lower(points))


def _matches(pattern: str, points: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which characters match a pattern for one character."""
    found = np.zeros(len(points), np.bool_)
    for run in re.finditer(f"{pattern}+", _text(points)):
        found[run.start() : run.end()] = True
    return found


def _before_final(points: NDArray[np.int32], lead: str = " ") -> NDArray[np.bool_]:
    """Whether Python lowers a capital sigma behind `lead` and the character to the final form: true after a cased one."""
    words = np.full((len(points), 4), ord(" "), np.int32)
    words[:, 0], words[:, 1], words[:, 2] = ord(lead), _single(points), ord("Σ")
    final: NDArray[np.bool_] = _lower(words.ravel()).reshape(-1, 4)[:, 2] == ord("ς")
    return final


def _lower(points: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each character's lower case, of U+0130 the first of two; a lone capital sigma is none that ends a word."""
    return np.frombuffer(_text(_single(points)).lower().encode("utf-32-le", "surrogatepass"), np.int32)


def _single(points: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same with I for U+0130, the only character that lowers to two, of which the first is the same."""
    return np.where(points == DOTTED_I, np.int32(ord("I")), points)


def _text(points: NDArray[np.int32]) -> str:
    return points.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")
