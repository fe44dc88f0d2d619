"""Sessions with known effects, so that the preference study can be tested against the truth."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import exp

from gistmark.studies.tournament import Match, Session, Summary, seeded, sides

_VOCABULARY = (
    "trial cell model signal patient sample method drift protein network risk dose image climate reader system error "
    "growth water neural carbon memory policy virus"
)
_WORDS = _VOCABULARY.split()


@dataclass(frozen=True, slots=True)
class Effects:
    """What makes a summary win, on the log-odds scale of a match, and how often a reader accepts neither.

    base, other         the two models
    personalised        a personalised summary of the base model against a generic one of it
    model               a generic summary of the other model against a generic one of the base
    interaction         what personalisation adds in the other model beyond `personalised`
    neither             probability that a reader accepts neither of two summaries, whatever they are
    heterogeneity       standard deviation, over annotators, of the effect of personalisation
    """

    base: str = "model-a"
    other: str = "model-b"
    personalised: float = 0.6
    model: float = -0.8
    interaction: float = -0.5
    neither: float = 0.1
    heterogeneity: float = 0.0

    def strength(self, summary: Summary, own: float) -> float:
        """A summary's log-strength for an annotator whose personal effect of personalisation is `own`."""
        other = summary.model == self.other
        return self.model * other + summary.personalised * (self.personalised + own + self.interaction * other)


def simulate(annotators: int, queries: int, effects: Effects | None = None, seed: int = 0) -> list[Session]:
    """`annotators` × `queries` sessions of {base, other} × {personalised, generic}; the same seed gives the same ones.

    A match that is not neither is won by the left side with probability 1/(1 + exp(right − left)) of the strengths.
    Summaries are made of random words: personalised ones are longer, those of the other model shorter.
    """
    truth, draw = effects or Effects(), random.Random(seed)
    sessions = []
    for annotator in range(annotators):
        own = draw.gauss(0.0, truth.heterogeneity) if truth.heterogeneity else 0.0
        for query in range(queries):
            sessions.append(_session(f"annotator{annotator:05d}", f"query{query:02d}", truth, own, draw))
    return sessions


def _session(annotator: str, query: str, truth: Effects, own: float, draw: random.Random) -> Session:
    """One query's four summaries and its tournament."""
    topics = draw.sample(_WORDS, 6)
    made = [
        Summary(_text(topics, 8 + 6 * personalised - 3 * (model == truth.other), draw), model, personalised)
        for model in (truth.base, truth.other)
        for personalised in (False, True)
    ]
    seed = draw.getrandbits(32)
    summaries, swapped = seeded(made, seed)
    strengths = {label: truth.strength(summary, own) for label, summary in summaries.items()}
    first = [_match(slot, (slot[0], slot[1]), strengths, swapped, truth, draw) for slot in ("AB", "CD")]
    winners = [match.winner for match in first]
    matches = tuple(first)
    if winners[0] is not None and winners[1] is not None:
        matches += (_match("final", (winners[0], winners[1]), strengths, swapped, truth, draw),)
    contexts = tuple(_text(topics, 40, draw) for _ in range(3))
    return Session(
        annotator, query, f"reads about {topics[0]}", _text(topics, 5, draw), contexts, summaries, matches, seed
    )


def _match(
    slot: str,
    labels: tuple[str, str],
    strengths: dict[str, float],
    swapped: dict[str, bool],
    truth: Effects,
    draw: random.Random,
) -> Match:
    """One decision of a reader."""
    left, right = sides(slot, labels, swapped)
    probability = 1.0 / (1.0 + exp(strengths[right] - strengths[left]))
    chosen = "left" if draw.random() < probability else "right"
    choice = "neither" if draw.random() < truth.neither else chosen
    return Match(1 + (slot == "final"), slot, left, right, choice)


def _text(topics: list[str], words: int, draw: random.Random) -> str:
    """A sentence of random words, some of them of the topic."""
    body = " ".join(draw.choice(topics if draw.random() < 0.5 else _WORDS) for _ in range(words))
    return body.capitalize() + "."
