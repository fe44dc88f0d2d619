"""How time and memory grow with the characters of one row that no one would write, metric by metric.

python -m bench.hostile [--seconds S] [METRIC …]
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from bench import corpora
from bench.tables import table
from gistmark import metrics
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_batch

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
Pair = tuple[str, str]

METRICS: dict[str, Callable[[], Metric]] = {
    "ROUGE-1/2": lambda: metrics.rouge(("1", "2"), stem=True),
    "ROUGE-L": lambda: metrics.rouge(("L",)),
    "ROUGE-Lsum": lambda: metrics.rouge(("Lsum",)),
    "ROUGE-W": lambda: metrics.rouge(("W",), parity="rouge155"),
    "ROUGE-SU4": lambda: metrics.rouge(("SU4",), parity="rouge155"),
    **{
        name: getattr(metrics, name)
        for name in ("datastats", "abstraction", "bleu", "chrf", "ter", "meteor", "meteor15")
    },
}
SHAPES: dict[str, Callable[[int], Pair]] = {
    "one token repeated": lambda n: (_fill("again ", n), _fill("again ", n - n // 7)),
    "all tokens distinct": lambda n: (corpora.all_distinct(n // 8, 0), corpora.all_distinct(n // 8, 1)),
    "two tokens at random": lambda n: (corpora.few_kinds(n // 3, 2, 0), corpora.few_kinds(n // 3, 2, 1)),
    "one token": lambda n: ("y" * n, "y" * (n - 1) + "z"),
    "one token outside ASCII": lambda n: ("é" * n, "é" * (n - 1) + "e"),
    "words outside ASCII": lambda n: (_fill("é漢字 héllo ", n), _fill("é漢字ß héllo ", n)),
    "real words, one sentence": lambda n: (corpora.real_text(n // 6, 0), corpora.real_text(n // 6, 1)),
    "real sentences, a line each": lambda n: (_lines(n, 0), _lines(n, 1)),
    "a word a line": lambda n: ("a\n" * (n // 2), "a\nb\n" * (n // 4)),
    "NUL": lambda n: ("\0" * n, "\0a" * (n // 2)),
    "bidi, zero-width": lambda n: (_fill("\u202e\u200b\u2066a\u200d", n), _fill("\u202eb\u200b\u2066a\u200d", n)),
    "punctuation": lambda n: ("." * n, ".!" * (n // 2)),
}


def _fill(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def _lines(size: int, seed: int) -> str:
    return corpora.real_text(size // 6, seed).replace(". ", ".\n")


def measured(metric: Metric, shape: Callable[[int], Pair], most: float) -> Iterator[str]:
    """CPU seconds at each size, and the megabytes the largest measured took; a run that would last longer than `most`
    seconds, by the growth so far, is left out and guessed."""
    before, last, memory = 0.0, 0.0, 0.0
    for size in SIZES:
        guess = last * max(10.0, last / max(before, 0.002))
        if guess > most:
            before, last = last, guess
            yield f"~{guess:,.0f} s"
            continue
        summary, other = shape(size)
        roles = {role: pa.array([summary if role == "summary" else other]) for role in metric.inputs}
        at_start, start = _highest(reset=True), time.process_time()
        score_batch(pa.record_batch(roles), [metric], threads=1)
        before, last = last, time.process_time() - start
        memory = max(memory, _highest() - at_start)
        yield f"{last:.3f} s"
    yield f"{memory:,.0f} MB"


def _highest(reset: bool = False) -> float:
    """Megabytes that this process held at most since the last reset, on Linux."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found else 0.0


def main() -> int:
    """Print a table a metric."""
    parser = argparse.ArgumentParser(prog="bench.hostile")
    parser.add_argument("metrics", nargs="*", metavar="METRIC", help=f"default: all of {', '.join(METRICS)}")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the longest run; default: %(default)s")
    options = parser.parse_args()
    if unknown := [name for name in options.metrics if name not in METRICS]:
        parser.error(f"unknown metric {unknown[0]!r}; there are {', '.join(METRICS)}")
    warnings.simplefilter("ignore")
    heads = ("texts", *(f"{size:,}" for size in SIZES), "memory")
    for name in options.metrics or METRICS:
        metric = METRICS[name]()
        list(measured(metric, lambda _: ("a é.", "a b."), 1e9))
        lines = [(shape, *measured(metric, pair, options.seconds)) for shape, pair in SHAPES.items()]
        print(
            table(f"{name} on hostile texts", "CPU time of a row by characters of each text, one thread.", heads, lines)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
