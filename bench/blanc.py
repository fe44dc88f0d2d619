"""BLANC-help on a CPU against the package blanc: one summary a source, and several.

python -m bench.blanc [--model FOLDER | --base] [--rows N] [--batch N]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from bench import corpora
from bench.bertscore import packaged
from bench.tables import micro, table, times
from gistmark import metrics
from gistmark.bench.pairs import pairs_of
from gistmark.bench.peer import load
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark.studies.sentences import splitter
from gistmark_engine.job import held
from gistmark_engine.plan import score_columns

ROUNDS = 3
FLOOR = 2.0
SIZES = (40, 160)
"""Words of the summary and of the source."""


def untaught(folder: Path, base: bool) -> str:
    """A masked language model of MiniLM's shape, or BERT-base's, that knows nothing: speed does not depend on weights."""
    transformers = importlib.import_module("transformers")
    config = transformers.BertConfig() if base else transformers.AutoConfig.from_pretrained(packaged())
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(packaged()).save_pretrained(folder)
    return str(folder)


def ours(frame: pl.DataFrame, model: str) -> Callable[[], list[float]]:
    """A call that scores the frame on one thread; its model is loaded at the first."""
    ready = held([metrics.blanc_help(model, parity="reference")])
    columns = pairs_of(frame, ready[0].inputs).columns
    return lambda: score_columns(columns, ready, threads=1)["blanc_help"].to_pylist()


def theirs(frame: pl.DataFrame, model: str, batch: int) -> Callable[[], list[float]]:
    """The same by blanc, sentences cut as ours are."""
    scorer = _blanc().BlancHelp(model, inference_batch_size=batch, show_progress_bar=False)
    sources, summaries = frame["source"].to_list(), frame["summary"].to_list()
    return lambda: [float(value) for value in scorer.eval_pairs(sources, summaries)]


def _blanc() -> Any:
    """The package's module, made to run beside current versions of what it imports."""
    torch, transformers = load("torch", "torch"), load("transformers", "transformers")
    transformers.AdamW = torch.optim.AdamW
    unwanted = ModuleType("blanc.shannon")
    unwanted.Shannon = None  # type: ignore[attr-defined]
    sys.modules.setdefault("blanc.shannon", unwanted)
    module = load("blanc.blanc", "blanc")
    module.sent_tokenize = splitter("punkt").split
    return module


def frames(rows: int) -> dict[str, pl.DataFrame]:
    """Pairs of real text: every source with a summary of its own, and four summaries a source."""
    single = corpora.pairs(SIZES, rows)
    shared = single.with_columns(source=pl.col("source").gather(pl.int_range(pl.len()) // 4))
    return {"a summary a source": single, "four summaries a source": shared}


def main() -> int:
    """Print the table; 1 if values differ."""
    parser = argparse.ArgumentParser(prog="bench.blanc")
    parser.add_argument("--model", help="default: one of MiniLM's shape that knows nothing")
    parser.add_argument("--base", action="store_true", help="one of BERT-base's shape instead")
    parser.add_argument("--rows", type=int, default=8, help="default: %(default)s")
    parser.add_argument(
        "--batch", type=int, default=1, help="blanc's inference_batch_size; default: its own, %(default)s"
    )
    options = parser.parse_args()
    importlib.import_module("torch").set_num_threads(1)
    lines, same = [], True
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or untaught(Path(folder), options.base)
        for work, frame in frames(options.rows).items():
            mine, other = ours(frame, model), theirs(frame, model, options.batch)
            equal = mine() == other()
            same = same and equal
            sides = {"gistmark": Contestant(mine, options.rows), "other": Contestant(other, options.rows)}
            spent = race(sides, ROUNDS, clock_of(1))
            figures = [micro(min(spent[side])) for side in ("other", "gistmark")]
            speed = times(ratio(spent["other"], spent["gistmark"]))
            lines.append((work, *figures, speed, f"{FLOOR}x", "yes" if equal else "NO"))
    note = f"{options.rows} rows of {SIZES[0]}/{SIZES[1]} words, one thread, CPU time; the model is loaded before."
    headings = ("work", f"blanc in batches of {options.batch}, a row", "gistmark, a row", "ratio", "at least", "equal")
    print(table("BLANC-help on a CPU", note, headings, lines))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
