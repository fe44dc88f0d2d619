"""Ctrl-C and a polite kill: both unwind a command like any exception, so that half-written files go."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

LATER = 0.01
"""Seconds until a signal that came at a bad moment is sent again."""

COMMAND = str(Path(__file__).with_name("__init__.py"))
"""The file whose function runs a command: what lies further down the stack is not the command's."""


class Ended(SystemExit):
    """The command was told to end."""


_SIGNALS = {KeyboardInterrupt: signal.SIGINT, Ended: signal.SIGTERM}


@contextmanager
def interrupts() -> Iterator[None]:
    """SIGINT, unless it is ignored, raises KeyboardInterrupt while the context lasts, SIGTERM `Ended` with code 143.

    At times that must not be: within a finaliser Python ignores what is raised, and goes on; Numba, which calls Python while
    it makes its results, does not look whether that raised, and crashes; so do extension modules that are being imported.
    Then the signal comes again, a little later. What is raised on the way out is no error (locks of `threading` that are
    left half way say that they are not held), but its notes are kept.
    """
    raised: list[int] = []
    caught = [kind for kind in _SIGNALS.values() if signal.getsignal(kind) is not signal.SIG_IGN]
    before, hook = {kind: signal.signal(kind, partial(_stop, raised)) for kind in caught}, sys.unraisablehook
    sys.unraisablehook = _lost
    try:
        yield
    except BaseException as error:
        if raised:
            raise _unwinding(raised[0], getattr(error, "__notes__", ())) from None
        raise
    finally:
        sys.unraisablehook = hook
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _stop(raised: list[int], number: int, frame: FrameType | None) -> None:
    if _is_bad_moment(frame):
        _send_again(number)
    else:
        raised.append(number)
        raise _unwinding(number)


def _unwinding(number: int, notes: Iterable[str] = ()) -> BaseException:
    stop = KeyboardInterrupt() if number == signal.SIGINT else Ended(128 + number)
    for note in notes:
        stop.add_note(note)
    return stop


def _is_bad_moment(frame: FrameType | None) -> bool:
    """Whether the command imports a module, or a result of a kernel is being made: its class loaded, or a named tuple's
    `__new__` called."""
    if frame is not None and (frame.f_code.co_filename, frame.f_code.co_name) == ("<string>", "<lambda>"):
        return True
    while frame is not None and frame.f_code.co_filename != COMMAND:
        if frame.f_code.co_name == "_numba_unpickle" or frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _lost(unraisable: sys.UnraisableHookArgs) -> None:
    if unraisable.exc_type in _SIGNALS:
        _send_again(_SIGNALS[unraisable.exc_type])
    else:
        sys.__unraisablehook__(unraisable)


def _send_again(number: int) -> None:
    threading.Timer(LATER, _send, (number,)).start()


def _send(number: int) -> None:
    """Send a signal to this process, if it is still one of ours."""
    if getattr(signal.getsignal(number), "func", None) is _stop:
        os.kill(os.getpid(), number)
