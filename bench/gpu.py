"""BERTScore on one GPU: tokens a second of bert_score and of gistmark, beside what the GPU's own matrix products allow.

python -m bench.gpu [--rows N] [--device cuda:0] [--dtype bfloat16] [--layers 24 --layer 18] [--tiny]

The model is BERT-large made from its configuration, with the packaged MiniLM's vocabulary: speed does not depend on the
weights, and the scores mean nothing.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bench import corpora
from bench.bertscore import FIELDS, packaged, theirs
from bench.tables import table
from gistmark import metrics, score
from gistmark.models.checkpoint import Checkpoint
from gistmark.models.loading import load
from gistmark.models.packing import try_packing
from gistmark.models.stage import Stage, forward
from gistmark_engine.job import held

SIZES = (60, 50)
LARGE = {"hidden_size": 1024, "num_attention_heads": 16, "intermediate_size": 4096}
TINY = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


def make_model(folder: Path, layers: int, sizes: dict[str, int]) -> str:
    """A BERT of random weights, saved to `folder`."""
    transformers = importlib.import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged())
    config = transformers.BertConfig(vocab_size=len(tokenizer), num_hidden_layers=layers, **sizes)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def matrix_rate(device: str, dtype: str, size: int) -> float:
    """Floating-point operations a second of the product of two square matrices: the best of ten."""
    torch = importlib.import_module("torch")
    matrix = torch.randn(size, size, device=device, dtype=getattr(torch, dtype))
    return 2 * size**3 / min(seconds(lambda: matrix @ matrix, device) for _ in range(10))


def seconds(work: Callable[[], object], device: str) -> float:
    """Time on the wall until the device is done."""
    torch = importlib.import_module("torch")
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    wait()
    start = time.perf_counter()
    work()
    wait()
    return time.perf_counter() - start


def operations(layer: int, sizes: dict[str, int]) -> int:
    """Floating-point operations that a token takes up to a layer, those of attention between tokens left out."""
    width, inner = sizes["hidden_size"], sizes["intermediate_size"]
    return layer * 2 * (4 * width * width + 2 * width * inner)


def encoders(model: str, layer: int, device: str, dtype: Any) -> Iterator[tuple[str, Stage]]:
    """The stage as it can run: padded, packed, compiled."""
    torch = importlib.import_module("torch")
    checkpoint = Checkpoint(model, dtype=dtype, device=device)
    yield "encoding alone, padded", load(checkpoint, layer=layer)
    stage = load(checkpoint, layer=layer)
    try_packing(stage)
    yield "encoding alone, packed" if stage.first is not None else "encoding alone, packing refused", stage
    if device.startswith("cuda"):
        stage.models = [torch.compile(one, dynamic=True) for one in stage.models]
        yield "encoding alone, packed and compiled", stage


def lines(options: argparse.Namespace, model: str, frame: pl.DataFrame) -> Iterator[tuple[str, int, float]]:
    """(what, tokens, seconds) of every way, each run once before."""
    device, layer = options.device, options.layer
    other = theirs([frame], model, layer, device)
    metric = metrics.bertscore(model, layer=layer, dtype=options.dtype, device=device)
    tokens = 0

    def count(needed: int, _: int) -> None:
        nonlocal tokens
        tokens += needed

    metric.run.watch(count)  # type: ignore[attr-defined]
    ready = held([metric])
    score(frame, ready)
    mine = tokens
    yield "bert_score, float32", mine, _second(other, device)
    yield f"gistmark, {options.dtype}", mine, _second(lambda: score(frame, ready), device)
    for name, stage in encoders(model, layer, device, options.dtype):
        texts = [*frame["summary"].unique().to_list(), *frame["references"].unique().to_list()]
        inputs = stage.pieces.single(stage.pieces.bodies(texts))
        spent = _second(lambda: list(forward(stage, inputs, lambda out, shown: None)), device)  # noqa: B023
        yield f"gistmark, {name}", int(inputs.ids.lengths.sum()), spent


def _second(work: Callable[[], object], device: str) -> float:
    """Seconds of the second run."""
    seconds(work, device)
    return seconds(work, device)


def apart(options: argparse.Namespace, model: str, frame: pl.DataFrame) -> float:
    """The largest difference between the scores in `dtype` and in float32."""
    some = frame.head(200)
    one, two = (
        score(some, [metrics.bertscore(model, layer=options.layer, dtype=dtype, device=options.device)])
        for dtype in (options.dtype, "float32")
    )
    return float(np.abs(one.select(FIELDS).to_numpy() - two.select(FIELDS).to_numpy()).max())


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.gpu")
    parser.add_argument("--rows", type=int, default=10_000, help="pairs; default: %(default)s")
    parser.add_argument("--device", default="cuda:0", help="default: %(default)s")
    parser.add_argument("--dtype", default="bfloat16", help="default: %(default)s")
    parser.add_argument("--layers", type=int, default=24, help="that the model has; default: %(default)s")
    parser.add_argument("--layer", type=int, default=18, help="that is scored on; default: %(default)s")
    parser.add_argument("--tiny", action="store_true", help="a model of width 32, to try this script on a CPU")
    options = parser.parse_args()
    sizes = TINY if options.tiny else LARGE
    frame = corpora.pairs(SIZES, options.rows)
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder), options.layers, sizes)
        rate = matrix_rate(options.device, options.dtype, 256 if options.tiny else 8192)
        limit = rate / operations(options.layer, sizes)
        rows = [
            (name, f"{tokens / spent:,.0f}", f"{tokens / spent / limit:.1%}")
            for name, tokens, spent in lines(options, model, frame)
        ]
        differ = apart(options, model, frame)
    note = (
        f"{options.rows:,} pairs of 60/50 words, width {sizes['hidden_size']}, layer {options.layer} on {options.device}. "
        f"Matrix products reach {rate / 1e12:,.1f} TFLOP/s in {options.dtype}, which allows {limit:,.0f} tokens a second. "
        f"{options.dtype} differs from float32 by {differ:.4f} at most."
    )
    print(table("BERTScore on a GPU", note, ("way", "tokens a second", "of the limit"), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
