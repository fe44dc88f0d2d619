"""The words of a batch with their stems and synonyms, as the kernels of METEOR read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.stems import stem_words
from gistmark_engine.synonyms import Synonyms

if TYPE_CHECKING:
    from gistmark_engine.kernels.meteor import Lexicon


def make_lexicon(words: Sequence[str], synonyms: Synonyms | None, on_stem: bool) -> Lexicon:
    """The lexicon of distinct words, word k having id k. `on_stem`: stems are looked up in the synonyms, not words."""
    from gistmark_engine.kernels.meteor import Lexicon

    number: dict[str, int] = {}
    stem = _ints(number.setdefault(text, len(number)) for text in stem_words(words))
    key = stem if on_stem else np.arange(len(words), dtype=np.int32)
    keys = number if on_stem else {word: k for k, word in enumerate(words)}
    lists = [_numbers(synonyms.of(text), keys) for text in keys] if synonyms else []
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(one) for one in lists], out=offsets[1:])
    return Lexicon(stem, key, offsets, _ints(k for one in lists for k in one))


def _numbers(texts: Iterable[str], keys: dict[str, int]) -> list[int]:
    """The numbers of those texts that the batch has."""
    return [keys[text] for text in texts if text in keys]


def _ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32)
