"""A scored table in parts: a folder of Parquet files, each there whole or not at all, each saying what it was made of."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pyarrow.parquet

from gistmark.files.formats import STANDARD
from gistmark.files.input import Input
from gistmark.files.leftovers import sweep
from gistmark.files.sink import KEY
from gistmark.files.source import Source
from gistmark_engine.errors import InputError, OptionError

ORIGIN = b"gistmark_part"
ROWS = 1 << 18
"""Rows of a part, or a little more: few enough to do again after a kill; a billion pairs make some thousands."""


@dataclass(frozen=True)
class Part:
    """Rows start..stop of an input, and the file they go to once they are scored.

    before    rows of all inputs before this one
    metadata  what the file says they were made of
    """

    input: Input = field(repr=False)
    before: int
    start: int
    stop: int
    path: Path
    metadata: dict[bytes, bytes]


def plan(source: Source, folder: Path, columns: dict[str, str], batch: int) -> list[Part]:
    """The parts that `source` makes below `folder`: files and folders are called as those they come from.

    A part holds whole batches of `batch` rows; the last of an input holds what is left, an input without rows makes one
    part without rows.
    """
    rows = -(-ROWS // batch) * batch
    parts: list[Part] = []
    before = 0
    for name, each in zip(_names(source), source.inputs, strict=True):
        for start in range(0, max(each.rows, 1), rows):
            stop = min(start + rows, each.rows)
            path = folder / f"{name}-{start // rows:05}.parquet"
            origin = {"files": each.key, "rows": [start, stop], "columns": columns}
            parts.append(Part(each, before, start, stop, path, {ORIGIN: json.dumps(origin).encode()}))
        before += each.rows
    return parts


def prepare(folder: Path, parts: Sequence[Part], signatures: Sequence[str], *, resume: bool) -> list[Part]:
    """Make `folder` ready for `parts` and return those still to be made.

    With `resume`, what killed processes began is removed, and other files than Parquet's stay where they are, which a
    warning says of those in whose path no name begins with a dot or an underscore. Raises OptionError where the folder holds
    anything already and `resume` is not said, or, with `resume`, a Parquet file that is none of these parts, was made by
    other metrics or from files that have changed since.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"output {folder}/ cannot be made ({error.strerror})") from error
    if not os.access(folder, os.W_OK):
        raise OptionError(f"output {folder}/ cannot be written")
    if not resume:
        if any(folder.iterdir()):
            raise OptionError(f"output {folder}/ is not empty; --resume goes on with what a stopped job left there")
        return list(parts)
    planned = {part.path: part for part in parts}
    for place, group in groupby(sorted(planned), lambda path: path.parent):
        sweep(place, {path.name for path in group})
    done = set(folder.rglob("*.parquet"))
    for path in sorted(done):
        _check_done(path, planned.get(path), signatures)
    _tell_of_strays(folder)
    return [part for part in parts if part.path not in done]


def _tell_of_strays(folder: Path) -> None:
    """Warn of files that are no parts and that nobody reads as such; what is hidden, or named as markers are, is usual."""
    within = ((path, path.relative_to(folder).parts) for path in folder.rglob("*") if path.suffix != ".parquet")
    strays = sorted(
        path
        for path, parts in within
        if not any(part[0] in "._" for part in parts) and (path.is_file() or path.is_symlink())
    )
    if strays:
        more = f" and {len(strays) - 1} more" if len(strays) > 1 else ""
        first = strays[0].relative_to(folder)
        warnings.warn(f"output {folder}/ holds what is no part, and is left alone: {first}{more}", stacklevel=2)


def _check_done(path: Path, part: Part | None, signatures: Sequence[str]) -> None:
    """Refuse to go on beside a file that this job would not have written."""
    said = _metadata(path)
    if part is None or ORIGIN not in said:
        raise OptionError(f"{path} is no part of this job; a job's folder holds nothing else")
    theirs = json.loads(said[KEY])
    if theirs != list(signatures):
        made, make = ", ".join(theirs), ", ".join(signatures)
        raise OptionError(f"{path} was scored by {made}, this job scores by {make}; parts cannot be mixed")
    if said[ORIGIN] != part.metadata[ORIGIN]:
        where = ", ".join(map(str, part.input.paths)) or "the input"
        raise OptionError(f"{path}: {where} or an option of the job has changed since; parts cannot be mixed")


def _metadata(path: Path) -> dict[bytes, bytes]:
    try:
        return dict(pyarrow.parquet.read_schema(path).metadata or {})
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not a readable parquet file ({error})") from error


def _names(source: Source) -> list[str]:
    """What the parts of each input are called, below the folder that holds all of them."""
    if len(source.inputs) != len(source.paths) or source.where == STANDARD:
        return ["part"]
    folder = os.path.isdir(source.where)
    root = source.where if folder else os.path.commonpath([path.parent for path in source.paths])
    names = [str(path.relative_to(root).with_suffix("")) for path in source.paths]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(f"several files called {twice[0]} would make the same parts; rename one")
    return names
