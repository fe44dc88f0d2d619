"""A peer is a record: a library or a plainly written algorithm, and the metric of ours that equals it."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gistmark_engine.errors import MissingExtra
from gistmark_engine.metric import Metric

Texts = Mapping[str, Sequence[Any]]
"""Role → one text a row; for the references, one list of texts a row."""

Call = Callable[[Texts], Any]
Values = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Peer:
    """Something that computes what a metric of ours computes.

    name          how it is called on the command line and in tables
    metric        the metric, with the options that make it equal
    roles         the roles of that metric that it reads
    start         imports and sets up the peer; returns the call that is timed, from texts to whatever the peer returns
    values        that return value as one number a row by field of the metric, None for null (not timed)
    distribution  the package it comes in; empty for an algorithm written out in this package
    threads       whether it can use more than one core
    tolerance     relative difference up to which values count as equal; 0 asks for the same bits
    """

    name: str
    metric: Metric
    roles: tuple[str, ...]
    start: Callable[[], Call]
    values: Callable[[Any], Values]
    distribution: str = ""
    threads: bool = False
    tolerance: float = 0.0

    @property
    def version(self) -> str:
        """The installed version; empty for an algorithm written out here."""
        return importlib.metadata.version(self.distribution) if self.distribution else ""


def load(module: str, distribution: str) -> Any:
    """The module of a peer; MissingExtra where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(f"comparing with {distribution}", "bench") from error
