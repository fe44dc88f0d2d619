"""The same pairs scored here, on Ray, on Spark and in DuckDB, Parquet to Parquet; and what resuming costs.

python -m bench.engines [--thousands N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from bench.memory import peak, write_pairs
from bench.tables import table

COMMAND = """
from gistmark.cli import main
assert main(["score", sys.argv[1], "--metrics", "rouge", "--output", sys.argv[2], "--quiet", *sys.argv[3:]]) == 0
"""
DUCKDB = """
import duckdb
connection = duckdb.connect()
gm.duckdb.register(connection, ["rouge"])
query = f"SELECT *, unnest(gistmark(summary, \\"references\\")) FROM '{sys.argv[1]}'"
connection.sql(f"COPY ({query}) TO '{sys.argv[2]}' (FORMAT parquet)")
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="bench.engines")
    parser.add_argument("--thousands", type=int, default=2000, help="thousand pairs; default: %(default)s")
    rows = parser.parse_args().thousands * 1000
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few.parquet"), Path(folder, "many.parquet")
        write_pairs(few, 1000)
        write_pairs(many, rows)
        print(_compare(few, many, Path(folder), rows))
        print(_resume(many, Path(folder)))


def _compare(few: Path, many: Path, folder: Path, rows: int) -> str:
    """Each way on many pairs, less what it takes on next to none."""
    ways: dict[str, tuple[str, str, list[str]]] = {
        "local, one file": (COMMAND, "one.parquet", []),
        "local, parts": (COMMAND, "local/", []),
        "Ray, parts": (COMMAND, "ray/", ["--engine", "ray"]),
        "Spark, parts": (COMMAND, "spark/", ["--engine", "spark"]),
        "DuckDB": (DUCKDB, "duckdb.parquet", []),
    }
    lines, local = [], 0.0
    for name, (code, output, options) in ways.items():
        _, start = peak(code, few, f"{folder}/few-{output}", *options)
        most, spent = peak(code, many, f"{folder}/{output}", *options)
        rate = rows / max(spent - start, 1e-9)
        local = local or rate
        lines.append((name, f"{start:,.1f} s", f"{rate:,.0f}", f"{rate / local:.2f}", f"{most:,.0f} MB"))
    note = (
        f"ROUGE-1/2/L on {rows:,} pairs of 25/25 words, {len(os.sched_getaffinity(0))} cores. Start: the whole job on 1,000 "
        "pairs; it is taken off before the rate. Peak: of the process that is started, not of its workers."
    )
    return table("Engines", note, ("way", "start", "rows/s", "of local", "peak resident"), lines)


def _resume(many: Path, folder: Path) -> str:
    """A job resumed with all, and with half of its parts there."""
    parts = sorted((folder / "local").iterdir())
    whole = Path(folder, "whole")
    shutil.copytree(folder / "local", whole)
    _, nothing = peak(COMMAND, many, f"{whole}/", "--resume")
    for path in parts[::2]:
        (whole / path.name).unlink()
    _, half = peak(COMMAND, many, f"{whole}/", "--resume")
    shutil.rmtree(whole)
    _, everything = peak(COMMAND, many, f"{whole}/")
    lines = [("all", f"{nothing:,.1f} s"), (f"{len(parts) // 2}", f"{half:,.1f} s"), ("none", f"{everything:,.1f} s")]
    return table("Resuming", f"The same job, {len(parts)} parts, start included.", ("parts there", "time"), lines)


if __name__ == "__main__":
    main()
