"""`gistmark completion`: a script by which a shell completes commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from gistmark_engine.errors import MissingExtra

SHELLS = ("bash", "zsh", "tcsh")


def add_to(commands: Any, parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Add this command to the parser's; `parser` makes the whole command line's."""
    command = commands.add_parser("completion", help="print a shell's completion script")
    command.add_argument("shell", choices=SHELLS)
    command.set_defaults(run=partial(_run, parser))


def _run(parser: Callable[[], argparse.ArgumentParser], options: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError as error:
        raise MissingExtra("shell completion", "completion") from error
    print(shtab.complete(parser(), options.shell))
    return 0
