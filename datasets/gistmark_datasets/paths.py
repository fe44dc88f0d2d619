"""Which files of a folder a loader reads, and which split each is."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from gistmark_datasets.entry import DatasetError
from gistmark_datasets.frame import Part
from gistmark_datasets.reader import entries

SPLIT = re.compile(r"(?<![a-z])(train|validation|valid|val|dev|test)(?![a-z])")


def parts(path: str | PathLike[str], patterns: Sequence[str], split: str | None) -> list[Part]:
    """A file, the files of a folder that match `patterns`, or those of a glob; of one split only where it is named."""
    every = [Part(split_of(file), partial(entries, file)) for file in files(path, patterns)]
    return only(every, split, path)


def only(every: Sequence[Part], split: str | None, path: str | PathLike[str]) -> list[Part]:
    """The parts of a split, or all; DatasetError, naming those there are, where it is not among them."""
    chosen = [part for part in every if split in (None, part.split)]
    if not chosen:
        there = ", ".join(sorted({str(part.split) for part in every}))
        raise DatasetError(path, f"there is no split {split!r}; there are {there}")
    return chosen


def files(path: str | PathLike[str], patterns: Sequence[str]) -> list[Path]:
    """The files that `path` means, sorted by name."""
    place = Path(path)
    if place.is_dir():
        found = sorted({file for pattern in patterns for file in place.glob(pattern) if file.is_file()})
        if not found:
            raise DatasetError(path, f"the folder holds no {' or '.join(patterns)}")
        return found
    found = [place] if place.exists() else [Path(match) for match in sorted(glob.glob(str(path), recursive=True))]
    if not found:
        raise DatasetError(path, "no such file or folder")
    return found


def split_of(path: Path) -> str | None:
    """The split that a file's name says: train, val, validation, valid, dev or test."""
    found = SPLIT.search(path.name.lower())
    return found[1] if found else None
