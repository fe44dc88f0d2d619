"""The words of a batch as the kernels of METEOR 1.5 read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.release import Release
from gistmark_engine.snowball import stem_english

if TYPE_CHECKING:
    from gistmark_engine.kernels.candidates import Words


def read_words(words: Sequence[str], release: Release, phrase_words: Mapping[bytes, int]) -> Words:
    """What the stages go by, word k having id k; `phrase_words`: the numbers of the words of paraphrases."""
    from gistmark_engine.kernels.candidates import Words

    sets = [sorted(release.sets_of(word)) for word in words]
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(one) for one in sets], out=offsets[1:])
    return Words(
        np.array([java_hash(word) for word in words], np.int32),
        np.array([java_hash(stem_english(word)) for word in words], np.int32),
        np.array([word in release.function for word in words], np.bool_),
        _ints(phrase_words.get(word.encode(), 0) for word in words),
        offsets,
        _ints(number for one in sets for number in one),
    )


def java_hash(text: str) -> int:
    """Java's hash of a string, int32: the program takes words of equal hash for equal."""
    value = 0
    for unit in np.frombuffer(text.encode("utf-16-le"), np.uint16).tolist():
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (value >> 31 << 32)


def _ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32)
