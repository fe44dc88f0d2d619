"""Speeds side by side: all contestants run in each round, so that a noisy machine hurts all alike."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

LEAST = 0.05
"""Seconds that one measurement should last at least; a quicker contestant runs several times."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Contestant:
    """`run()` scores `rows` rows."""

    run: Callable[[], object]
    rows: int


def clock_of(threads: int) -> Clock:
    """CPU time where one thread works, which other processes do not disturb; time on the wall where several do."""
    return time.process_time if threads == 1 else time.perf_counter


def race(contestants: Mapping[str, Contestant], rounds: int, clock: Clock) -> dict[str, list[float]]:
    """Seconds a row of every contestant, one number a round. Each is run once before, unmeasured.

    What is in memory before is left out of garbage collection: it would cost those who make many objects the more.
    """
    gc.collect()
    gc.freeze()
    try:
        return _race(contestants, rounds, clock)
    finally:
        gc.unfreeze()


def _race(contestants: Mapping[str, Contestant], rounds: int, clock: Clock) -> dict[str, list[float]]:
    repeats = {name: _repeats(contestant, clock) for name, contestant in contestants.items()}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            spent = _measure(contestant, repeats[name], clock)
            times[name].append(spent / (repeats[name] * contestant.rows))
    return times


def ratio(slow: list[float], quick: list[float]) -> float:
    """How many times the time of `quick` `slow` took: the median over the rounds."""
    return median(a / b for a, b in zip(slow, quick, strict=True))


def _repeats(contestant: Contestant, clock: Clock) -> int:
    contestant.run()
    return max(1, math.ceil(LEAST / max(_measure(contestant, 1, clock), 1e-6)))


def _measure(contestant: Contestant, repeats: int, clock: Clock) -> float:
    start = clock()
    for _ in range(repeats):
        contestant.run()
    return max(clock() - start, 1e-9)
