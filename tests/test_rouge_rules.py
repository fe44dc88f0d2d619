"""ROUGE with several references, empty and null texts, parity and scale: against plain twins over `rouge_score`'s numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engine import row, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from gistmark_engine.errors import OptionError
from gistmark_engine.metrics.rouge import rouge

TYPES = ("1", "2", "L", "Lsum")
SCORER = RougeScorer([f"rouge{kind}" for kind in TYPES])
PARTS = ("p", "r", "f1")
GOLDEN_F = {"max": 0.5, "mean": 0.3666666666666667, "jackknife": 0.4666666666666666}

texts = st.lists(st.sampled_from(["a ", "b ", "c ", "d ", "\n", "e. "]), max_size=14).map("".join)

Table = list[dict[str, tuple[float, float, float]]]


def table(summary: str, references: Sequence[str]) -> Table:
    """(p, r, F) by type, for each reference in turn."""
    return [
        {kind: tuple(map(float, SCORER.score(text, summary)[f"rouge{kind}"])) for kind in TYPES} for text in references
    ]


def combine(scored: Table, rule: str) -> dict[str, Any]:
    """A twin of the rules, from their definitions."""
    out: dict[str, Any] = {}
    for kind in TYPES:
        by_reference = [numbers[kind] for numbers in scored]
        f1 = [numbers[2] for numbers in by_reference]
        if rule == "mean":
            chosen: Sequence[Any] = [sum(column) / len(column) for column in zip(*by_reference, strict=True)]
        elif rule == "jackknife":
            rest = [max(f1[:k] + f1[k + 1 :]) for k in range(len(f1))] if len(f1) > 1 else f1
            chosen = [None, None, sum(rest) / len(rest)]
        else:
            leading = [numbers["1"][2] for numbers in scored] if rule == "argmax_rouge1" else f1
            chosen = by_reference[0 if rule == "first" else leading.index(max(leading))]
        out |= {f"rouge{kind}_{part}": value for part, value in zip(PARTS, chosen, strict=True)}
    return out


@pytest.mark.parametrize("rule", ["max", "mean", "first", "argmax_rouge1"])
@pytest.mark.parametrize("types", [("2", "L", "1"), ("L",), ("Lsum", "2")])
def test_the_rules_for_long_texts(types: tuple[str, ...], rule: str) -> None:
    """Beyond 512 tokens, where grams are counted by tables, and for types in any order, with ROUGE-1 among them or not."""
    words = [[f"w{(k * step) % 97}" for k in range(size)] for size, step in ((700, 3), (513, 5), (90, 7))]
    summary, references = " ".join(words[0][:600]), [" ".join(text) for text in words]
    ours = scores(rouge(types, multi=rule, parity="reference"), summary=[summary], references=[references])  # type: ignore[arg-type]
    wanted = combine(table(summary, references), rule)
    assert {name: values[0] for name, values in ours.items() if name in wanted} == {
        name: value for name, value in wanted.items() if name[5:].split("_")[0] in types
    }


@pytest.mark.parametrize("rule", ["max", "mean", "jackknife", "first", "argmax_rouge1"])
@given(rows=st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=5)), min_size=1, max_size=5))
@settings(max_examples=120, deadline=None)
def test_the_rules_for_several_references(rows: list[tuple[str, list[str]]], rule: str) -> None:
    metric = rouge(TYPES, multi=rule, parity="reference")  # type: ignore[arg-type]
    ours = scores(metric, summary=[summary for summary, _ in rows], references=[refs for _, refs in rows])
    for k, (summary, references) in enumerate(rows):
        wanted = combine(table(summary, references), rule)
        assert {name: ours[name][k] for name in wanted} == wanted


@given(rows=st.lists(st.tuples(texts, st.lists(st.none() | texts, max_size=5)), min_size=1, max_size=5))
@settings(max_examples=120, deadline=None)
def test_null_and_empty_references_are_left_out(rows: list[tuple[str, list[str | None]]]) -> None:
    ours = scores(
        rouge(TYPES),
        summary=[summary for summary, _ in rows],
        references=pa.array([refs for _, refs in rows], pa.list_(pa.string())),
    )
    for k, (summary, references) in enumerate(rows):
        full = [text for text in references if text is not None and text.split()]
        if full:
            wanted: dict[str, Any] = combine(table(summary, full), "max")
            wanted["rouge_status"] = "ok" if summary.split() else "empty_summary"
        else:
            wanted = {f"rouge{kind}_{part}": None for kind in TYPES for part in PARTS}
            null = bool(references) and all(text is None for text in references)
            wanted["rouge_status"] = None if null else "empty_reference"
        assert {name: values[k] for name, values in ours.items()} == wanted


def test_the_jackknife_of_a_hand_worked_case() -> None:
    """F1 of 0.2, 0.5 and 0.4: leaving each out in turn, the best of the others is 0.5, 0.4, 0.5."""
    summary = " ".join(f"w{k}" for k in range(10))
    references = [" ".join([f"w{k}" for k in range(same)] + ["x"] * (10 - same)) for same in (2, 5, 4)]
    for rule, wanted in GOLDEN_F.items():
        scored = row(rouge(("1",), multi=rule), summary=summary, references=references)  # type: ignore[arg-type]
        assert scored["rouge1_f1"] == pytest.approx(wanted, abs=1e-15)


def test_the_best_reference_does_not_depend_on_the_order_of_references() -> None:
    cases = json.loads((Path(__file__).parent / "data" / "rouge_cases.json").read_text())
    case = next(case for case in cases if case["name"] == "R14")
    for k in range(3):
        references = case["references"][k:] + case["references"][:k]
        scored = row(rouge(TYPES), summary=case["summary"], references=references)
        assert all(scored[f"rouge{kind}_{part}"] == 1.0 for kind in TYPES for part in PARTS)


def test_the_first_of_equal_references_wins() -> None:
    scored = row(rouge(("1",)), summary="a b c d", references=["a b", "a b c d e f g h"])
    assert (scored["rouge1_p"], scored["rouge1_r"]) == (0.5, 1.0)


EDGES = [
    (None, ["a"], None, None),
    ("a", None, None, None),
    ("a", [None], None, None),
    ("a", [None, None], None, None),
    ("a", [], None, "empty_reference"),
    ("a", [""], None, "empty_reference"),
    ("a", ["", "…"], None, "empty_reference"),
    ("a", ["", None, "a"], 1.0, "ok"),
    ("", ["a"], 0.0, "empty_summary"),
    ("?!", ["a"], 0.0, "empty_summary"),
    ("", [""], None, "empty_reference"),
    (None, [None], None, None),
]


@pytest.mark.parametrize(("summary", "references", "value", "status"), EDGES)
def test_null_and_empty_texts(summary: str | None, references: Any, value: float | None, status: str | None) -> None:
    roles = {
        "summary": pa.array([summary], pa.string()),
        "references": pa.array([references], pa.list_(pa.string())),
    }
    for rule in ("max", "mean", "first", "argmax_rouge1"):
        ours = scores(rouge(TYPES, multi=rule), **roles)  # type: ignore[arg-type]
        assert ours.pop("rouge_status") == [status]
        expected = {"2": 0.0 if value is not None else None}
        for kind in TYPES:
            assert [ours[f"rouge{kind}_{part}"] for part in PARTS] == [[expected.get(kind, value)]] * 3


def test_parity_counts_an_empty_reference_as_zero() -> None:
    scored = scores(rouge(TYPES, parity="reference"), summary=["a", "", ""], references=["", "", "a"])
    assert scored.pop("rouge_status") == ["ok", "empty_summary", "empty_summary"]
    assert all(values == [0.0] * 3 for values in scored.values())
    mean = row(rouge(("1",), parity="reference", multi="mean"), summary="a", references=["a", ""])
    assert mean["rouge1_f1"] == 0.5


@given(summary=texts, references=st.lists(texts, min_size=1, max_size=3), scale=st.sampled_from([100.0, 1.0, 0.5, 3.0]))
@settings(max_examples=40, deadline=None)
def test_scale_multiplies_every_number(summary: str, references: list[str], scale: float) -> None:
    plain = row(rouge(TYPES), summary=summary, references=references)
    scaled = row(rouge(TYPES, scale=scale), summary=summary, references=references)
    assert scaled.pop("rouge_status") == plain.pop("rouge_status")
    assert scaled == {name: None if value is None else value * scale for name, value in plain.items()}


@pytest.mark.parametrize(
    "options",
    [
        {"types": ()}, {"types": ("0",)}, {"types": ("10",)}, {"types": ("1", "1")}, {"types": ("l",)},
        {"multi": "best"}, {"parity": "yes"}, {"stem": True, "tokenizer": "word_lower"},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused_when_the_metric_is_made(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="rouge: "):
        rouge(**options)
