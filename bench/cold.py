"""Cold start: importing, and the first score of a process whose kernels are on disk already.

python -m bench.cold
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median

from bench.tables import table
from gistmark_datasets import scitldr_sample

ROUNDS = 7
IMPORTS = {"import polars, pyarrow": "import polars, pyarrow", "import gistmark": "import gistmark"}
FIRST = {
    "import polars, pyarrow, numba": "import polars, pyarrow, numba",
    "first score of the sample": f"import gistmark; gistmark.score({str(scitldr_sample())!r})",
}
TIMED = "import time\nstart = time.perf_counter()\n{}\nprint(time.perf_counter() - start)"


def seconds(code: str) -> float:
    """Time on the wall that `code` takes in a fresh interpreter, the interpreter's own start left out."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", TIMED.format(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def lines(codes: dict[str, str], most: float) -> list[tuple[str, ...]]:
    """Medians of interleaved rounds: the first code alone, then the other with its ratio to the first."""
    spent: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(ROUNDS):
        for name, code in codes.items():
            spent[name].append(seconds(code))
    (base, yardstick), (name, measured) = spent.items()
    times = median(a / b for a, b in zip(measured, yardstick, strict=True))
    return [
        (base, f"{median(yardstick):.2f} s", "1", "-"),
        (name, f"{median(measured):.2f} s", f"{times:.2f}", f"{most:g}"),
    ]


def main() -> None:
    """Print the table."""
    for code in (*IMPORTS.values(), *FIRST.values()):
        seconds(code)
    note = f"Time on the wall, median of {ROUNDS} interleaved rounds, a process each; all files cached before."
    found = lines(IMPORTS, 1.3) + lines(FIRST, 2.0)
    print(table("Cold start", note, ("what", "time", "ratio", "at most"), found))


if __name__ == "__main__":
    main()
