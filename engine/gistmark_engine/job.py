"""A job: metrics that hold a model, a parser or a file are opened before its first row and closed after its last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from gistmark_engine.metric import Metric


@contextmanager
def opened(metrics: Sequence[Metric]) -> Iterator[tuple[Metric, ...]]:
    """The metrics, ready for any number of batches.

    Every `run` that has `open()` and `close()` is opened once here and closed at the end, also after an error. The
    metrics given out have neither, so that what scores a batch of the job leaves them open.
    """
    runs: dict[int, Any] = {id(metric.run): metric.run for metric in metrics if hasattr(metric.run, "open")}
    with ExitStack() as stack:
        for run in runs.values():
            stack.callback(run.close)
            run.open()
        yield held(metrics) if runs else tuple(metrics)


def held(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics without their `open()` and `close()`, for who knows no end of the job: what runs opens itself."""
    return tuple(
        replace(metric, run=partial(metric.run)) if hasattr(metric.run, "open") else metric for metric in metrics
    )
