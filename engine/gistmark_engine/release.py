"""What METEOR 1.5 keeps beside its program: function words, abbreviations, and the synonym sets of WordNet 3.0 for English.

Read from the folder of the release, which holds `meteor-1.5.jar` with all of it, and `data/paraphrase-en.gz`.
"""

from __future__ import annotations

import functools
import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gistmark_engine.errors import OptionError
from gistmark_engine.tokenizers.meteor import ANYWHERE, BEFORE_NUMBERS

JAR, PARAPHRASES = "meteor-1.5.jar", "data/paraphrase-en.gz"

ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
"""What WordNet tries for the base of a regular form, in this order."""


@dataclass(frozen=True, slots=True)
class Release:
    """name      tells releases apart: a digest of the jar
    prefixes  words behind which a dot ends no sentence, see `tokenizers.meteor`
    function  function words
    bases     irregular form → its bases; `synsets`: word → the numbers of its synonym sets
    """

    name: str
    prefixes: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    function: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    synsets: Mapping[str, frozenset[int]] = field(default_factory=dict, repr=False, compare=False)

    def sets_of(self, word: str) -> frozenset[int]:
        """The synonym sets of a word and of its bases."""
        bases = self.bases.get(word) or (self._regular_base(word),)
        return frozenset().union(*(self.synsets.get(one, ()) for one in (word, *bases)))

    def _regular_base(self, word: str) -> str:
        """The first base that WordNet has, of those a regular form may have."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        bases = (word.removesuffix(old) + new for old, new in ENDINGS if word.endswith(old))
        return next((base for base in bases if base in self.synsets), "")


NOTHING = Release("none")


@functools.cache
def read_release(folder: str) -> Release:
    """The English part of the release in a folder; raises OptionError where it is not complete."""
    path = Path(folder) / JAR
    try:
        with zipfile.ZipFile(path) as jar:
            function, prefixes, exceptions, synsets = (
                jar.read(name).decode().splitlines()
                for name in (
                    "function/english.words",
                    "nonbreaking/english.prefixes",
                    "synonym/english.exceptions",
                    "synonym/english.synsets",
                )
            )
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise OptionError(f"meteor15: {folder!r} holds no {JAR} with the data of METEOR 1.5 ({error})") from error
    return Release(
        f"1.5@{digest}",
        {words[0]: _kept(words) for words in map(str.split, prefixes) if words and not words[0].startswith("#")},
        frozenset(function),
        _bases(exceptions),
        {word: frozenset(map(int, numbers.split())) for word, numbers in _pairs(synsets)},
    )


def _kept(words: list[str]) -> int:
    return BEFORE_NUMBERS if words[1:2] == ["#NUMERIC_ONLY#"] else ANYWHERE


def _pairs(lines: list[str]) -> Iterable[tuple[str, str]]:
    """Lines two by two."""
    return zip(lines[::2], lines[1::2], strict=True)


def _bases(lines: list[str]) -> dict[str, tuple[str, ...]]:
    """From lines of a base and its forms, the bases of each form."""
    bases: dict[str, tuple[str, ...]] = {}
    for base, forms in _pairs(lines):
        for form in forms.split():
            bases[form] = (*bases.get(form, ()), base)
    return bases
