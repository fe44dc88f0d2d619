"""The soak of bench/, for a few seconds; and that it would notice."""

from __future__ import annotations

import pytest

from bench.soak import SLACK, WARM, Round, faults, slope, soak


def test_scoring_again_and_again_leaves_memory_and_scores_as_they_are() -> None:
    assert faults(list(soak(2))) == []


def test_a_soak_notices() -> None:
    flat = [Round(100.0, "a")] * (WARM + 3)
    assert faults(flat) == []
    assert faults([*flat, Round(101.0 + SLACK, "a")]) == [f"memory grew from 100 to {101 + SLACK} MB"]
    assert faults([*flat, Round(100.0, "b")]) == ["scores changed"]
    assert slope(flat) == pytest.approx(0, abs=1e-9)
    assert slope([*flat[:WARM], *(Round(100.0 + step, "a") for step in range(5))]) == pytest.approx(1000)
