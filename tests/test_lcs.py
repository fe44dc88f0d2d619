"""Lengths of longest common subsequences against rapidfuzz, over lists of integers given as tokens."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from engine import scores
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.rouge import rouge

INTS = pa.list_(pa.int32())
AROUND_A_WORD = [1, 2, 62, 63, 64, 65, 66, 127, 128, 129]
AROUND_A_STRIP = [1023, 1024, 1025, 2047, 2048, 2049, 2100]


def check(pairs: list[tuple[list[int], list[int]]]) -> None:
    """ROUGE-L's precision and recall are the length over each text's length: one float each, so compared exactly."""
    ours = scores(
        rouge(("L",)),
        "tokens",
        summary=pa.array([summary for summary, _ in pairs], INTS),
        references=pa.array([reference for _, reference in pairs], INTS),
    )
    for k, (summary, reference) in enumerate(pairs):
        length = LCSseq.similarity(summary, reference)
        assert ours["rougeL_p"][k] == length / len(summary), (k, len(summary), len(reference))
        assert ours["rougeL_r"][k] == length / len(reference)


def draw(rng: random.Random, size: int, vocabulary: int) -> list[int]:
    return [rng.randrange(vocabulary) for _ in range(size)]


@pytest.mark.parametrize("vocabulary", [1, 2, 5, 50, 5000])
def test_lengths_around_a_machine_word(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    check([(draw(rng, m, vocabulary), draw(rng, n, vocabulary)) for m in AROUND_A_WORD for n in AROUND_A_WORD])


@pytest.mark.parametrize("vocabulary", [1, 2, 5, 300, 5000])
def test_lengths_around_a_strip(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    sizes = [*AROUND_A_STRIP, 64, 1]
    check([(draw(rng, m, vocabulary), draw(rng, n, vocabulary)) for m in sizes for n in AROUND_A_STRIP])
    check([(draw(rng, m, vocabulary), draw(rng, n, vocabulary)) for m in AROUND_A_STRIP for n in (1, 64, 65)])


def test_carries_that_run_through_every_word() -> None:
    same, period = list(range(2100)), [0, 1] * 1050
    check([(same, same), (same[::-1], same), (same[1:] + same[:1], same), (period, period[1:]), ([0] * 2100, period)])
    check([(same[:5] + [9999] * 50 + same[5:], same), (same, [*same[1:2099:2], 7777]), ([7777], same)])


def test_one_long_base_serves_many_targets() -> None:
    """Summaries that share their reference use its masks one after the other; nothing of one may reach the next."""
    rng = random.Random(1)
    for size in (40, 700, 1500):
        base = draw(rng, size, 30)
        check([(draw(rng, rng.randrange(1, 200), 40), base) for _ in range(40)] + [(base, base)])


def test_strips_that_lack_most_tokens() -> None:
    """A base of several strips of 1,024 tokens, most of which occur in one strip: carries pass through the others."""
    rng = random.Random(2)
    base = list(range(5000))
    moved = base[2500:] + base[:2500]
    near = [token + rng.randrange(-3, 4) for token in base]
    few = rng.sample(base, 300)
    check([(base, base), (moved, base), (near, base), (few, base), (sorted(few), base), (base[::-1], base)])
    check([(base, moved + moved), (rng.sample(base, 5000), base), ([*base[:1100], *few, *base[3000:]], near)])


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 6), min_size=1, max_size=200)] * 2), min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_random_lists(pairs: list[tuple[list[int], list[int]]]) -> None:
    check(pairs)


@pytest.mark.parametrize("cap", [1, 2, 63, 64, 65, 500, 1024, 1025, 2048, 3000])
def test_a_cap_lets_the_subsequence_see_only_the_first_tokens_of_the_source(cap: int) -> None:
    rng = random.Random(cap)
    pairs = [(draw(rng, m, v), draw(rng, n, v)) for m in (1, 65, 300) for n in (1, 64, 1100, 2600) for v in (3, 60)]
    ours = scores(
        abstraction(lcs_source_cap=cap),
        "tokens",
        summary=pa.array([summary for summary, _ in pairs], INTS),
        source=pa.array([source for _, source in pairs], INTS),
    )
    wanted = [LCSseq.similarity(summary, source[:cap]) / len(summary) for summary, source in pairs]
    assert ours["c_sL"] == wanted
    assert ours["o_tokens"] == [len(source) for _, source in pairs]
