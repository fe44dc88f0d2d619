"""A command's time, and the most memory that it and all processes below it held at once (Linux)."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

EVERY = 0.25
"""Seconds between two looks."""


class Cost(NamedTuple):
    """Seconds on the wall, and megabytes of resident memory, shared pages counted in parts."""

    seconds: float
    peak: float


def run(code: str, arguments: Sequence[Path | str]) -> Cost:
    """What a fresh Python that runs `code` costs. RuntimeError with the end of its error output where it fails."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with tempfile.TemporaryFile("w+") as errors:
        start, most = time.perf_counter(), 0.0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while process.poll() is None:
            most = max(most, sum(map(_resident, _tree(process.pid))))
            time.sleep(EVERY)
        spent = time.perf_counter() - start
        if process.returncode:
            errors.seek(0)
            raise RuntimeError((errors.read().strip() or f"exit code {process.returncode}").splitlines()[-1])
    return Cost(spent, most)


def _tree(root: int) -> Iterator[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return iter(found)


def _resident(process: int) -> float:
    """Megabytes of a process, its share of what others have too; 0 for one that is gone."""
    with suppress(OSError):
        said = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
        return int(said[1]) / 1024 if said else 0.0
    return 0.0
