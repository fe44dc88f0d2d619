"""Peak memory of scoring a large file, Parquet to Parquet.

python -m bench.memory [--millions N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from bench import corpora
from bench.tables import table

MILLION = 1_000_000
STEP = 250_000
"""Rows of a row group."""

PEAK = """
import pathlib, re
status = pathlib.Path("/proc/self/status").read_text()
print(re.search(r"VmHWM:\\s+(\\d+)", status)[1])
"""
IMPORTS = "import gistmark as gm, polars as pl, sys\ngm.score({'summary': ['a'], 'references': ['a']}, ['rouge'])\n"
COPY = """
pl.scan_parquet(sys.argv[1]).sink_parquet(sys.argv[2])
"""
SINK = """
query = pl.scan_parquet(sys.argv[1]).with_columns(gm.rouge("summary", "references")).unnest("rouge")
query.sink_parquet(sys.argv[2])
"""
COMMAND = """
from gistmark.cli import main
main(["score", sys.argv[1], "--metrics", "rouge", "--output", sys.argv[2], "--quiet"])
"""


def write_pairs(path: Path, rows: int) -> None:
    """`rows` distinct short pairs, in row groups."""
    size = min(STEP, rows)
    head = corpora.pairs(corpora.SHORT, 1).drop("source").to_arrow()
    with pq.ParquetWriter(path, head.schema) as writer:
        for block in range(rows // size):
            writer.write_table(corpora.pairs(corpora.SHORT, size, block).drop("source").to_arrow())


def peak(code: str, *arguments: Path | str) -> tuple[float, float]:
    """(peak resident MB, seconds on the wall) of a fresh process that runs `code`."""
    command = [sys.executable, "-c", IMPORTS + code + PEAK, *map(str, arguments)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024, time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.memory")
    parser.add_argument("--millions", type=float, default=1.0, help="million rows; default: %(default)s")
    rows = int(parser.parse_args().millions * MILLION)
    with tempfile.TemporaryDirectory() as folder:
        pairs, scored = Path(folder, "pairs.parquet"), Path(folder, "scored.parquet")
        write_pairs(pairs, rows)
        ways = {
            "imports and kernels alone": "",
            "scan and sink alone": COPY,
            "scan, expression, sink": SINK,
            "gistmark score": COMMAND,
        }
        measured = {name: peak(code, pairs, scored) for name, code in ways.items()}
    lines = [(name, f"{most:,.0f} MB", f"{spent:,.1f} s") for name, (most, spent) in measured.items()]
    note = f"ROUGE-1/2/L on {rows:,} pairs of 25/25 words, all cores, a process each; the goal is less than 1,000 MB."
    print(table("Peak memory", note, ("way", "peak resident", "time with start"), lines))


if __name__ == "__main__":
    main()
