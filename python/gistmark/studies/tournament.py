"""The single-elimination tournament over a session's four summaries: seeding, rules, outcome.

A meets B and C meets D; if both matches have a winner the winners meet in the final. Any match may end in "neither",
and a first-round "neither" means that no final is held. So a session has two or three decisions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gistmark_engine.errors import InputError

SLOTS = ("AB", "CD", "final")
CHOICES = ("left", "right", "neither")
LABELS = ("A", "B", "C", "D")


@dataclass(frozen=True, slots=True)
class Summary:
    """One of a session's four summaries: its text, the model that wrote it, whether it saw the reader's persona."""

    text: str
    model: str
    personalised: bool


@dataclass(frozen=True, slots=True)
class Match:
    """One decision: which labels stood left and right, and which side the reader chose, or "neither"."""

    round: int
    slot: str
    left: str
    right: str
    choice: str

    @property
    def winner(self) -> str | None:
        """The label of the chosen summary, None for "neither"."""
        return {"left": self.left, "right": self.right}.get(self.choice)


@dataclass(frozen=True, slots=True)
class Session:
    """One query of one annotator, with the tournament over its four summaries."""

    annotator: str
    query_id: str
    persona: str
    query: str
    contexts: tuple[str, ...]
    summaries: Mapping[str, Summary]
    matches: tuple[Match, ...]
    seed: int | None = None

    @property
    def name(self) -> str:
        """What errors call it."""
        return f"{self.annotator}/{self.query_id}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tournament came to, by label: `tied` lists who is neither champion nor finalist, a share of last place.

    champion  the winner of the final, None without one
    finalist  the loser of a decided final, None without one
    """

    champion: str | None
    finalist: str | None
    tied: tuple[str, ...]
    decisions: int


def outcome(session: Session) -> Outcome:
    """The outcome of a checked session."""
    final = next((match for match in session.matches if match.slot == "final"), None)
    champion = final.winner if final else None
    finalist = next(label for label in (final.left, final.right) if label != champion) if final and champion else None
    tied = tuple(label for label in LABELS if label not in (champion, finalist))
    return Outcome(champion, finalist, tied, len(session.matches))


def seeded(summaries: Sequence[Summary], seed: int) -> tuple[dict[str, Summary], dict[str, bool]]:
    """Four summaries assigned to A … D, and for each slot whether its sides are swapped, at random from `seed`."""
    draw = random.Random(seed)
    order = draw.sample(list(summaries), 4)
    return dict(zip(LABELS, order, strict=True)), {slot: draw.random() < 0.5 for slot in SLOTS}


def sides(slot: str, labels: tuple[str, str], swapped: dict[str, bool]) -> tuple[str, str]:
    """Which of a match's two labels stands left and which right."""
    return labels[::-1] if swapped[slot] else labels


def check(session: Session, row: int | None = None) -> None:
    """Raise `InputError`, naming session and rule, unless the session is a legal tournament."""
    found = _broken(session)
    if found:
        rule, why = found
        raise InputError(f"session {session.name}, rule {rule}: {why}", column="matches", row=row)


def _broken(session: Session) -> tuple[str, str] | None:
    """The first rule that a session breaks, and how."""
    if set(session.summaries) != set(LABELS):
        return "four_summaries", f"the summaries are {', '.join(sorted(session.summaries))}, not A, B, C, D"
    for match in session.matches:
        if match.slot not in SLOTS or match.choice not in CHOICES or match.round != 1 + (match.slot == "final"):
            return (
                "known_values",
                f"round {match.round}, slot {match.slot!r}, choice {match.choice!r} do not go together",
            )
    by_slot: dict[str, list[Match]] = {slot: [m for m in session.matches if m.slot == slot] for slot in SLOTS}
    for slot in ("AB", "CD"):
        if len(by_slot[slot]) != 1:
            return "one_match_a_slot", f"slot {slot} holds {len(by_slot[slot])} matches, not 1"
        if {by_slot[slot][0].left, by_slot[slot][0].right} != set(slot):
            return "slot_members", f"slot {slot} pairs {by_slot[slot][0].left} with {by_slot[slot][0].right}"
    return _broken_final(by_slot["final"], [by_slot["AB"][0].winner, by_slot["CD"][0].winner])


def _broken_final(finals: list[Match], winners: list[str | None]) -> tuple[str, str] | None:
    """The first rule of the final that is broken."""
    if len(finals) > 1:
        return "one_final", f"there are {len(finals)} finals"
    if finals and None in winners:
        return "no_final_after_neither", "a final was held although a first-round match ended in neither"
    if not finals and None not in winners:
        return "final_after_two_winners", f"the winners {winners[0]} and {winners[1]} met in no final"
    if finals and {finals[0].left, finals[0].right} != set(winners):
        met = f"{finals[0].left} and {finals[0].right}"
        return "finalists_won", f"the final was held between {met}, but {winners[0]} and {winners[1]} won"
    return None
