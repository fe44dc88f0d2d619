"""Irregular forms of words and what they are forms of: the `.exc` files of a WordNet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from gistmark_engine.errors import OptionError

FILES = ("noun.exc", "adv.exc", "verb.exc", "adj.exc")
"""In the order of ROUGE-1.5.5's own table, where the last of several entries for a form counts: best is good, not well."""


@dataclass(frozen=True, slots=True)
class Irregular:
    """`forms` maps a form to the first word it is listed for; equal names mean equal forms."""

    name: str
    forms: Mapping[bytes, bytes] = field(repr=False, compare=False)


NONE = Irregular("none", {})


def read_irregular(folder: str | PathLike[str]) -> Irregular:
    """The forms in the four `.exc` files of a folder; OptionError where one is missing."""
    forms: dict[bytes, bytes] = {}
    for file in FILES:
        try:
            lines = (Path(folder) / file).read_bytes().splitlines()
        except OSError as error:
            raise OptionError(f"irregular: {file} of a WordNet cannot be read in {str(folder)!r} ({error})") from error
        forms.update(words[:2] for words in map(bytes.split, lines) if len(words) > 1)  # type: ignore[misc]
    return Irregular(f"exc@{hashlib.sha256(repr(sorted(forms.items())).encode()).hexdigest()[:8]}", forms)
