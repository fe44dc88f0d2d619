"""The only place where numba options are written, and where compiled kernels are kept on disk.

`kernel` marks a loop that Python calls: it runs without the GIL and its machine code is cached. `inlined` marks a loop
that only kernels call; `called` one that is compiled apart from the kernel that calls it, so that it has the machine's
registers to itself. Cached code is keyed by a hash of the sources that its module imports, however indirectly, because
numba itself does not notice that a function called from another file has changed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

from gistmark_engine.signals import let_in, may_interrupt, put_off

Loop = Callable[..., Any]

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

inlined: Callable[[Loop], Any] = njit(**OPTIONS, forceinline=True)

called: Callable[[Loop], Any] = njit(**OPTIONS)


class _Kernel(CPUDispatcher):
    """What Python calls: no signal's handler runs meanwhile."""

    def __call__(self, *arguments: Any) -> Any:
        if not may_interrupt():
            return super().__call__(*arguments)
        with put_off():
            return super().__call__(*arguments)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        with let_in():
            return cast(Any, super())._compile_for_args(*arguments, **named)


def kernel(function: Loop) -> Any:
    """Compile `function` at its first call, without the GIL, its machine code kept in `cache_directory()` if its sources
    are the engine's."""
    dispatcher: Any = njit(**OPTIONS)(function)
    dispatcher.__class__ = _Kernel
    if function.__module__.startswith("gistmark_engine.") and cache_writable():
        dispatcher._cache = cast(Any, _Cache)(function)
    return dispatcher


@functools.cache
def cache_directory() -> Path:
    """Where compiled kernels of every version of the engine live.

    Below `NUMBA_CACHE_DIR` if that is set, else below `XDG_CACHE_HOME` or `~/.cache`.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return base / "gistmark"


def clear_cache() -> int:
    """Delete every compiled kernel on disk, of all versions; returns how many files that were."""
    files = sum(1 for path in cache_directory().rglob("*.nb?"))
    shutil.rmtree(cache_directory(), ignore_errors=True)
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


ENGINE = Path(__file__).parent
IMPORT = re.compile(r"^(?:from|import) gistmark_engine\.?([\w.]*)(?: import ([\w, ]+))?", re.MULTILINE)


@functools.cache
def _source_hash(module: str) -> str:
    """A digest of a module of the engine and of all that it imports from the engine, however indirectly."""
    found: dict[Path, bytes] = {}
    wanted = [module]
    while wanted:
        place = ENGINE.joinpath(*wanted.pop().split("."))
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path not in found and path.is_file():
                found[path] = path.read_bytes()
                for source, names in IMPORT.findall(found[path].decode()):
                    wanted += [source, *(f"{source}.{name}".strip(".") for name in re.findall(r"\w+", names))]
    digest = hashlib.sha256(b"".join(found[path] for path in sorted(found)))
    return digest.hexdigest()[:16]


class _Locator(_CacheLocator):
    """Tells numba to keep a kernel in `cache_directory()`, under a name that holds its sources' hash."""

    def __init__(self, function: Callable[..., Any]) -> None:
        module = function.__module__.partition(".")[2]
        self._hash = _source_hash(module)
        self._disambiguator = f"{module}-{function.__code__.co_firstlineno}-{self._hash}"
        self._py_file = function.__code__.co_filename  # numba names it when it warns that a kernel cannot be kept

    def get_cache_path(self) -> str:
        return str(cache_directory())

    def get_source_stamp(self) -> str:
        return self._hash

    def get_disambiguator(self) -> str:
        return self._disambiguator

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = cast(Any, [_Locator])


class _Cache(FunctionCache):
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A kernel from disk, None if it is not there. Numba would first get all ready that it can compile, which takes as long
        as importing it; what is compiled already wants its memory management only."""
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return cast(Any, self)._load_overload(sig, target_context)
        except Exception:  # a damaged file, whatever it makes of pickle: the kernel is compiled and kept anew
            with contextlib.suppress(OSError):
                cast(Any, self).flush()
            return None
