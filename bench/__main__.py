"""All sections, one after the other, each in a process of its own: `python -m bench [--write] [SECTION …]`."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results.md"
PEERS = ("rouge-score", "rouge-score-rs", "rouge-rust", "rapidrouge", "rouge-metric", "sacrebleu", "nltk", "rapidfuzz")
PACKAGES = ("numba", "numpy", "pyarrow", "polars", *PEERS)
CORES = str(len(os.sched_getaffinity(0)))
SECTIONS = {
    "ratios": ["bench.ratios"],
    "studies": ["bench.studies"],
    "ratios-all-cores": ["bench.ratios", "--threads", CORES],
    "boundaries": ["bench.boundaries"],
    "threads": ["bench.threads"],
    "overhead": ["bench.overhead"],
    "cold": ["bench.cold"],
    "memory": ["bench.memory"],
    "growth": ["bench.growth"],
    "judges": ["bench.judges"],
    "robustness": ["bench.robustness"],
    "engines": ["bench.engines"],
    "soak": ["bench.soak"],
    "hostile": ["bench.hostile"],
}
LONG = ("engines", "soak", "hostile")
"""Sections that run only when they are named."""


def main() -> int:
    """Run sections and print their tables; 1 if one of them failed or found values that differ."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"default: all of {', '.join(SECTIONS)} but {', '.join(LONG)}"
    )
    parser.add_argument("--write", action="store_true", help=f"write the tables to {RESULTS.name} beside this file too")
    options = parser.parse_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    texts, failed = [_machine()], False
    for name in options.sections or [name for name in SECTIONS if name not in LONG]:
        print(f"bench: {name}", file=sys.stderr)
        done = subprocess.run([sys.executable, "-m", *SECTIONS[name]], stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, flush=True)
        texts.append(done.stdout)
        failed = failed or done.returncode != 0
    if options.write and not failed:
        RESULTS.write_text("\n".join(texts), encoding="utf-8")
    return 1 if failed else 0


def _machine() -> str:
    """What the figures were taken on."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    python = platform.python_version()
    return f"# Results\n\n{_processor()}, {CORES} cores, {platform.system()}; Python {python}, {versions}.\n"


def _processor() -> str:
    """The processor's name where Linux tells it, else its kind."""
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.machine()


if __name__ == "__main__":
    sys.exit(main())
