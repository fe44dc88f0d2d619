"""A peer against the engine on the same pairs: equal values first, then speed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import polars as pl
import pyarrow as pa

from gistmark.bench.pairs import Pairs, pairs_of
from gistmark.bench.peer import Call, Peer, Values
from gistmark.bench.race import Contestant, clock_of, race, ratio
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_columns


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not the same on both sides."""

    peer: str
    row: int
    field: str
    gistmark: float | None
    other: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """A peer on some pairs: what differs, the pairs a second of both sides (medians), how many times as fast we are."""

    peer: Peer
    rows: int
    fields: int
    differences: Sequence[Difference]
    gistmark: float
    other: float
    ratio: float


def compare(frame: pl.DataFrame, peers: Sequence[Peer], *, rounds: int = 5, threads: int = 1) -> list[Result]:
    """Each of `peers` against the engine on the rows of `frame` that have all the texts it reads.

    frame    columns called as their roles: summary, references, source
    rounds   how often each side is measured, in turns
    threads  of both sides, of a peer that can use several; with one thread, CPU time is compared, else time on the wall.
             RAYON_NUM_THREADS is set accordingly, which takes effect before a Rust peer first runs in the process.

    Raises MissingExtra for a peer that is not installed, before anything runs, and InputError where no row has the texts.
    """
    if rounds < 1 or threads < 1:
        raise OptionError(f"rounds and threads are at least 1, not {rounds} and {threads}")
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    calls = [peer.start() for peer in peers]
    return [
        _compare(peer, call, pairs_of(frame, peer.roles), rounds, threads)
        for peer, call in zip(peers, calls, strict=True)
    ]


def engine_values(metrics: Sequence[Metric], pairs: Pairs, threads: int) -> dict[str, pa.Array]:
    """The engine's fields, as Arrow, on some pairs."""
    return score_columns(pairs.columns, metrics, threads=threads)


def differences(peer: Peer, rows: Sequence[int], ours: Mapping[str, Sequence[Any]], theirs: Values) -> list[Difference]:
    """Every value that is not equal within the peer's tolerance, in order of rows; `rows` names them."""
    found = (
        Difference(peer.name, rows[at], field, ours[field][at], other)
        for field, others in theirs.items()
        for at, other in enumerate(others)
        if not _same(ours[field][at], other, peer.tolerance)
    )
    return sorted(found, key=lambda difference: difference.row)


def _same(ours: float | None, other: float | None, tolerance: float) -> bool:
    if ours is None or other is None:
        return ours is other
    return math.isclose(ours, other, rel_tol=tolerance)


def rows_of(found: Sequence[Difference]) -> Iterator[int]:
    """The rows that differ, each once."""
    yield from dict.fromkeys(difference.row for difference in found)


def _compare(peer: Peer, call: Call, pairs: Pairs, rounds: int, threads: int) -> Result:
    if not pairs.rows:
        raise InputError(f"no row has all the texts that {peer.name} reads: {', '.join(peer.roles)}")
    ours = {name: values.to_pylist() for name, values in engine_values([peer.metric], pairs, threads).items()}
    theirs = peer.values(call(pairs.texts))
    sides = {
        "gistmark": Contestant(partial(engine_values, [peer.metric], pairs, threads), len(pairs.rows)),
        "other": Contestant(partial(call, pairs.texts), len(pairs.rows)),
    }
    times = race(sides, rounds, clock_of(threads))
    return Result(
        peer,
        len(pairs.rows),
        len(theirs),
        differences(peer, pairs.rows, ours, theirs),
        1 / median(times["gistmark"]),
        1 / median(times["other"]),
        ratio(times["other"], times["gistmark"]),
    )
