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

from gistmark.starting import is_importing

LATER = 0.01
"""Seconds until a signal that came at a bad moment is sent again."""

COMMAND = str(Path(__file__).with_name("__init__.py"))
"""The file whose function runs a command: what lies further down the stack is not the command's."""


class Ended(SystemExit):
    """The command was told to end."""


_SIGNALS = {KeyboardInterrupt: signal.SIGINT, Ended: signal.SIGTERM}
_caught: set[int] = set()


@contextmanager
def interrupts() -> Iterator[None]:
    """SIGINT, unless it is ignored, raises KeyboardInterrupt while the context lasts, SIGTERM `Ended` with code 143.

    At times that must not be: within a finaliser Python ignores what is raised, and goes on; extension modules that are being
    imported do not look whether that raised, and crash. Then the signal comes again, a little later. While a kernel runs it
    waits (`gistmark_engine.signals`). What is raised on the way out is no error (locks of `threading` that are
    left half way say that they are not held), but its notes are kept.
    """
    raised: list[int] = []
    caught = [kind for kind in _SIGNALS.values() if signal.getsignal(kind) is not signal.SIG_IGN]
    before, hook = {kind: signal.signal(kind, partial(_stop, raised)) for kind in caught}, sys.unraisablehook
    sys.unraisablehook = _lost
    _caught.update(caught)
    try:
        yield
    except BaseException as error:
        if raised:
            raise _unwinding(raised[0], getattr(error, "__notes__", ())) from None
        raise
    finally:
        _caught.clear()
        sys.unraisablehook = hook
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _stop(raised: list[int], number: int, frame: FrameType | None) -> None:
    if is_importing(frame, COMMAND):
        _send_again(number)
    else:
        raised.append(number)
        raise _unwinding(number)


def _unwinding(number: int, notes: Iterable[str] = ()) -> BaseException:
    stop = KeyboardInterrupt() if number == signal.SIGINT else Ended(128 + number)
    for note in notes:
        stop.add_note(note)
    return stop


def _lost(unraisable: sys.UnraisableHookArgs) -> None:
    if unraisable.exc_type in _SIGNALS:
        _send_again(_SIGNALS[unraisable.exc_type])
    else:
        sys.__unraisablehook__(unraisable)


def _send_again(number: int) -> None:
    threading.Timer(LATER, _send, (number,)).start()


def _send(number: int) -> None:
    """Send a signal to this process, if it is still caught here."""
    if number in _caught:
        os.kill(os.getpid(), number)
