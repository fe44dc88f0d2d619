"""One line of the table of ratios: some metrics in one pass against the peers that compute them, on one corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import polars as pl

from gistmark.bench.compare import Difference, differences, engine_values
from gistmark.bench.pairs import pairs_of
from gistmark.bench.peer import Peer
from gistmark.bench.race import Contestant, clock_of, race, ratio


@dataclass(frozen=True, slots=True)
class Contest:
    """`peers`, one after the other, against their metrics in one pass.

    work   what is computed, on which texts
    frame  the pairs
    few    how many of them a slow peer scores; None: all. Times are compared a row
    floor  the ratio to reach, None where none was set
    """

    work: str
    peers: Sequence[Peer]
    frame: pl.DataFrame
    few: int | None = None
    floor: float | None = None

    @property
    def against(self) -> str:
        """The peers' names."""
        return " + ".join(peer.name for peer in self.peers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds a row of both sides (medians over the rounds), the median ratio, and the values that differ."""

    contest: Contest
    gistmark: float
    other: float
    ratio: float
    differences: Sequence[Difference]


def run(contest: Contest, rounds: int, threads: int) -> Outcome:
    """Check that both sides give equal values, then time them in turns."""
    roles = list(dict.fromkeys(role for peer in contest.peers for role in peer.roles))
    metrics = [peer.metric for peer in contest.peers]
    every = pairs_of(contest.frame, roles)
    some = every if contest.few is None else pairs_of(contest.frame.head(contest.few), roles)
    calls = [peer.start() for peer in contest.peers]
    ours = {name: values.to_pylist() for name, values in engine_values(metrics, some, threads).items()}
    found: list[Difference] = []
    for peer, call in zip(contest.peers, calls, strict=True):
        found += differences(peer, some.rows, ours, peer.values(call(some.texts)))
    sides = {
        "gistmark": Contestant(lambda: engine_values(metrics, every, threads), len(every.rows)),
        "other": Contestant(lambda: [call(some.texts) for call in calls], len(some.rows)),
    }
    spent = race(sides, rounds, clock_of(threads))
    return Outcome(
        contest,
        median(spent["gistmark"]),
        median(spent["other"]),
        ratio(spent["other"], spent["gistmark"]),
        found,
    )
