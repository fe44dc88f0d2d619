"""Files that are being written: each locked by its process, so that what a process left that is gone is told from them."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gistmark_engine.errors import OptionError

if sys.platform != "win32":
    import fcntl

_NAME = re.compile(r"\.(.+)\.[0-9a-f]{8}\.part", re.DOTALL)
"""What a file is called until it is complete."""


@contextmanager
def temporary(target: Path) -> Iterator[Path]:
    """A new file beside `target`, no other process's until it is left; gone then, unless it was renamed.

    What processes that are gone left of the same target is removed before. Raises `OptionError` where no file can be made.
    """
    sweep(target.parent, {target.name})
    path, lock = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part"), None
    try:
        lock = _make(path, target)
        yield path
    finally:
        path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def sweep(folder: Path, targets: Collection[str]) -> None:
    """Remove the files that processes that are gone began in `folder`, of targets called so.

    A process holds a lock on what it writes, which ends with it however it ends. So a file that can be locked is nobody's;
    one that cannot, be it that the file system has no locks, stays.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _NAME.fullmatch(entry.name)
            if named and named[1] in targets and entry.is_file(follow_symlinks=False):
                _remove_unlocked(entry.path)


def _make(path: Path, target: Path) -> int | None:
    """Make a new file; returns what holds its lock, if there are locks."""
    while True:
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        except OSError as error:
            raise OptionError(f"output {target} cannot be written ({error.strerror})") from error
        if not _locked(handle, wait=True):
            os.close(handle)
            return None
        if path.exists():  # it is not if another process swept it away before it was locked
            return handle
        os.close(handle)


def _remove_unlocked(path: str) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR)
        try:
            if _locked(handle, wait=False):
                os.unlink(path)
        finally:
            os.close(handle)


def _locked(handle: int, *, wait: bool) -> bool:
    """Whether this process now has the lock of a file; not where another has it, or where there are none."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
