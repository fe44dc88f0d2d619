"""Bars on standard error while a job runs: pairs, and below them the tokens that models read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gistmark.files import Source
from gistmark_engine.metric import Metric


@contextmanager
def progress(source: Source, metrics: Sequence[Metric], *, quiet: bool) -> Iterator[Callable[[int], object]]:
    """What is to be told after every batch how many rows it had; shows nothing where standard error is no terminal.

    The bar of tokens is there if a metric counts them. It ends at those known to be needed so far, which grow as texts
    are tokenised.
    """
    from tqdm import tqdm  # the command line alone shows progress

    shown = sys.stderr.isatty() and not quiet
    options: dict[str, Any] = {"disable": not shown, "file": sys.stderr, "leave": False}
    watching = [watch for metric in metrics if (watch := getattr(metric.run, "watch", None))]
    with tqdm(total=source.rows() if shown else None, unit=" pairs", **options) as pairs:
        if not watching:
            yield pairs.update
            return
        with tqdm(total=0, unit=" tokens", unit_scale=True, position=1, **options) as tokens:
            for watch in watching:
                watch(lambda needed, done: count(tokens, needed, done))
            yield pairs.update


def count(bar: Any, needed: int, done: int) -> None:
    """Move a bar on, and its end."""
    bar.total += needed
    bar.update(done)
