"""Which format a path has, and which files a pattern means."""

from __future__ import annotations

import glob
from os import PathLike
from pathlib import Path
from typing import Literal

from gistmark_engine.errors import InputError, OptionError

Format = Literal["parquet", "jsonl", "csv", "ipc"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
COMPRESSED = (".gz", ".zst")
STANDARD = "-"
"""Standard input or output: JSON lines."""


def format_of(path: Path) -> Format:
    """The format a path's ending says, `.gz` or `.zst` after `.jsonl` and `.csv` included.

    Raises `OptionError` that lists the known endings.
    """
    packed = path.suffix.lower() in COMPRESSED
    ending = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    found = SUFFIXES.get(ending)
    if found is None or (packed and found not in ("jsonl", "csv")):
        known = ", ".join(SUFFIXES) + ", and .jsonl and .csv with .gz or .zst"
        hint = "; one JSON object a line is .jsonl" if ending == ".json" else ""
        raise OptionError(f"{path}: unknown file ending {path.suffix!r}{hint}; known are {known}")
    return found


def expand(pattern: str | PathLike[str]) -> list[Path]:
    """The files a path, glob or folder of Parquet files names, sorted.

    Raises `InputError` when there are none or one is no readable file.
    """
    text = str(pattern)
    if Path(text).is_dir():
        paths = [Path(text, match) for match in sorted(glob.glob("**/*.parquet", root_dir=text, recursive=True))]
        missing = "is a directory without a Parquet file; name the files of other formats"
        if paths and (other := _other_table(Path(text))):
            raise InputError(
                f"{text}: holds {other.name} beside Parquet files; name the files that are meant by a glob"
            )
    elif Path(text).exists():
        paths = [Path(text)]
    else:
        paths = [Path(match) for match in sorted(glob.glob(text, recursive=True))]
        missing = "no file matches" if glob.has_magic(text) else "no such file"
    if not paths:
        raise InputError(f"{text}: {missing}")
    for path in paths:
        _check_file(path)
    return paths


def _other_table(folder: Path) -> Path | None:
    """A file of a folder that is a table too, and of another format than the rest."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith((".", "_")))
    return next((path for path in files if SUFFIXES.get(path.suffix, "parquet") != "parquet"), None)


def named(pattern: str) -> list[Path]:
    """The files on this machine that a pattern names; none for standard input, URLs, and what `expand` refuses."""
    try:
        return [] if pattern == STANDARD or "://" in pattern else expand(pattern)
    except InputError:
        return []


def _check_file(path: Path) -> None:
    """Raise `InputError` unless `path` is a file that can be read and holds something."""
    if path.is_dir():
        raise InputError(f"{path} is a directory")
    try:
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if empty:
        raise InputError(f"{path}: the file is empty")
