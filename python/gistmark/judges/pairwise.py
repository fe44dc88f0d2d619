"""Which of two texts is better, asked in both orders, because judges favour a position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.question import Answer, Question
from gistmark_engine.metric import Field, Values

LEVELS = ("A", "B", "Neither")
_CHOICES = ("choice", "first", "second")
_SWAPPED = {"A": "B", "B": "A", "Neither": "Neither"}


@dataclass(frozen=True)
class Verdict:
    """What came of a pair, A the first text and B the second whatever the order of asking.

    choice    the choice of both orders where they agree, "Neither" where not, None where one could not be read
    first     the choice with A in front; `second` with B in front
    position  whether the position decided: each order chose whichever text stood in the same place
    """

    choice: str | None
    first: str | None
    second: str | None
    position: bool | None
    answers: tuple[Answer, Answer]


def both_orders(asker: Asker, pairs: Sequence[tuple[Question, Question]], field: str) -> list[Verdict]:
    """Ask each pair of questions, of which the second shows the two texts swapped; `field` holds the choice."""
    answers = asker.ask([question for pair in pairs for question in pair])
    return [_verdict((answers[at], answers[at + 1]), field) for at in range(0, len(answers), 2)]


def _verdict(answers: tuple[Answer, Answer], field: str) -> Verdict:
    first, told = (answer.values.get(field) for answer in answers)
    if not isinstance(first, str) or not isinstance(told, str):
        return Verdict(None, first if isinstance(first, str) else None, _unswapped(told), None, answers)
    second = _SWAPPED[told]
    choice = first if first == second else "Neither"
    return Verdict(choice, first, second, first == told and first != "Neither", answers)


def _unswapped(told: object) -> str | None:
    return _SWAPPED[told] if isinstance(told, str) else None


def verdict_fields(name: str) -> dict[str, Field]:
    """The columns of a pairwise metric, all but its status."""
    choice, position = Field("enum", summary=("counts",), levels=LEVELS), Field("bool", summary=("counts",))
    return {**{f"{name}_{part}": choice for part in _CHOICES}, f"{name}_position": position}


def verdict_columns(name: str, verdicts: Mapping[int, Verdict], status: list[str | None]) -> dict[str, Values]:
    """The columns of a pairwise metric from the verdicts of the rows that were asked about, and the status of all."""
    every = range(len(status))
    for row, verdict in verdicts.items():
        status[row] = rows.worst(verdict.answers)
    made = {
        f"{name}_{part}": rows.levels([getattr(verdicts.get(row), part, None) for row in every], LEVELS)
        for part in _CHOICES
    }
    position = [verdicts[row].position if row in verdicts else None for row in every]
    return {**made, f"{name}_position": rows.numbers(position), f"{name}_status": rows.statuses(status)}


class WinRates(NamedTuple):
    """Win rates of A with a tie as half a win, and without ties (None without any), and a two-sided sign test's p."""

    half_ties: float | None
    no_ties: float | None
    p: float | None


def win_rates(wins_a: int, wins_b: int, ties: int) -> WinRates:
    """How often A won, and the exact binomial probability of a result as far from even among the decided pairs."""
    decided, every = wins_a + wins_b, wins_a + wins_b + ties
    if not every:
        return WinRates(None, None, None)
    half = (wins_a + ties / 2) / every
    if not decided:
        return WinRates(half, None, None)
    tail = sum(math.comb(decided, count) for count in range(min(wins_a, wins_b) + 1)) / 2**decided
    return WinRates(half, wins_a / decided, min(1.0, 2 * tail))
