"""Where synonyms come from: a mapping the caller has, or a WordNet folder read by NLTK."""

from __future__ import annotations

import functools
import hashlib
import threading
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from gistmark_engine.errors import MissingExtra, OptionError

_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Synonyms:
    """`of(word)` gives a word's synonyms; equal names mean equal synonyms."""

    name: str
    of: Callable[[str], Collection[str]] = field(repr=False, compare=False)


def read_synonyms(given: str | PathLike[str] | Mapping[str, Collection[str]] | None) -> Synonyms | None:
    """The synonyms of a mapping or of a WordNet folder; None for None.

    A mapping is named by a digest of what it holds, a WordNet by its version. Raises OptionError for a folder that is not
    there or lacks the files of a WordNet, MissingExtra for one without nltk.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        table = {word: frozenset(others) for word, others in given.items()}
        return Synonyms(f"synonyms-{_digest(table)}", functools.partial(_listed, table))
    folder = str(Path(given).resolve())
    if not Path(folder).is_dir():
        raise OptionError(f"synonyms: there is no folder {folder}; name one that holds a WordNet")
    return Synonyms(f"wordnet-{_reader(folder).get_version()}", functools.partial(_lemmas, folder))


def _listed(table: Mapping[str, Collection[str]], word: str) -> Collection[str]:
    return table.get(word, ())


def _digest(table: Mapping[str, Collection[str]]) -> str:
    spelled = repr(sorted((word, sorted(others)) for word, others in table.items()))
    return hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()[:8]


@functools.cache
def _reader(folder: str) -> Any:
    """NLTK's reader of a WordNet folder, with its indices loaded."""
    try:
        from nltk import data
        from nltk.corpus.reader.wordnet import WordNetCorpusReader
    except ImportError as error:
        raise MissingExtra("synonyms from WordNet", "wordnet") from error
    if folder not in data.path:
        data.path.append(folder)  # NLTK refuses to read where it was not told to
    # Other languages would want a second WordNet; without them the reader warns.
    alone = type("WordNet", (WordNetCorpusReader,), {"map_wn": lambda *_: None})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return alone(folder, None)
    except OSError as error:
        raise OptionError(f"synonyms: {folder} holds no WordNet that NLTK can read ({error})") from error


@functools.lru_cache(1 << 17)
def _lemmas(folder: str, word: str) -> frozenset[str]:
    """The single-word lemmas of all synsets of a word; the reader's files are read by one thread at a time."""
    with _lock:
        synsets = _reader(folder).synsets(word)
        return frozenset(name for synset in synsets for name in synset.lemma_names() if "_" not in name)
