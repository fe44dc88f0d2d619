"""The Entity Hallucination Index, experimental: its authors' code has it in several forms, of which these are the latest."""

from __future__ import annotations

from collections.abc import Set
from math import exp

FIELDS = ("ehi_ef", "ehi_ph", "ehi_of", "ehi_nh", "ehi_lf", "ehi_softmax", "ehi_sigmoid")


def index(source: Set[str], reference: Set[str], summary: Set[str]) -> tuple[float, ...]:
    """Both forms and their components, as `FIELDS`, from the entities of source (I), references (R) and summary (G).

    EF = 3|I∩R∩G| / (|I| + |R| + |G|), PH = 2|R∩G| / (|R| + |G|), OF = (2|I∩G| - |I∩R∩G|) / (|I| + |G|),
    NH = |G - R - I| / |G|, LF = |(I∩R) - G| / |G|; 0 where nothing is below the line. softmax = (e^PH + e^EF) / sum of
    all five e^x, sigmoid = 1 / (1 + e^-(PH + EF - NH - OF - LF)).
    """
    shared = len(source & reference & summary)
    ef = _over(3 * shared, len(source) + len(reference) + len(summary))
    ph = _over(2 * len(reference & summary), len(reference) + len(summary))
    of = _over(2 * len(source & summary) - shared, len(source) + len(summary))
    nh = _over(len(summary - reference - source), len(summary))
    lf = _over(len((source & reference) - summary), len(summary))
    return (ef, ph, of, nh, lf, _softmax((ph, ef), (nh, of, lf)), _sigmoid(ph + ef - nh - of - lf))


def _over(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _softmax(good: tuple[float, ...], bad: tuple[float, ...]) -> float:
    """Shifted by the largest, so that many lost entities do not overflow."""
    top = max(good + bad)
    wanted = sum(exp(x - top) for x in good)
    return wanted / (wanted + sum(exp(x - top) for x in bad))


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
