"""Words and characters of any script against uniseg, which passes Unicode's own tests of its Annex 29, run here."""

from __future__ import annotations

import re
from collections.abc import Callable

import breaks
import numpy as np
import pytest
from engine import Reading, misread, row
from hypothesis import example, given, settings
from hypothesis import strategies as st
from uniseg import graphemecluster, wordbreak

from gistmark_engine.breaks import TABLE
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
Cut = Callable[[str], list[str]]


def words(text: str) -> list[str]:
    return [word for word in wordbreak.words(text.lower()) if any(c.isalnum() for c in word)]


def characters(text: str) -> list[str]:
    return [cluster for cluster in graphemecluster.grapheme_clusters(text.lower()) if not cluster.isspace()]


PLAIN: dict[str, Cut] = {"unicode": words, "character": characters}
every = pytest.mark.parametrize("name", PLAIN)


def check(name: str, texts: list[str]) -> None:
    plain, rows = PLAIN[name], []
    for text in texts:
        joined = " ".join(plain(text))
        rows.append(Reading(text, joined, plain(text), plain(joined)))
    wrong = misread(name, rows)
    assert not wrong, (len(wrong), wrong[:3])


@pytest.fixture(scope="module")
def properties() -> np.ndarray:
    return np.array(breaks.properties(), np.uint8)


def test_the_shipped_table_is_unisegs(properties: np.ndarray) -> None:
    with np.load(TABLE) as table:
        lengths = np.diff(np.append(table["first"], 0x110000))
        shipped = np.stack([np.repeat(table["word"], lengths), np.repeat(table["grapheme"], lengths)], axis=1)
    assert len(np.unique(shipped, axis=0)) > 30
    assert np.array_equal(shipped, properties)


@every
def test_characters_of_every_kind_beside_each_other(name: str, properties: np.ndarray) -> None:
    """Of every pair of properties the first character and the last, each beside each, in a word, a number and an emoji."""
    _, first = np.unique(properties, axis=0, return_index=True)
    kinds = [chr(code) for code in first if code not in breaks.SURROGATES]
    assert len(kinds) > 30
    for one in kinds:
        check(name, [f"a{one}{two}b 1{one}{two}2 א{two}{one}א 👨{one}{two}👨 क{one}{two}क {one}{two}" for two in kinds])


CURIOUS = (
    "aB1é.,:;'\"’·_-‿ \n\r\t\u2028\u00ad\u0301\u200d\u200c\u2060אב״ㅋ가각각カヒのน้ำ日ィ🇩🇪🇫👨👩👍🏽ⓜ©"
    "क्षित्रा\u0903\u0600\U000e0061\U000e0fff\U0010ffffİΣς²½"
)
texts = st.lists(st.text(st.sampled_from(CURIOUS) | st.characters(exclude_categories=["Cs"]), max_size=60), max_size=6)


@every
@given(texts=texts)
@example(
    texts=["can't 3.5 3,5 a.b a.1 U.S.A. א״ב א'", "e_mail _ 1_000 カナ_1", " \u200dⓜ  \u200dⓜ", "🇩🇪🇫🇷\u0301🇩\u200dⓜ"]
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_cut_as_uniseg_cuts_it(name: str, texts: list[str]) -> None:
    check(name, texts)


@every
@pytest.mark.parametrize("token", ["a", "é", "日本", "can't", "3.5", "क्षि", "👨\u200d👩"])
def test_tokens_across_block_boundaries(name: str, token: str) -> None:
    check(name, [" " * k + token + " b " + token * 9 for k in (*range(50, 70), *range(118, 132))])


@every
def test_real_texts(name: str, shared) -> None:
    import polars as pl

    pages = pl.read_parquet(shared / "data" / "lay_elife.parquet", columns=["candidate", "source"])
    check(name, [text for column in pages.iter_columns() for text in column.to_list()])


def test_texts_in_scripts_that_the_default_does_not_know() -> None:
    for text in ("สวัสดีครับ ทุกคน", "日本語の要約です。", "Привет, мир", "नमस्ते दुनिया"):
        for name in PLAIN:
            scored = row(rouge(("1", "L"), tokenizer=name), summary=text, references=text)
            assert (scored["rouge1_f1"], scored["rougeL_f1"]) == (1.0, 1.0)
    assert row(datastats(tokenizer="character"), summary="e\u0301é", source="")["summary_length"] == 2


def test_lines_are_sentences() -> None:
    metric = rouge(("Lsum",), tokenizer="unicode")
    lines = row(metric, summary="a b\nc d", references="c d\na b")["rougeLsum_f1"]
    assert (lines, row(metric, summary="a b c d", references="c d\na b")["rougeLsum_f1"]) == (1.0, 1.0)
    assert row(metric, summary="a b\nc d", references="c d a b")["rougeLsum_f1"] == pytest.approx(
        row(rouge(("Lsum",)), summary="a b\nc d", references="c d a b")["rougeLsum_f1"]
    )


def test_words_and_their_neighbours() -> None:
    assert words("Can’t e-mail 3.5%, U.S.A. _") == ["can’t", "e", "mail", "3.5", "u.s.a"]
    assert re.findall(r"\w+", "can’t") == ["can", "t"]
