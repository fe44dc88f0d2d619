"""`gistmark warmup`: compile every kernel once, so that the first real job does not."""

from __future__ import annotations

import argparse
import time
from typing import Any

from gistmark import metrics
from gistmark.score import score

ONE_ROW = {"summary": ["A cat sat. It slept."], "references": [["A cat sat."]], "source": ["A cat sat on a mat."]}


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser("warmup", help="compile every kernel now and keep it on disk")
    parser.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    from gistmark_engine.jit import cache_directory, cache_writable  # numba loads here, not with every command

    start = time.perf_counter()
    rouge = metrics.rouge(types=("1", "2", "L", "Lsum"), stem=True)
    score(ONE_ROW, [rouge, metrics.datastats(), metrics.abstraction()])
    kept = f"kept in {cache_directory()}" if cache_writable() else "not kept"
    print(f"kernels compiled in {time.perf_counter() - start:.1f} s, {kept}")
    return 0
