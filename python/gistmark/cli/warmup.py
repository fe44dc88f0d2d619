"""`gistmark warmup`: compile every kernel once, so that the first real job does not."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import polars as pl

from gistmark import evaluate, metrics, statistics
from gistmark.comparison import compare
from gistmark.marks import sentences, tokens
from gistmark.score import score
from gistmark.summary import summarise
from gistmark_engine.ranges import FEW

PAIR: dict[str, list[Any]] = {
    "summary": ["A cat sat. It slept."],
    "references": [["A cat sat.", "It slept."]],
    "source": ["A cat sat on a mat."],
}
WORDS = {role: [["a", "cat"]] for role in PAIR}
TREE = {"summary": ["(S (NP (PRP It)) (VP (VBZ works)))"]}
SERIES = {"x": [[1.0, 2.0, 4.0]], "y": [[1.0, 3.0, 2.0]]}
RATINGS = {"first": ["a", "b", "a"], "second": ["a", "b", "b"]}


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser("warmup", help="compile every kernel now and keep it on disk")
    parser.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    from gistmark_engine.jit import cache_directory, cache_writable  # numba loads here, not with every command

    if sys.stderr.isatty():
        print("compiling, for some minutes where nothing is kept yet", file=sys.stderr)
    start = time.perf_counter()
    compile_kernels()
    kept = f"kept in {cache_directory()}" if cache_writable() else "not kept"
    print(f"kernels compiled in {time.perf_counter() - start:.1f} s, {kept}")
    return 0


def compile_kernels() -> None:
    """Run everything that has a kernel on next to nothing."""
    rouge = metrics.rouge(types=("1", "2", "L", "Lsum"), stem=True)
    corpus = [metrics.bleu(), metrics.chrf(), metrics.chrfpp(), metrics.ter()]
    program = metrics.rouge(types=("W", "SU4"), parity="rouge155", stem=True, prefix="program_")
    meteor = [metrics.meteor(), metrics.meteor15()]
    summarise(score(PAIR, [rouge, program, metrics.datastats(), metrics.abstraction(), *meteor, *corpus]), corpus)
    for mark in (tokens, sentences):
        score(WORDS, [metrics.rouge()], columns={role: mark(role) for role in WORDS})
    score({role: values * (FEW + 1) for role, values in PAIR.items()}, [rouge])  # so many rows are measured first
    score({role: [[1, 2]] for role in WORDS}, [metrics.rouge()], columns={role: tokens(role) for role in WORDS})
    evaluate.load("sacrebleu").compute(predictions=["A cat sat."], references=[["A cat slept."]])
    _count_syntax()
    _correlate()
    _resample()


def _count_syntax() -> None:
    """Both countings of syntactic complexity, the one over dependencies without a parser."""
    import numpy as np

    from gistmark.syntax.parses import Parses

    score(TREE, [metrics.syntax(backend="const")])
    words, tags, labels = (np.array(values) for values in (["It", "works"], ["PRP", "VBZ"], ["nsubj", "ROOT"]))
    Parses(words, tags, labels, np.array([1, 1]), np.array([0, 2]), np.array([0, 1])).counts()


def _correlate() -> None:
    """Rank and agreement statistics, with a bootstrap."""
    of_two = (statistics.spearman, statistics.pearson, statistics.kendall)
    pl.DataFrame(SERIES).select(
        *(correlation("x", "y") for correlation in of_two),
        statistics.monotonicity("x", "increase"),
        statistics.mean_interval("x", replicates=2),
    )
    of_coders = (statistics.krippendorff, statistics.cohen, statistics.fleiss)
    pl.DataFrame(RATINGS).select(agreement("first", "second", replicates=2) for agreement in of_coders)


def _resample() -> None:
    """Both resamplings, of sums and of quantiles, of two systems."""
    twice = pl.concat([pl.DataFrame(PAIR).with_columns(system=pl.lit(system)) for system in "ab"])
    of_both = [metrics.rouge(), metrics.abstraction()]
    scored = score(twice, of_both)
    for method in ("bootstrap", "randomisation"):
        compare(scored, of_both, method=method, replicates=2)
