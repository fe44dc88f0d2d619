"""Persona Precision and Recall, the readers they are for, and what judges of one text share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from judging import READER, Rule, by_rule, constant, score, shown

import gistmark as gm
from gistmark import judges
from gistmark.judges.contract import Conversation
from gistmark.judges.persona import weighted_mean
from gistmark_engine.errors import InputError


def test_persona_golden() -> None:
    """Hand-checked: 2.5/4; (1+0.5+0)/3; (1+0.5+0)/(1+1+2)."""
    assert weighted_mean(dict(enumerate([1, 1, 0, 0.5]))) == 0.625
    coverage = {1: 1, 2: 0.5, 3: 0}
    assert weighted_mean(coverage) == 0.5
    assert weighted_mean(coverage, {1: 1, 2: 1, 3: 2}) == 0.375
    assert weighted_mean({}) is None


def persona_reply(relevance: list[float], coverage: list[float], weights: list[int]) -> Rule:
    def rule(conversation: Conversation) -> str:
        asked = conversation[-1]["content"]
        if '"facts"' in asked:
            return json.dumps({"facts": [{"id": n, "text": f"fact {n}"} for n in range(len(relevance))]})
        if '"requirements"' in asked:
            rows = [{"id": n, "text": f"need {n}", "weight": weight} for n, weight in enumerate(weights)]
            return json.dumps({"requirements": rows})
        name, values = ("relevance", relevance) if '"relevance"' in asked else ("coverage", coverage)
        return json.dumps({"labels": [{"id": n, name: value} for n, value in enumerate(values, 1)]})

    return rule


@pytest.mark.parametrize(
    ("weighted", "relevance", "coverage", "weights", "expected", "status"),
    [
        (False, [1, 1, 0, 0.5], [1, 0.5, 0], [1, 1, 2], (0.625, 0.5, 2 * 0.625 * 0.5 / 1.125), "ok"),
        (True, [1, 1, 0, 0.5], [1, 0.5, 0], [1, 1, 2], (0.625, 0.375, 2 * 0.625 * 0.375 / 1.0), "ok"),
        (False, [], [0, 0], [1, 1], (None, 0.0, None), "undefined"),
        (False, [1, 0], [], [], (0.5, None, None), "undefined"),
        (False, [0], [0], [3], (0.0, 0.0, 0.0), "ok"),
    ],
)
def test_persona_scores(
    weighted: bool,
    relevance: list[float],
    coverage: list[float],
    weights: list[int],
    expected: tuple[Any, ...],
    status: str,
) -> None:
    metric = judges.persona(judges.Fake(persona_reply(relevance, coverage, weights)), weighted=weighted, cache=False)
    found = score(metric, summary=["x"], source=["y"], persona=[READER], query=["q"])
    values = tuple(found[f"persona_{name}"][0] for name in ("precision", "recall", "f1"))
    assert values == tuple(value if value is None else pytest.approx(value, abs=1e-15) for value in expected)
    assert found["persona_status"] == [status]


def test_personas_as_struct_or_json_are_the_same() -> None:
    profile = {"expertise": "nurse", "research_area": "oncology", "use_case": "doses"}
    prompts: list[str] = []

    def rule(conversation: Conversation) -> str:
        prompts.append(shown(conversation, "persona"))
        return by_rule(conversation)

    for personas in ([READER], [json.dumps(READER)], [profile]):
        score(judges.annotator(judges.Fake(rule), cache=False, retries=0), summary=["x"], persona=personas, query=["q"])
    assert prompts[0] == prompts[1] == "Role: nurse\nDomain: oncology\nInformation needs:\n- doses\n- side effects"
    assert prompts[2] == "Role: nurse\nDomain: oncology\nInformation needs:\n- doses"


def test_a_frame_with_structs_goes_through_the_face() -> None:
    frame = pl.DataFrame({"summary": ["a", "b"], "persona": [READER, None], "query": ["q", "q"]})
    backend = constant('{"satisfaction": 2}')
    scored = gm.score(frame, metrics=[judges.annotator(backend, cache=False)])
    assert scored["judge_annotator"].to_list() == [2.0, None]
    assert backend.calls == 1
    summary = gm.summarise(scored, [judges.annotator(backend, cache=False)])
    assert summary.filter(pl.col("field") == "judge_annotator")["n_null"].to_list() == [1]


def test_a_query_may_come_with_the_persona() -> None:
    queries: list[str] = []

    def rule(conversation: Conversation) -> str:
        queries.append(shown(conversation, "query"))
        return '{"satisfaction": 3}'

    found = score(
        judges.annotator(judges.Fake(rule), cache=False),
        summary=["a", "b", "c", None, "e"],
        persona=[{**READER, "query": "from persona"}, {**READER, "query": None}, None, READER, {"query": "q"}],
    )
    assert queries == ["from persona"]
    assert found["judge_annotator"] == [3.0, None, None, None, None]
    assert found["judge_annotator_status"] == ["ok", "undefined", None, None, "undefined"]


@pytest.mark.parametrize("persona", ["{not json", "[1]", '"text"', '{"role": 5}', '{"information_needs": [3]}'])
def test_a_wrong_persona_is_named(persona: str) -> None:
    metric = judges.annotator(judges.Fake(), cache=False)
    with pytest.raises(InputError, match=r"metric 'annotator', column 'persona', row 1: .*found"):
        score(metric, summary=["a", "b"], persona=[json.dumps(READER), persona], query=["q", "q"])


def test_claims_and_requirements_are_asked_for_once(tmp_path: Path) -> None:
    backend, cache = judges.Fake(by_rule), tmp_path / "c.sqlite"
    systems = {"summary": ["Doses matter. The sky is blue.", "Doses rise."], "source": ["Doses matter"] * 2}
    score(judges.factscore(backend, cache=cache), **systems)
    assert backend.calls == 4
    metric = judges.persona(backend, cache=cache)
    found = score(metric, **systems, persona=[READER] * 2, query=["q"] * 2)
    assert backend.calls == 4 + 1 + 2 + 2
    assert found["persona_requirements"] == [["doses", "side effects"]] * 2
    assert found["persona_precision"] == [0.5, 1.0]
    assert found["persona_recall"] == [0.25, 0.25]
    assert metric.run.asker.counts["cached"] == 2  # type: ignore[attr-defined]
