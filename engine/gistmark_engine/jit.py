"""The only place where numba options are written, and where compiled kernels are kept on disk.

`kernel` marks a loop that Python calls: it runs without the GIL and its machine code is cached. `inlined` marks a loop
that only kernels call; `called` one that is compiled apart from the kernel that calls it, so that it has the machine's
registers to itself. Cached code is keyed by a hash of all the engine's sources, because numba itself does not
notice that a function called from another file has changed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

Loop = Callable[..., Any]

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

inlined: Callable[[Loop], Any] = njit(**OPTIONS, forceinline=True)

called: Callable[[Loop], Any] = njit(**OPTIONS)


def kernel(function: Loop) -> Any:
    """Compile `function` at its first call, without the GIL, its machine code kept in `cache_directory()`."""
    dispatcher: Any = njit(**OPTIONS)(function)
    if cache_writable():
        dispatcher._cache = cast(Any, _Cache)(function)
    return dispatcher


@functools.cache
def cache_directory() -> Path:
    """Where compiled kernels of exactly these sources live.

    Below `NUMBA_CACHE_DIR` if that is set, else below `XDG_CACHE_HOME` or `~/.cache`.
    """
    return cache_root() / _source_hash()


def cache_root() -> Path:
    """The directory that holds the compiled kernels of every version of the engine."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return base / "gistmark"


def clear_cache() -> int:
    """Delete every compiled kernel on disk, of all versions; returns how many files that were."""
    files = sum(1 for path in cache_root().rglob("*.nb?"))
    shutil.rmtree(cache_root(), ignore_errors=True)
    return files


@functools.cache
def cache_writable() -> bool:
    """Whether kernels can be kept on disk; warns, once, when they cannot."""
    try:
        cache_directory().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_directory()):
            return True
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {cache_directory()} ({error.strerror}); every process will compile "
            "them again. Set NUMBA_CACHE_DIR to a directory that can be written.",
            stacklevel=2,
        )
        return False


@functools.cache
def _source_hash() -> str:
    """A digest of every source file of the engine."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class _Locator(_CacheLocator):
    """Tells numba to keep a kernel in `cache_directory()`, valid as long as that directory's name is."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._disambiguator = f"{function.__module__.rpartition('.')[2]}-{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_directory())

    def get_source_stamp(self) -> str:
        return _source_hash()

    def get_disambiguator(self) -> str:
        return self._disambiguator

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = cast(Any, [_Locator])


class _Cache(FunctionCache):
    _impl_class = _CacheImpl
