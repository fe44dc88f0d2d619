"""The paraphrase table of METEOR 1.5, read once a process."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError

if TYPE_CHECKING:
    from gistmark_engine.kernels.phrases import Phrases


@functools.cache
def read_paraphrases(path: str) -> tuple[Phrases, Mapping[bytes, int]]:
    """The phrases in a file such as `paraphrase-en.gz`, and the number of each of their words (0 is no word's).

    Takes some ten seconds and holds what it read; raises OptionError for a file that is not there or not gzip.
    """
    try:
        with gzip.open(path) as file:
            text = file.read()
    except (OSError, EOFError) as error:
        raise OptionError(f"meteor15: the paraphrases {path!r} cannot be read ({error})") from error
    phrases, places = _parse(text)
    spans = places[2:].reshape(-1, 2).tolist()
    return phrases, {text[start : start + length]: k for k, (start, length) in enumerate(spans, 1)}


def no_phrases() -> Phrases:
    """A table without phrases."""
    return _parse(b"")[0]


def _parse(text: bytes) -> tuple[Phrases, NDArray[np.int64]]:
    from gistmark_engine.kernels.phrases import read_phrases

    parsed: tuple[Phrases, NDArray[np.int64]] = read_phrases(np.frombuffer(text + bytes(16), np.uint8), len(text))
    return parsed
