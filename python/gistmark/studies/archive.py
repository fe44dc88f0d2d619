"""A study's directory: what the study is, and every table as soon as it is whole, so that a second run goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from gistmark.catalogue import signature
from gistmark.files import write
from gistmark.files.formats import STANDARD
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.version import __version__

RECORD = "study.json"


def check_archive(directory: str | Path) -> Path:
    """The directory's path; OptionError where it can hold no study: a file, or a directory of other things."""
    path = Path(directory)
    if str(path) == STANDARD:
        raise OptionError("a study is a directory of files, so that it cannot go to standard output; name a directory")
    if path.exists() and not path.is_dir():
        raise OptionError(f"{path} is a file; a study needs a directory")
    if path.exists() and not (path / RECORD).exists() and any(path.iterdir()):
        raise OptionError(f"{path} is not empty and holds no study; name another directory")
    return path


def open_archive(directory: str | Path, study: str, metrics: Sequence[Metric], record: Mapping[str, object]) -> Path:
    """The directory of the study of that name which the metrics and `record` describe, made if it is not there.

    Raises OptionError if the directory holds a study with another record, and names what differs; or as `check_archive`.
    """
    path = check_archive(directory)
    path.mkdir(parents=True, exist_ok=True)
    whole = {"gistmark": __version__, "study": study, "metrics": signature(metrics), **record}
    mine = json.loads(json.dumps(whole, ensure_ascii=False))
    if not (path / RECORD).exists():
        (path / RECORD).write_text(json.dumps(mine, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    theirs = _record(path / RECORD)
    differs = sorted(key for key in {*mine, *theirs} if mine.get(key) != theirs.get(key))
    if differs:
        raise OptionError(f"{path} holds another study ({', '.join(differs)} differ); name another directory")
    return path


def _record(path: Path) -> dict[str, object]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path, error) from error
    return record if isinstance(record, dict) else {"record": record}


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} is damaged ({error}); delete it, or name another directory")


def kept(path: Path, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """The Parquet table at `path`, made and written (whole or not at all) if it is not there."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        write(make(), path)
    return load(path)


def load(path: Path) -> pl.DataFrame:
    """The Parquet table at `path`; InputError for one that was damaged."""
    try:
        return pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise _damaged(path, error) from error


def digest(*tables: pl.DataFrame) -> str:
    """A hash of the contents of tables, columns and rows in their order."""
    sha = hashlib.sha256()
    for table in tables:
        sha.update(json.dumps([(name, str(dtype)) for name, dtype in table.schema.items()]).encode())
        sha.update(table.write_ndjson().encode())
    return sha.hexdigest()
