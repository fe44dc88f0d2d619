"""Shared n-grams of all orders up to a top against `collections.Counter`: by bits of places, by sorting, and what is left."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark_engine.kernels.ends import MIDDLE, NARROW, WIDE
from gistmark_engine.kernels.orders import match_orders
from gistmark_engine.kernels.overlap import Pairs

LACKING = -1
Texts = Sequence[tuple[list[int], list[int]]]
Grams = Counter[tuple[int, ...]]


def match(texts: Texts, top: int) -> tuple[np.ndarray, np.ndarray]:
    """(matches, which pairs are left) of targets and bases."""
    flat = [text for pair in texts for text in pair]
    bounds = np.cumsum([0] + [len(text) for text in flat])
    spans = np.stack([bounds[:-1], bounds[1:]], axis=1).reshape(-1, 2, 2)
    ids = np.array([number for text in flat for number in text], np.int32)
    pairs = Pairs(ids, spans[:, 0].copy(), spans[:, 1].copy(), int(ids.max(initial=0)) + 1)
    hits, left = match_orders(pairs, top)
    return hits, left


def grams(text: list[int], order: int, owner: str) -> Counter[tuple[object, ...]]:
    """A token that the other text lacks is equal to none of the other's."""
    named = [owner if number == LACKING else number for number in text]
    return Counter(tuple(named[k : k + order]) for k in range(len(named) - order + 1))


def check(texts: Texts, top: int) -> int:
    """Compare what is counted; returns how many pairs are left."""
    hits, left = match(texts, top)
    for k, (target, base) in enumerate(texts):
        if not left[k]:
            expected = [(grams(target, n, "t") & grams(base, n, "b")).total() for n in range(1, top + 1)]
            assert hits[:, k].tolist() == expected, (k, len(target), len(base))
    return int(left.sum())


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 3), max_size=60)] * 2), min_size=1, max_size=8), st.integers(1, 8))
@settings(max_examples=150, deadline=None)
def test_short_texts(texts: Texts, top: int) -> None:
    assert check(texts, top) == 0


@pytest.mark.parametrize("kinds", [1, 2, 40])
def test_texts_at_every_width(kinds: int) -> None:
    """Bases around as many places as the widths have, and around as many as are sorted, one after the other."""
    rng = random.Random(kinds)
    sizes = [0, 1, 7, *(64 * words + more for words in (1, NARROW, MIDDLE, WIDE) for more in (-1, 0, 1)), 900]
    texts = [([rng.randrange(kinds) for _ in range(m)], [rng.randrange(kinds) for _ in range(n)])
             for m in sizes for n in sizes]  # fmt: skip
    for top in 1, 6, 8:
        assert check(texts, top) == 0


@pytest.mark.parametrize("size", [30, 300, 700])
@pytest.mark.parametrize("lacking", [0, 1])
def test_tokens_that_the_other_text_lacks(size: int, lacking: int) -> None:
    """They may stand in either text of a pair, but not in both, and equal nothing."""
    rng = random.Random(size)
    texts = []
    for other in (size // 2, size, 2 * size):
        pair = [[rng.randrange(5) for _ in range(size)], [rng.randrange(5) for _ in range(other)]]
        pair[lacking] = [LACKING if rng.random() < 0.2 else number for number in pair[lacking]]
        texts.append((pair[0], pair[1]))
    assert check(texts, 6) == 0


def test_many_long_words_are_sorted_in_wider_steps() -> None:
    rng = random.Random(0)
    text = [rng.randrange(90) for _ in range(9000)]
    assert check([(text, text[4000:] + text[:100]), ([3] * 9000, [3] * 8000)], 6) == 0


def test_long_texts_of_too_many_kinds_are_left() -> None:
    """62 kinds and the two letters behind the ends are 6 bits, 48 for 8 orders; 2,000 kinds are 11 bits, 88 for 8 orders."""
    few, many = [k % 62 for k in range(500)], [*range(2000)]
    assert check([(few, few), (many[:300], many), (many, many), (few, many)], 8) == 1
    assert check([(many, many)], 5) == 0
    assert check([(many, many), (few, few)], 9) == 2


def test_a_long_pair_leaves_nothing_behind() -> None:
    """Pairs alternate between the ways, and a pair that does not fit stands between."""
    rng = random.Random(2)
    sizes = [5000, 3, 0, 300, 1, 400]
    texts = [([rng.randrange(12) for _ in range(rng.randrange(800))], [rng.randrange(9) for _ in range(sizes[k % 6])])
             for k in range(24)]  # fmt: skip
    texts.insert(5, ([*range(3000)], [*range(3000)]))
    assert check(texts, 6) == 1
