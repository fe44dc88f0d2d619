"""RA, SA and AR where a text is copied whole, empty, null, or the class lies on a cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engine import row, scores

from gistmark_engine.errors import OptionError
from gistmark_engine.metrics.abstraction import abstraction

CASES = {
    case["name"]: case for case in json.loads((Path(__file__).parent / "data" / "abstraction_cases.json").read_text())
}


def ratio(c_s: float, c_r: float, **options: Any) -> dict[str, Any]:
    """A row of eight tokens a text whose unigram overlaps are c_s and c_r."""

    def text(share: float, other: str) -> str:
        return " ".join(f"s{k}" if k < 8 * share else f"{other}{k}" for k in range(8))

    source = " ".join(f"s{k}" for k in range(8))
    return row(
        abstraction(risk_from="ar1", **options), summary=text(c_s, "x"), references=text(c_r, "y"), source=source
    )


@pytest.mark.parametrize("name", ["abs-eps", "abs-eps-both", "abs-eps-bias"])
def test_a_reference_copied_whole_leaves_epsilon(name: str) -> None:
    case = CASES[name]
    ours = ratio(case["c_s"], case["c_r"])
    assert ours["ar1"] == pytest.approx(case["expected"]["ar"], rel=1e-12)
    assert ours["ar_risk"] == case["expected"].get("risk", "balanced")
    assert ours["ar1_saturated"] is (case["c_r"] == 1.0)


def test_both_copied_whole_may_count_as_equal() -> None:
    ours = ratio(1.0, 1.0, both_extractive="one")
    assert (ours["ar1"], ours["ar_risk"], ours["ar1_saturated"]) == (1.0, "balanced", True)


@pytest.mark.parametrize("epsilon", [1e-8, 1e-12, 0.5])
def test_the_largest_ratio_is_the_declared_bound(epsilon: float) -> None:
    bound = abstraction(epsilon=epsilon).fields["ar1"].high
    assert bound == ratio(0.0, 1.0, epsilon=epsilon)["ar1"] == 1 / epsilon


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("abs-risk")])
def test_classes_at_their_cuts(name: str) -> None:
    """The cuts move to the row's own ratio, so that it lies exactly on, just below or just above one of them."""
    case = CASES[name]
    ar2, cuts = case["ar2"], (0.8, 1.2, 2.0)
    ours = ratio(0.5, 0.25)
    moved = tuple(ours["ar1"] + (cut - ar2) for cut in cuts)
    assert ratio(0.5, 0.25, risk_cuts=moved)["ar_risk"] == case["expected"]["risk"]


def test_class_three_of_the_paper_is_reached_by_cubes() -> None:
    ours = row(
        abstraction(risk_from="ar1", epsilon=1e-300),
        "tokens",
        summary=["s"] * 95 + ["x"] * 5,
        references=[["s"] * 98 + ["y"] * 2],
        source=["s"] * 100,
    )
    assert ours["ar1"] == pytest.approx(CASES["abs-cubic-ratio"]["expected"]["ratio"], rel=1e-12)


ALONE = {"s_tokens", "o_tokens", "hm_s"} | {
    f"{part}{kind}{end}" for part, end in (("c_s", ""), ("sa", ""), ("sa", "_per_word")) for kind in "12L"
}
"""What a summary and a source give without references."""

EDGES: list[tuple[Any, Any, Any, str | None, set[str]]] = [
    (None, ["a b"], "a b", None, set()),
    ("a b", ["a b"], None, None, set()),
    ("", ["a b"], "a b", "empty_summary", {"s_tokens", "o_tokens"}),
    ("a b", ["a b"], "", "empty_source", {"s_tokens", "o_tokens"}),
    ("a b", None, "a b", "ok", ALONE),
    ("a b", [None], "a b", "ok", ALONE),
    ("a b", ["", "…"], "a b", "empty_reference", ALONE),
]  # fmt: skip


@pytest.mark.parametrize(("summary", "references", "source", "status", "present"), EDGES)
def test_null_and_empty_texts(
    summary: Any, references: Any, source: Any, status: str | None, present: set[str]
) -> None:
    ours = scores(
        abstraction(),
        summary=pa.array([summary], pa.string()),
        references=pa.array([references], pa.list_(pa.string())),
        source=pa.array([source], pa.string()),
    )
    assert ours.pop("abstraction_status") == [status]
    assert {name for name, values in ours.items() if values[0] is not None} == present


def test_without_a_references_column_sa_remains() -> None:
    ours = row(abstraction(), summary="a b c", source="a b")
    assert (ours["c_s1"], ours["ra1"], ours["ar1"], ours["abstraction_status"]) == (2 / 3, None, None, "ok")


@pytest.mark.parametrize("references", [["x", "a b"], ["a b", "x"], ["x", "a b", "a b c"], ["a b", "a b c", "x"]])
def test_an_undefined_ratio_is_never_the_least_and_makes_no_mean(references: list[str]) -> None:
    """'x' has no bigram. The order of references must not decide what a median makes of it."""
    texts = {"summary": "a b c q", "source": "a b c d e", "references": references}
    least = row(abstraction(multi="min_ar"), **texts)
    assert least["ar2"] is not None
    assert least["c_r2"] == 1.0
    for multi in ("mean", "median"):
        ours = row(abstraction(multi=multi), **texts)  # type: ignore[arg-type]
        assert (ours["ar2"], ours["ra2"], ours["ar_risk"]) == (None, None, None)
        assert ours["ar1"] is not None


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "paper"}, {"overlap": "bag"}, {"bigram_norm": "n"}, {"exponent": 0}, {"epsilon": 0.0}, {"epsilon": -1},
        {"exponent": float("nan")}, {"lcs_source_cap": 0}, {"short_bigram": "one"}, {"both_extractive": "zero"},
        {"risk_from": "ar3"}, {"risk_cuts": (2.0, 1.0, 3.0)}, {"risk_cuts": (1.0, 2.0)}, {"multi": "max"},
        {"preset": "ra_sa_ar_paper", "lcs_source_cap": 500},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused_when_the_metric_is_made(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="abstraction: "):
        abstraction(**options)
