"""Stems of words in any script against NLTK's Porter stemmer, run here."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from gistmark_engine.stems import stem_words

PORTER = PorterStemmer()


def test_words_of_real_texts_have_nltks_stems(shared):
    files = ("cnndm_summeval", "lay_elife", "lay_plos", "xsum_abstractionstudy")
    texts = pl.concat([pl.read_parquet(shared / "data" / f"{name}.parquet", columns=["candidate"]) for name in files])
    words = texts["candidate"].drop_nulls().str.to_lowercase().str.split(" ").explode().unique().sort()
    assert len(words) > 5_000
    assert any(not word.isascii() for word in words)
    assert stem_words(words.to_list()) == [PORTER.stem(word) for word in words]


ENDINGS = ["", "s", "es", "ies", "ied", "ed", "ing", "y", "ly", "ational", "e", "ll", "ness"]
ROOTS = st.text("AİΣEaeiouysdéöß日ſ\u0301bltz", max_size=8)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.builds(str.__add__, ROOTS, st.sampled_from(ENDINGS)), max_size=20))
def test_stems_in_any_script(words):
    assert stem_words(words) == [PORTER.stem(word) for word in words]
