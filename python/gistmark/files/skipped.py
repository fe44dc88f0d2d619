"""Lines that were left out: which, why, and how many for each reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

PARTICULARS = re.compile(r" \(found .*?\)|, character \d+| at byte \d+ of the line")


class Skipped(NamedTuple):
    """A line that was left out: file and number, and what is wrong with it."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


def tally(skipped: Sequence[Skipped]) -> str:
    """How many lines there are, and for each reason how many and where the first is, in one line of text."""
    reasons: dict[str, list[Skipped]] = {}
    for one in skipped:
        reasons.setdefault(PARTICULARS.sub("", one.problem), []).append(one)
    parts = [f"{len(those)} × {reason} (first: {those[0].where})" for reason, those in reasons.items()]
    return f"{len(skipped)} line{'s' * (len(skipped) > 1)}: {'; '.join(parts)}"
