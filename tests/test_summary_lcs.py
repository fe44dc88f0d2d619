"""ROUGE-Lsum on long sentences against `rouge_score`: kept rows, checkpoints and words of more than 64 tokens."""

from __future__ import annotations

import random

import pytest
from engine import row, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from gistmark_engine.metrics.rouge import rouge

SCORER = RougeScorer(["rougeLsum"])


def check(summaries: list[str], references: list[str]) -> None:
    ours = scores(rouge(("Lsum",), parity="reference"), summary=summaries, references=references)
    for k, (summary, reference) in enumerate(zip(summaries, references, strict=True)):
        wanted = SCORER.score(reference, summary)["rougeLsum"]
        assert [ours[f"rougeLsum_{part}"][k] for part in ("p", "r", "f1")] == [float(value) for value in wanted], k


def sentence(rng: random.Random, size: int, vocabulary: int) -> str:
    return " ".join(f"w{rng.randrange(vocabulary)}" for _ in range(size))


def text(rng: random.Random, sizes: list[int], vocabulary: int) -> str:
    return "\n".join(sentence(rng, size, vocabulary) for size in sizes)


@pytest.mark.parametrize("size", [255, 256, 257, 258, 300, 529, 700])
@pytest.mark.parametrize("vocabulary", [2, 6, 100])
def test_long_summary_sentences(size: int, vocabulary: int) -> None:
    rng = random.Random(size * vocabulary)
    references = [sentence(rng, n, vocabulary) for n in (1, 63, 64, 65, 130)]
    check([sentence(rng, size, vocabulary) for _ in references], references)


@pytest.mark.parametrize("vocabulary", [2, 4, 12, 200])
def test_many_sentences_of_all_lengths(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    lengths = [0, 1, 2, 5, 20, 64, 65, 129, 300]
    summaries = [text(rng, rng.choices(lengths, k=rng.randrange(1, 6)), vocabulary) for _ in range(12)]
    references = [text(rng, rng.choices(lengths[:-1], k=rng.randrange(1, 6)), vocabulary) for _ in range(12)]
    check(summaries, references)


def test_positions_are_united_over_summary_sentences_and_counted_within_both_budgets() -> None:
    """Worked by hand: 'a b' against 'b' and 'b a'. The tie rule picks 'a' from the second, so both positions count."""
    scored = row(rouge(("Lsum",)), summary="b\nb a", references="a b")
    assert (scored["rougeLsum_p"], scored["rougeLsum_r"]) == (2 / 3, 1.0)
    scored = row(rouge(("Lsum",)), summary="a", references="a\na\na")
    assert (scored["rougeLsum_p"], scored["rougeLsum_r"]) == (1.0, 1 / 3)


narrow = st.lists(st.lists(st.sampled_from("abc"), max_size=12), max_size=6).map(
    lambda sentences: "\n".join(" ".join(words) for words in sentences)
)


@given(st.lists(st.tuples(narrow, narrow), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_ties_are_broken_as_the_reference_breaks_them(pairs: list[tuple[str, str]]) -> None:
    check([summary for summary, _ in pairs], [reference for _, reference in pairs])


@pytest.mark.parametrize("size", [63, 64, 65, 192, 193, 256, 384, 385, 511, 512, 513])
def test_reference_sentences_of_every_number_of_words_of_places(size: int) -> None:
    """All their tokens are in the summary, whose sentences are shuffled pieces of them and others."""
    rng = random.Random(size)
    words = [f"w{rng.randrange(size)}" for _ in range(size)]
    pieces = [words[at : at + 9] for at in range(0, size, 9)]
    rng.shuffle(pieces)
    lines = [" ".join([*piece, "x", "y"]) for piece in pieces]
    check(["\n".join(lines), " ".join(lines)], [" ".join(words)] * 2)


def test_a_sentence_too_long_for_the_rows_that_are_kept() -> None:
    rng = random.Random(3)
    check([sentence(rng, 17_000, 40)], [sentence(rng, 20, 40)])


@pytest.mark.parametrize("vocabulary", [2, 5, 30, 400])
def test_more_sentences_than_are_looked_at_one_by_one(vocabulary: int) -> None:
    """Repeated ones, ones without a token of the reference, and summaries of few sentences in between."""
    rng = random.Random(vocabulary)
    counts = [64, 65, 3, 150, 66, 300]
    summaries = [text(rng, rng.choices([0, 1, 2, 3, 7], k=count), vocabulary) + "\nx y\nx" for count in counts]
    references = [text(rng, rng.choices([0, 1, 2, 4, 9, 20], k=40), vocabulary) for _ in counts]
    check(summaries, references)


def test_frequent_tokens_of_long_sentences() -> None:
    rng = random.Random(5)
    check([sentence(rng, 900, 3), sentence(rng, 900, 3)], [sentence(rng, 1100, 3), sentence(rng, 600, 2)])
