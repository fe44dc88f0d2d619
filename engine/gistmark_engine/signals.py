"""Signals that come while a kernel runs: their handlers are called once it has ended.

Numba calls Python while it makes a kernel's results, and does not look whether that raised: a handler that raises there, as
that of Ctrl-C does, would crash the process. Handlers are called in the main thread alone.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps in enums, which take longer than all the rest
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

_KINDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
"""What programs let raise: Ctrl-C, a polite kill, a time limit."""

_handlers: dict[int, Any] = {}
_came: dict[int, FrameType | None] = {}
"""The handlers that are put off, and the signals that came since."""


def may_interrupt() -> bool:
    """Whether a handler may be called here and now."""
    return not _handlers and _is_main()


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident


@contextmanager
def put_off() -> Iterator[None]:
    """Call no handler written in Python until the context ends, then those of the signals that came."""
    if not may_interrupt():
        yield
        return
    try:
        _hold()
        yield
    finally:
        _let()


@contextmanager
def let_in() -> Iterator[None]:
    """Call handlers at once after all, where they are put off: a compilation takes long and may be broken off."""
    if not (_handlers and _is_main()):
        yield
        return
    _let()
    try:
        yield
    finally:
        _hold()


def _hold() -> None:
    for kind in _KINDS:
        handler = _signal.getsignal(kind)
        if callable(handler):
            _handlers[kind] = handler
            _signal.signal(kind, _came.__setitem__)


def _let() -> None:
    try:
        with ExitStack() as stack:
            for kind, handler in _handlers.items():
                stack.callback(_give, kind, handler)
    finally:
        came = list(_came)
        _handlers.clear()
        _came.clear()
        with ExitStack() as stack:
            for kind in came:
                stack.callback(signal.raise_signal, kind)


def _give(kind: int, handler: Any) -> None:
    """Make it the handler, also where that of another signal raises meanwhile."""
    try:
        _signal.signal(kind, handler)
    except BaseException:
        _signal.signal(kind, handler)
        raise


def _start_anew() -> None:
    """A forked child has the handlers that its parent's main thread has put off, and nobody to give them back."""
    _came.clear()
    _let()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
