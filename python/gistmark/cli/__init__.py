"""The command line: `gistmark score`, `gistmark compare`, `gistmark report`, `gistmark metrics`, `gistmark study`,
`gistmark bench`, `gistmark warmup`, `gistmark cache`, `gistmark completion`.

Exit codes: 0 fine; 1 unexpected; 2 wrong usage or input that cannot be scored; 130 interrupted; 141 nobody reads on;
143 told to end.
"""

from __future__ import annotations

import argparse
import errno
import os
import select
import sys
import tempfile
import warnings
from collections.abc import Sequence
from typing import NoReturn

from gistmark.cli import bench, cache, compare, completion, help, metrics, report, score, study, warmup
from gistmark.cli.interrupts import Ended, interrupts
from gistmark_engine.errors import GistmarkError, OptionError
from gistmark_engine.version import __version__

CLOSED = 128 + 13
"""As shells report a program that wrote into a pipe which nobody reads (the signal SIGPIPE)."""

COMMANDS = (score, compare, report, metrics, study, bench, warmup, cache)
FILES = ("pairs", "scored", "sessions")
"""What commands call the files they read."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a user's error is one line on standard error, never a traceback."""
    warnings.formatwarning = lambda message, *_: f"gistmark: {message}\n"
    try:
        _open_standard()
        with interrupts():
            return _run(arguments)
    except GistmarkError as error:
        return _say(str(error), 2)
    except KeyboardInterrupt as stop:
        return _say(_interrupted(stop), 130)
    except Ended as stop:
        return _say(_interrupted(stop), 143)
    except BrokenPipeError as error:
        if not _nobody_reads():
            return _say(str(error), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to write goes nowhere, in silence
        return CLOSED
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        return _say(f"{error.filename or error}: cannot be read or written ({error.strerror})", 2)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        return _say(
            f"{error}; make room where the output goes and in {tempfile.gettempdir()}" if full else str(error), 1
        )


def _open_standard() -> None:
    """Put nothing in the place of a standard stream that is closed, so that no file gets its number by chance."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def _run(arguments: Sequence[str] | None) -> int:
    """Run one command; all it prints is written when this ends, so that a closed pipe shows here and not at exit."""
    try:
        parser = _parser()
        options, more = parser.parse_known_args(arguments)
        if more:
            _refuse(more, parser)
        _check_given(options)
        code: int = options.run(options)
        return code
    finally:
        sys.stdout.flush()


def _refuse(more: list[str], parser: argparse.ArgumentParser) -> NoReturn:
    """Refuse arguments that a command does not know; files among them come from a pattern that the shell has expanded."""
    if not more[0].startswith("-") and os.path.exists(more[0]):
        raise OptionError(
            f"{more[0]!r} is one file too many; give several as one pattern in quotes, such as 'parts/*.parquet'"
        )
    parser.error(f"unrecognized arguments: {' '.join(more)}")


def _check_given(options: argparse.Namespace) -> None:
    """Refuse an option given as empty text, which is a shell variable that is not set."""
    for name, value in vars(options).items():
        if value == "" or (isinstance(value, list) and "" in value):
            what = "a file's name" if name in FILES else f"--{name.replace('_', '-')}"
            raise OptionError(f"{what} is empty; say what it is, or leave it out")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gistmark", description="Exact text-summary metrics at column speed.")
    parser.add_argument("--version", action="version", version=f"gistmark {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    completion.add_to(commands, _parser)
    help.add_examples(parser)
    return parser


def _say(message: str, code: int) -> int:
    print(f"gistmark: {message}", file=sys.stderr)
    return code


def _interrupted(stop: BaseException) -> str:
    """What becomes of the command: its notes say how to go on, where it can."""
    return "; ".join(["interrupted", *getattr(stop, "__notes__", ())])


def _nobody_reads() -> bool:
    """Whether standard output is what broke: a pipe whose other end is closed."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), select.POLLOUT)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
