"""One process that scores batch after batch: its memory has to stay flat and its results the same.

python -m bench.soak [--minutes N]
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import gistmark as gm
from bench import corpora
from bench.tables import table

METRICS = ("rouge", "datastats", "abstraction", "bleu", "chrf")
ROWS = 2000
WARM = 10
"""Rounds until memory counts: compiled kernels, threads and their scratch space come first."""

SLACK = 48
"""Megabytes that allocators may hold more at the end than after these rounds."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round over all batches left: resident megabytes, and a digest of all its scores."""

    resident: float
    digest: str


def soak(seconds: float) -> Iterator[Round]:
    """Rounds until the time is over, at least two after the warm ones."""
    frames = [corpora.pairs(size, ROWS, block) for block, size in enumerate(corpora.SIZES[:2])]
    batches = [pa.table(frame.to_arrow()) for frame in frames]
    end, done = time.monotonic() + seconds, 0
    while done < WARM + 2 or time.monotonic() < end:
        digest = hashlib.sha256()
        for batch in batches:
            scores = gm.score_batch(batch, METRICS)
            digest.update(repr(scores.slice(0, 50).to_pylist()).encode())
            digest.update(b"".join(column.buffers()[-1].to_pybytes() for column in scores.columns))
        yield Round(resident(), digest.hexdigest())
        done += 1


def resident() -> float:
    """Megabytes of this process in memory now, on Linux."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def slope(rounds: list[Round]) -> float:
    """Megabytes by which memory grew in a thousand rounds, by least squares over those that count."""
    steps = np.arange(len(rounds) - WARM)
    return 1000 * float(np.polyfit(steps, [each.resident for each in rounds[WARM:]], 1)[0])


def faults(rounds: list[Round]) -> list[str]:
    """What did not stay as it was."""
    warm, last = rounds[WARM].resident, max(each.resident for each in rounds[WARM + 1 :])
    grown = [f"memory grew from {warm:,.0f} to {last:,.0f} MB"] if last > warm + SLACK else []
    return grown + (["scores changed"] if len({each.digest for each in rounds}) > 1 else [])


def main() -> int:
    """Print the table; 1 if anything did not stay as it was."""
    parser = argparse.ArgumentParser(prog="bench.soak")
    parser.add_argument("--minutes", type=float, default=10.0, help="default: %(default)s")
    minutes = parser.parse_args().minutes
    rounds = list(soak(60 * minutes))
    wrong = faults(rounds)
    last = max(each.resident for each in rounds[WARM + 1 :])
    lines = [
        ("rounds", f"{len(rounds):,}"),
        ("pairs", f"{len(rounds) * 2 * ROWS:,}"),
        (f"resident after {WARM} rounds", f"{rounds[WARM].resident:,.0f} MB"),
        ("most resident since", f"{last:,.0f} MB"),
        ("slope since", f"{slope(rounds):+,.1f} MB a thousand rounds"),
        ("different results", f"{len({each.digest for each in rounds}) - 1}"),
    ]
    print(table("Soak", f"{', '.join(METRICS)}, again and again for {minutes:g} minutes.", ("what", "figure"), lines))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
