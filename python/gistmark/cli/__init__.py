"""The command line: `gistmark score`, `gistmark compare`, `gistmark metrics`, `gistmark study`,
`gistmark bench`, `gistmark warmup`, `gistmark cache`.

Exit codes: 0 fine; 1 unexpected; 2 wrong usage or input that cannot be scored; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from gistmark.cli import bench, cache, compare, metrics, score, study, warmup
from gistmark_engine.errors import GistmarkError
from gistmark_engine.version import __version__

COMMANDS = (score, compare, metrics, study, bench, warmup, cache)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a user's error is one line on standard error, never a traceback."""
    options = _parser().parse_args(arguments)
    warnings.formatwarning = lambda message, *_: f"gistmark: {message}\n"
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except GistmarkError as error:
        return _say(str(error), 2)
    except KeyboardInterrupt:
        return _say("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _say(str(error), 1)
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gistmark", description="Exact text-summary metrics at column speed.")
    parser.add_argument("--version", action="version", version=f"gistmark {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def _say(message: str, code: int) -> int:
    print(f"gistmark: {message}", file=sys.stderr)
    return code


def _terminate(*_: object) -> NoReturn:
    """A polite kill unwinds like any exception, so that half-written files go."""
    sys.exit(128 + signal.SIGTERM)
