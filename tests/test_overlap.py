"""Shared n-grams against `collections.Counter`, in the three ways of counting."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest
from engine import scores
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.rouge import rouge

ORDERS = tuple("123456789")
INTS = pa.list_(pa.int64())
Grams = Counter[tuple[int, ...]]
Pairs = list[tuple[list[int], list[int]]]


def grams(tokens: list[int], order: int) -> Grams:
    return Counter(tuple(tokens[k : k + order]) for k in range(len(tokens) - order + 1))


def columns(pairs: Pairs) -> tuple[pa.Array, pa.Array]:
    return pa.array([one for one, _ in pairs], INTS), pa.array([other for _, other in pairs], INTS)


def check(pairs: Pairs, types: tuple[str, ...] = ORDERS) -> None:
    summary, reference = columns(pairs)
    ours = scores(rouge(types, parity="reference"), "tokens", summary=summary, references=reference)
    for k, (one, other) in enumerate(pairs):
        for kind in types:
            a, b = grams(one, int(kind)), grams(other, int(kind))
            shared = (a & b).total()
            assert ours[f"rouge{kind}_p"][k] == shared / max(a.total(), 1), (k, kind)
            assert ours[f"rouge{kind}_r"][k] == shared / max(b.total(), 1), (k, kind)


@pytest.mark.parametrize("types", [ORDERS, ("1", "2", "3", "4"), ("3",)])
@given(pairs=st.lists(st.tuples(*[st.lists(st.integers(-2, 3), max_size=60)] * 2), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_clipped_counts_of_every_order(types: tuple[str, ...], pairs: Pairs) -> None:
    check(pairs, types)


@pytest.mark.parametrize("vocabulary", [1, 2, 10, 1000, 2**62])
def test_long_texts(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    sizes = [0, 1, 8, 9, 10, 511, 512, 513, 3000]
    check([([rng.randrange(vocabulary) for _ in range(m)], [rng.randrange(vocabulary) for _ in range(n)])
           for m in sizes for n in sizes])  # fmt: skip


@pytest.mark.parametrize("words", range(1, 10))
def test_bases_of_every_number_of_words(words: int) -> None:
    """All tokens of both texts are shared, so that a base of so many words of places is kept whole; ids reach the top."""
    rng = random.Random(words)
    pairs = []
    for size in (64 * words - 1, 64 * words, 64 * words + 1, 64 * words + 40):
        one = [rng.randrange(size) for _ in range(size)]
        pairs.append((one, rng.sample(one, size)))
        runs = [one[k : k + 7] for k in range(0, size, 7)]
        pairs.append((one, [token for run in rng.sample(runs, len(runs)) for token in run]))
    check(pairs, ("1", "2"))
    check(pairs, ("1", "2", "3", "4"))


@pytest.mark.parametrize("types", [("9",), ("2",), ("3", "7"), ("8", "1")])
def test_orders_asked_for_alone(types: tuple[str, ...]) -> None:
    rng = random.Random(0)
    check([([rng.randrange(3) for _ in range(40)], [rng.randrange(3) for _ in range(50)]) for _ in range(20)], types)


def test_bases_take_turns() -> None:
    """Pairs alternate between large and small bases, so a table of one size is used after another."""
    rng = random.Random(2)
    bases = [[rng.randrange(9) for _ in range(size)] for size in (4000, 3, 0, 300, 1)]
    check([([rng.randrange(12) for _ in range(rng.randrange(30))], bases[k % 5]) for k in range(60)])


@pytest.mark.parametrize("mode", ["multiset", "set", "membership"])
@given(
    pairs=st.lists(
        st.tuples(*[st.lists(st.integers(0, 5), min_size=2, max_size=50)] * 2), min_size=1, max_size=6
    )
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_ways_of_counting(pairs: Pairs, mode: str) -> None:
    summary, source = columns(pairs)
    ours = scores(abstraction(overlap=mode), "tokens", summary=summary, source=source)  # type: ignore[arg-type]
    for k, (one, other) in enumerate(pairs):
        for order in (1, 2):
            a, b = grams(one, order), grams(other, order)
            shared = {
                "multiset": (a & b).total(),
                "set": len(a.keys() & b.keys()),
                "membership": sum(times for gram, times in a.items() if gram in b),
            }[mode]
            assert ours[f"c_s{order}"][k] == shared / a.total()
