"""Ctrl-C while the command's modules are still being imported: one line and exit code 130, as it is later on."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_COMMANDS = ("gistmark", "gistmark.cli")
_IMPORTING = ("<frozen importlib", "<frozen runpy")


def watch() -> None:
    """Let SIGINT end this process, if it is the command: at once while it imports, else as Python has it.

    Nothing is begun before all is imported, so there is nothing to undo. A SIGINT that is ignored stays so. Whatever this
    module imports delays it, so that is little.
    """
    if _program() in _COMMANDS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, _end)
        except ValueError:  # another thread than the first, which alone may say so
            return


def _program() -> str:
    """What runs here: the name of a script, or that of the module which `python -m` is looking for."""
    given: list[str] = getattr(sys, "argv", None) or [""]
    if given[0] == "-m":
        return next(iter(sys.orig_argv[-len(given) :]), "").removeprefix("-m")
    return os.path.splitext(os.path.basename(given[0]))[0]


def _end(number: int, frame: FrameType | None) -> None:
    if not is_importing(frame):
        signal.default_int_handler(number, frame)
    try:
        os.write(2, b"gistmark: interrupted\n")
    finally:  # also where standard error is closed
        os._exit(128 + number)


def is_importing(frame: FrameType | None, below: str = "") -> bool:
    """Whether an import, or `python -m`, is under way: what they ran has not come back yet. Frames below the file `below`
    are not looked at."""
    while frame is not None and frame.f_code.co_filename != below:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


watch()
