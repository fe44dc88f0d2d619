"""Prometheus-style grading and pairwise verdicts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from judging import READER, constant, score, shown
from scipy.stats import binomtest

from gistmark import judges
from gistmark.judges.contract import Conversation
from gistmark.judges.pairwise import win_rates


def test_prometheus_direct() -> None:
    seen: list[str] = []

    def rule(conversation: Conversation) -> str:
        seen.append(conversation[-1]["content"])
        return "Feedback: good cover. [RESULT] 4"

    metric = judges.prometheus(judges.Fake(rule), cache=False)
    found = score(metric, summary=["a", ""], source=["s", "s"])
    assert found == {
        "prometheus_score": [4.0, None],
        "prometheus_feedback": ["good cover.", None],
        "prometheus_status": ["ok", "empty_summary"],
    }
    assert "Score 5: " in seen[0]
    assert shown([{"role": "user", "content": seen[0]}], "response") == "a"


@pytest.mark.parametrize(
    ("straight", "swapped", "choice", "position"),
    [
        ("A", "B", "A", False),
        ("B", "A", "B", False),
        ("A", "A", "Neither", True),
        ("B", "B", "Neither", True),
        ("A", "?", None, None),
    ],
)
@pytest.mark.parametrize("kind", ["prometheus", "annotator"])
def test_pairs_are_asked_in_both_orders(
    kind: str, straight: str, swapped: str, choice: str | None, position: bool | None
) -> None:
    def rule(conversation: Conversation) -> str:
        first = shown(conversation, "response_a") or shown(conversation, "summary_a")
        said = straight if first == "mine" else swapped
        return f"[RESULT] {said}" if kind == "prometheus" else json.dumps({"choice": said})

    columns: dict[str, list[Any]] = {"summary": ["mine", "x", None], "rival": ["theirs", "", "y"]}
    if kind == "prometheus":
        found = score(judges.prometheus(judges.Fake(rule), mode="relative", source=False, cache=False), **columns)
    else:
        metric = judges.annotator(judges.Fake(rule), mode="pair", cache=False)
        found = score(metric, **columns, persona=[READER] * 3, query=["q"] * 3)
    name = kind if kind == "prometheus" else "judge_annotator"
    assert found[f"{name}_choice"] == [choice, None, None]
    assert found[f"{name}_first"] == [straight, None, None]
    assert found[f"{name}_position"] == [position, None, None]
    assert found[f"{name}_status"] == ["failed" if choice is None else "ok", "empty_summary", None]


def test_neither_is_an_answer_of_the_annotator() -> None:
    metric = judges.annotator(constant('{"choice": "neither"}'), mode="pair", cache=False)
    found = score(metric, summary=["a"], rival=["b"], persona=[READER], query=["q"])
    assert (found["judge_annotator_choice"], found["judge_annotator_position"]) == (["Neither"], [False])


def test_p03_win_rates_and_sign_test() -> None:
    rates = win_rates(7, 3, 5)
    assert rates == pytest.approx((0.6333333333333333, 0.7, 0.34375), abs=1e-12)
    for a in range(8):
        for b in range(8):
            expected = binomtest(a, a + b).pvalue if a + b else None
            assert win_rates(a, b, 1).p == (pytest.approx(expected, abs=1e-12) if a + b else None)
    assert win_rates(0, 0, 0) == (None, None, None)
    assert win_rates(0, 0, 3) == (0.5, None, None)
