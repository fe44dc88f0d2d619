"""`gistmark cache clear`: delete compiled kernels."""

from __future__ import annotations

import argparse
from typing import Any


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser("cache", help="look after the compiled kernels kept on disk")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    clear = actions.add_parser("clear", help="delete them, of all versions")
    clear.set_defaults(run=_clear)


def _clear(_: argparse.Namespace) -> int:
    from gistmark_engine.jit import cache_directory, clear_cache  # numba loads here, not with every command

    print(f"removed {clear_cache()} files from {cache_directory()}")
    return 0
