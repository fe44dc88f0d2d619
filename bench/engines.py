"""The same pairs scored here, on Ray, on Spark and in DuckDB, Parquet to Parquet; and what resuming costs.

python -m bench.engines [--thousands N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from bench.memory import write_pairs
from bench.tables import table
from bench.tree import run
from gistmark.metrics import rouge

COMMAND = """
import sys
from gistmark.cli import main
sys.exit(main(["score", sys.argv[1], "--metrics", "rouge", "--output", sys.argv[2], "--quiet", *sys.argv[3:]]))
"""
DUCKDB = """
import sys, duckdb, gistmark as gm
connection = duckdb.connect()
gm.duckdb.register(connection, ["rouge"])
query = f"SELECT *, unnest(gistmark(summary, \\"references\\")) FROM '{sys.argv[1]}'"
connection.sql(f"COPY ({query}) TO '{sys.argv[2]}' (FORMAT parquet)")
"""
WAYS: dict[str, tuple[str, str, list[str]]] = {
    "local, one file": (COMMAND, "one.parquet", []),
    "local, parts": (COMMAND, "local/", []),
    "Ray, parts": (COMMAND, "ray/", ["--engine", "ray"]),
    "Spark, parts": (COMMAND, "spark/", ["--engine", "spark"]),
    "DuckDB": (DUCKDB, "duckdb.parquet", []),
}
"""By name: the program, where its output goes, further options."""

FEW = 1000


def main() -> int:
    """Print the tables; 1 if an engine failed or its scores differ."""
    parser = argparse.ArgumentParser(prog="bench.engines")
    parser.add_argument("--thousands", type=int, default=2000, help="thousand pairs; default: %(default)s")
    rows = parser.parse_args().thousands * 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pairs(folder / "few.parquet", FEW)
        write_pairs(folder / "many.parquet", rows)
        lines = list(_compare(folder, rows))
        note = (
            f"ROUGE-1/2/L on {rows:,} pairs of 25/25 words, {len(os.sched_getaffinity(0))} cores. Start: the whole job on "
            f"{FEW:,} pairs; it is taken off before the rate. Peak: of the process and all its workers together. Same: "
            "every score is that of the first line, bit for bit."
        )
        print(table("Engines", note, ("way", "start", "rows/s", "of local", "peak resident", "same"), lines))
        print(table("Resuming", "The same job in parts, start included.", ("parts there", "time"), _resume(folder)))
    return 1 if any(line[-1] != "yes" for line in lines) else 0


def _compare(folder: Path, rows: int) -> Iterator[tuple[str, ...]]:
    """Each way on many pairs, less what it takes on next to none."""
    local = 0.0
    for name, (code, output, options) in WAYS.items():
        try:
            start = run(code, [folder / "few.parquet", f"{folder}/few-{output}", *options])
            whole = run(code, [folder / "many.parquet", f"{folder}/{output}", *options])
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            yield name, "-", "-", "-", "-", "failed"
            continue
        rate = rows / max(whole.seconds - start.seconds, 1e-3)  # too few pairs to tell: a rate that no one believes
        local = local or rate
        same = "yes" if _scores(folder / output).equals(_scores(folder / "one.parquet")) else "differs"
        yield name, f"{start.seconds:,.1f} s", f"{rate:,.0f}", f"{rate / local:.2f}", f"{whole.peak:,.0f} MB", same


def _scores(output: Path) -> pl.DataFrame:
    """The numbers of a scored file, or of a folder of parts in their order."""
    numbers = [name for name, field in rouge().columns.items() if field.dtype == "float64"]
    return pl.read_parquet(output, columns=numbers)


def _resume(folder: Path) -> Iterator[tuple[str, str]]:
    """A job resumed with all, with half and with none of its parts there."""
    parts = sorted((folder / "local").iterdir())
    for there in (parts, parts[: len(parts) // 2], []):
        (folder / "resumed").mkdir()
        for path in there:
            shutil.copy2(path, folder / "resumed")
        cost = run(COMMAND, [folder / "many.parquet", f"{folder}/resumed/", "--resume"])
        shutil.rmtree(folder / "resumed")
        yield f"{len(there)} of {len(parts)}", f"{cost.seconds:,.1f} s"


if __name__ == "__main__":
    sys.exit(main())
