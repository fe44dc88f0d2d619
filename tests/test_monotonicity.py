"""Monotonicity against hand-counted series and a plain-Python twin."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.statistics import monotonicity as expression
from gistmark.statistics import spearman
from gistmark_engine.errors import OptionError
from gistmark_engine.ranks import monotonicity

# scores, direction, strict share, strict share against the first score, Spearman against the level
HAND_COUNTED = [
    ([5, 4, 4, 3, 2], "decrease", 0.75, None, -0.9746794344808964),
    ([3, 3, 3, 4, 4], "increase", 0.25, None, 0.8660254037844386),
    ([100.0, 104.0, 100.0, 94.0, 90.0], "stable", 0.75, 0.5, -0.8207826816681233),
    ([100.0, 104.0, 108.0, 112.0, 116.0], "stable", 1.0, 0.25, 1.0),
    ([100.0, 105.0], "stable", 0.0, 0.0, 1.0),
    ([0.0, 0.0, 0.1], "stable", 0.5, 0.5, 0.8660254037844387),
    ([2.0, 2.0, 2.0], "increase", 0.0, None, None),
]


def one(scores, direction, **options):
    return {
        name: column[0].as_py()
        for name, column in monotonicity(pa.array([scores], pa.list_(pa.float64())), direction, **options).items()
    }


@pytest.mark.parametrize(("scores", "direction", "share", "against_first", "rho"), HAND_COUNTED)
def test_hand_counted(scores, direction, share, against_first, rho):
    assert one(scores, direction)["monotonicity"] == share
    if against_first is not None:
        assert one(scores, direction, mode="cumulative")["monotonicity"] == against_first
    found = pl.DataFrame({"s": [scores]}).select(spearman("s").struct[0])["spearman"][0]
    assert found == (None if rho is None else pytest.approx(rho, rel=1e-12))


def test_weak_and_strict_shares():
    found = one([0.91, 0.91, 0.84, 0.86, 0.7, 0.7], "decrease")
    assert (found["monotonicity"], found["monotonicity_weak"], found["tie_fraction"]) == (0.4, 0.8, 0.4)
    boundary = one([100.0, 105.0, 105.0, 120.0], "stable")
    assert (boundary["monotonicity"], boundary["monotonicity_weak"]) == (1 / 3, 2 / 3)


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_step_with_a_missing_end_does_not_count(gap):
    found = one([1.0, 2.0, gap, 1.0, 3.0], "increase")
    assert (found["monotonicity"], found["monotonicity_n"], found["monotonicity_status"]) == (1.0, 2, "ok")
    assert one([gap, 1.0, 1.0], "stable")["monotonicity_status"] == "missing"
    assert one([gap, 1.0, 2.0], "increase")["monotonicity"] == 1.0


@pytest.mark.parametrize("scores", [[], [1.0], [1.0, None, 2.0]])
def test_no_step_no_share(scores):
    found = one(scores, "increase")
    assert found == {
        "monotonicity": None,
        "monotonicity_weak": None,
        "tie_fraction": None,
        "monotonicity_n": 0,
        "monotonicity_status": "too_few",
    }


def twin(scores, direction, cumulative, tolerance):
    """The definition in plain Python: strict, weak and tied shares, or None."""
    if direction == "stable" and (not scores or scores[0] is None):
        return None
    starts = [scores[0]] * len(scores) if cumulative else scores
    steps = [(a, b) for a, b in zip(starts, scores[1:], strict=False) if a is not None and b is not None]
    if not steps:
        return None
    tests = {
        "increase": (lambda a, b: b > a, lambda a, b: b >= a),
        "decrease": (lambda a, b: b < a, lambda a, b: b <= a),
        "stable": (
            lambda a, b: a == b or abs(b - a) < tolerance * abs(scores[0]),
            lambda a, b: a == b or abs(b - a) <= tolerance * abs(scores[0]),
        ),
    }[direction]
    return [float(Fraction(sum(test(*step) for step in steps), len(steps))) for test in (*tests, lambda a, b: a == b)]


@settings(max_examples=200, deadline=None)
@given(
    scores=st.lists(
        st.one_of(st.none(), st.integers(-3, 3).map(float), st.floats(-100, 100), st.just(-0.0)), max_size=12
    ),
    direction=st.sampled_from(["increase", "decrease", "stable"]),
    cumulative=st.booleans(),
    tolerance=st.sampled_from([0.0, 0.05, 0.5]),
)
def test_equals_the_definition(scores, direction, cumulative, tolerance):
    cumulative = cumulative and direction == "stable"
    mode = "cumulative" if cumulative else "transition"
    found = one(scores, direction, mode=mode, tolerance=tolerance)
    shares = [found[name] for name in ("monotonicity", "monotonicity_weak", "tie_fraction")]
    assert shares == (twin(scores, direction, cumulative, tolerance) or [None] * 3)


def test_expression_over_lists_and_groups():
    frame = pl.DataFrame({"g": [1, 1, 1, 2, 2, 3], "s": [1, 2, 2, 5, 4, 7]})
    grouped = frame.group_by("g", maintain_order=True).agg(expression(pl.col("s").implode(), "increase"))
    listed = frame.group_by("g", maintain_order=True).agg("s").select("g", expression("s", "increase"))
    assert grouped.equals(listed)
    assert listed.unnest("monotonicity")["monotonicity"].to_list() == [0.5, 0.0, None]


@pytest.mark.parametrize(
    "options",
    [{"direction": "up"}, {"direction": "stable", "mode": "drift"}, {"direction": "increase", "mode": "cumulative"}]
    + [{"direction": "stable", "tolerance": bad} for bad in (-0.1, math.inf, math.nan)],
)
def test_refused_options(options):
    with pytest.raises(OptionError):
        monotonicity(pa.array([[1.0]]), **options)
