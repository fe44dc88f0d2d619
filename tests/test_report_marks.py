"""Marks in texts: copied fragments as datastats counts them, and what is new."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gistmark as gm
from gistmark.report.rows import ROW, payload
from gistmark.spans import marks
from gistmark_datasets import scitldr_sample

METRICS = ["rouge", "datastats", "abstraction"]


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    return gm.score(pl.read_parquet(scitldr_sample()).head(300), METRICS)


def test_fragments_are_those_of_datastats(scored: pl.DataFrame) -> None:
    for row in scored.iter_rows(named=True):
        lengths = [one.tokens for one in marks(row["summary"], row["source"]).fragments]
        assert sum(lengths) / row["summary_length"] == row["coverage"]
        assert sum(length**2 for length in lengths) / row["summary_length"] == row["density"]


def test_fragments_of_real_system_outputs_are_those_of_datastats(shared: Path) -> None:
    pairs = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet").rename({"candidate": "summary"}).head(320)
    for row in gm.score(pairs, ["datastats"]).iter_rows(named=True):
        lengths = [one.tokens for one in marks(row["summary"], row["source"]).fragments]
        assert sum(length**2 for length in lengths) / row["summary_length"] == row["density"]


@settings(deadline=None, max_examples=50)
@example("..,", "...,")  # the published scan jumps over the longest run
@given(st.text(alphabet="aB İΣσς.,\u0307😀é ", max_size=30), st.text(alphabet="aB İΣσς.,\u0307😀é ", max_size=40))
def test_marks_stand_on_what_they_name(summary: str, source: str) -> None:
    found = marks(summary, source)
    [scores] = pl.DataFrame(gm.score({"summary": [summary], "source": [source]}, ["datastats"])).rows(named=True)
    copied = sum(one.tokens**2 for one in found.fragments)
    assert scores["density"] is None or copied / scores["summary_length"] == scores["density"]
    for one in found.fragments if "İ" not in summary + source else ():
        assert plain(summary[slice(*one.summary)]) == plain(source[slice(*one.source)])
    for spans in found.novel.values():
        assert all(0 <= a < b <= len(summary) for a, b in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def plain(text: str) -> str:
    return re.sub(r"\s", "", text.lower()).replace("ς", "σ")


def test_new_words_are_those_the_source_lacks() -> None:
    found = marks("A new cat sat, twice.", "The cat sat.")
    assert [("A new cat sat, twice."[a:b]) for a, b in found.novel[1]] == ["A new", ", twice"]
    assert [("A new cat sat, twice."[a:b]) for a, b in found.novel[2]] == ["A new cat sat, twice."]


def test_places_count_as_javascript_does() -> None:
    frame = pl.DataFrame({"summary": ["😀 a cat"], "source": ["x 😀 a cat"], ROW: [0]})
    row = payload(frame, [], None, None)["marks"][0]
    assert row["fragments"] == [[0, 8, 2, 10, 3]]
    assert "x 😀 a cat".encode("utf-16-le")[4:20].decode("utf-16-le") == "😀 a cat"
