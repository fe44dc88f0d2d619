"""ROUGE against `rouge_score`, run here: every number is equal in every bit."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from engine import row, scores
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from gistmark_engine.metrics.rouge import rouge

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
HERE = Path(__file__).parent
SAMPLE = HERE.parent / "datasets" / "gistmark_datasets" / "data" / "scitldr_test.parquet"
TYPES = ("1", "2", "3", "L", "Lsum")
PARTS = ("p", "r", "f1")
ALL_TYPES = (*"123456789", "L", "Lsum")
CASES = json.loads((HERE / "data" / "rouge_cases.json").read_text())


@functools.cache
def reference(types: tuple[str, ...], stem: bool) -> RougeScorer:
    """The reference implementation; its stemmer remembers words, which changes no stem."""
    scorer = RougeScorer([f"rouge{kind}" for kind in types], use_stemmer=stem)
    if stem:
        scorer._tokenizer._stemmer.stem = functools.cache(scorer._tokenizer._stemmer.stem)
    return scorer


def expected(summary: str, references: Sequence[str], types: tuple[str, ...], stem: bool) -> list[float]:
    best = reference(types, stem).score_multi(references, summary)
    return [float(value) for kind in types for value in best[f"rouge{kind}"]]


def check(summaries: Sequence[str], references: Sequence[Sequence[str]], types: tuple[str, ...], stem: bool) -> None:
    """Every row in one batch, against the reference row by row; `==` on floats, for they are to be the same."""
    scored = scores(rouge(types, stem=stem, parity="reference"), summary=summaries, references=references)
    numbers = [scored[f"rouge{kind}_{part}"] for kind in types for part in PARTS]
    for k, ours in enumerate(zip(*numbers, strict=True)):
        wanted = expected(summaries[k], references[k], types, stem)
        assert list(ours) == wanted, (k, summaries[k], references[k])


both = pytest.mark.parametrize("stem", [False, True], ids=["plain", "stemmed"])


@both
def test_every_row_of_the_shipped_sample_equals_rouge_score(stem: bool) -> None:
    table = pq.read_table(SAMPLE).to_pydict()
    assert len(table["summary"]) == 1854
    check(table["summary"], table["references"], TYPES, stem)


@both
def test_every_news_summary_equals_rouge_score(shared: Path, stem: bool) -> None:
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet").to_pydict()
    assert len(table["candidate"]) == 1600
    check(table["candidate"], [texts[:1] for texts in table["references"]], TYPES, stem)


@both
def test_news_summaries_with_all_references_equal_rouge_score(shared: Path, stem: bool) -> None:
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet").slice(0, 48).to_pydict()
    sentences = [text.replace(". ", ".\n") for text in table["candidate"]]
    check(sentences, [[text.replace(". ", ".\n") for text in texts] for texts in table["references"]], TYPES, stem)


@both
def test_summaries_against_whole_articles_equal_rouge_score(shared: Path, stem: bool) -> None:
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet").to_pydict()
    rows = range(3, 1600, 80)
    check([table["candidate"][k] for k in rows], [[table["source"][k]] for k in rows], TYPES, stem)


WORDS = [
    "a", "b", "the", "The", "running", "runs", "ponies", "U.S.", "it's", "İ", "K", "K\u0301", "café", "cafe\u0301", "x1",
    "dying", "sky", "relational", "2019", "internationalisation", "internationalisations", "internationalisatiom",
    "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaab", "日本", "\x00", "ﬁ", "ß", "ſ", "Å", "_", "𝟘", "١",
]  # fmt: skip
SPACES = [" ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\u00a0", "\u2028", "\x0b", "\x1c", ".\n", "-", ""]
built = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)), max_size=60).map(
    lambda parts: "".join(word + space for word, space in parts)
)
few = st.lists(st.sampled_from(["a ", "b ", "c ", "\n"]), max_size=80).map("".join)
texts = st.one_of(built, few, st.text(max_size=80), st.just(""))
rows_of_texts = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=6)


@both
@given(rows=rows_of_texts)
@example(rows=[("İİ\u212a", ["i\u0307i k", "ii", "iik"])])
@example(rows=[("a\n\n\nb\n", ["\n\n", "b\na"])])
@settings(max_examples=150, deadline=None)
def test_made_up_text_equals_rouge_score(rows: list[tuple[str, list[str]]], stem: bool) -> None:
    check([summary for summary, _ in rows], [references for _, references in rows], ALL_TYPES, stem)


def test_any_subset_of_the_types_gives_the_same_numbers() -> None:
    summary, references = "a b c a b d\nb c", ["b c a b\nd", "a b c"]
    whole = row(rouge(ALL_TYPES), summary=summary, references=references)
    rng = random.Random(0)
    for types in [*([kind] for kind in ALL_TYPES), *(rng.sample(ALL_TYPES, 3) for _ in range(12))]:
        part = row(rouge(types), summary=summary, references=references)
        assert part == {name: whole[name] for name in part}
        assert list(part)[:-1] == [f"rouge{kind}_{part}" for kind in types for part in PARTS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_hand_worked_cases(case: dict[str, object]) -> None:
    wanted: dict[str, list[float]] = case["expected"]  # type: ignore[assignment]
    scored = row(rouge(tuple(wanted)), summary=case["summary"], references=case["references"])
    for kind, numbers in wanted.items():
        assert [scored[f"rouge{kind}_{part}"] for part in PARTS] == pytest.approx(numbers, abs=1e-12)


def test_a_script_the_tokenizer_does_not_know_is_empty() -> None:
    texts = {"summary": "สวัสดีครับ ทุกคน", "references": "สวัสดีครับ ทุกคน"}
    assert row(rouge(("1",)), **texts) == {f"rouge1_{part}": None for part in PARTS} | {
        "rouge_status": "empty_reference"
    }
    assert row(rouge(("1",), parity="reference"), **texts)["rouge1_f1"] == 0.0


@pytest.mark.parametrize("tokenizer", ["word_lower", "word_punct", "whitespace"])
def test_identical_text_of_any_script_scores_one_under_a_unicode_tokenizer(tokenizer: str) -> None:
    scored = row(rouge(tokenizer=tokenizer), summary="สวัสดีครับ ทุกคน", references="สวัสดีครับ ทุกคน")
    assert scored["rouge1_f1"] == scored["rougeL_f1"] == 1.0


def test_a_text_without_tokens_under_the_tokenizer_is_said_aloud() -> None:
    with pytest.warns(UserWarning, match="'summary', row 1: the text has letters but no tokens"):
        scores(rouge(), summary=["a", "สวัสดีครับ"], references=["a", "b"])
    with pytest.warns(UserWarning, match=r"row 1 and 2 more: .* \('unicode' reads every script\)"):
        scores(rouge(), summary=["a", "ครับ", "…", "ครับ", "мир"], references=["a"] * 5)


def test_the_original_programs_scores_agree_to_its_five_decimals(shared: Path) -> None:
    """ROUGE-1.5.5, unstemmed, one reference: its ROUGE-L is the summary-level one; texts are one sentence a line."""
    texts = pq.read_table(shared / "data" / "rouge155.texts.parquet").to_pydict()
    program = pq.read_table(shared / "data" / "rouge155.scores.parquet").to_pylist()
    kinds = {"ROUGE-1": "1", "ROUGE-2": "2", "ROUGE-3": "3", "ROUGE-4": "4", "ROUGE-L": "Lsum"}
    wanted = [
        line for line in program if not line["stem"] and line["metric"] in kinds and line["references"] == "first"
    ]
    assert len(wanted) == 150 * len(kinds)
    ours = scores(
        rouge(tuple(kinds.values())), summary=texts["summary"], references=[refs[:1] for refs in texts["references"]]
    )
    place = {number: k for k, number in enumerate(texts["row"])}
    for line in wanted:
        k, kind = place[line["row"]], kinds[line["metric"]]
        for part, name in zip(PARTS, ("precision", "recall", "f1"), strict=True):
            assert ours[f"rouge{kind}_{part}"][k] == pytest.approx(line[name], abs=1.1e-5), (line, part)
