"""The paraphrase table of METEOR 1.5, read once a process."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gistmark_engine.errors import OptionError

if TYPE_CHECKING:
    from gistmark_engine.kernels.phrases import Phrases


@functools.cache
def read_paraphrases(path: str) -> tuple[Phrases, Mapping[bytes, int]]:
    """The phrases in a file such as `paraphrase-en.gz`, and the number of each of their words (0 is no word's).

    Takes some ten seconds and holds what it read; raises OptionError for a file that is not there or not gzip.
    """
    from gistmark_engine.kernels.phrases import read_phrases

    try:
        with gzip.open(path) as file:
            text = file.read()
    except (OSError, EOFError) as error:
        raise OptionError(f"meteor15: the paraphrases {path!r} cannot be read ({error})") from error
    phrases, places = read_phrases(np.frombuffer(text + bytes(16), np.uint8), len(text))
    spans = places[2:].reshape(-1, 2).tolist()
    return phrases, {text[start : start + length]: k for k, (start, length) in enumerate(spans, 1)}


def no_phrases() -> Phrases:
    """A table without phrases."""
    from gistmark_engine.kernels.phrases import Phrases

    table, keys = np.zeros(2, np.uint32), np.zeros(1, np.uint64)
    return Phrases(table, 63, keys, 0, np.zeros(2, np.int64), np.zeros(0, np.int32))
