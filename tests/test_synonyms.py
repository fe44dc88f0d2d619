"""Synonyms from a WordNet folder: NLTK's METEOR with the same WordNet, and folders that are none."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest
from engine import row
from nltk import data as nltk_data
from nltk.translate.meteor_score import meteor_score

import gistmark as gm
from gistmark.cli.options import build
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import MissingExtra, OptionError
from gistmark_engine.metrics.meteor import meteor
from gistmark_engine.synonyms import _reader

WORDNET = Path(os.environ.get("WNSEARCHDIR", "/usr/share/wordnet"))
"""WordNet 3.0, where Debian's package wordnet-base puts it unless told otherwise; it lacks NLTK's file of lexical names."""


@pytest.fixture(scope="module")
def wordnet_folder(tmp_path_factory):
    if not (WORDNET / "index.noun").exists():
        pytest.skip(f"WordNet 3.0 is not in {WORDNET} (package wordnet-base; or set WNSEARCHDIR)")
    folder = tmp_path_factory.mktemp("wordnet")
    for path in WORDNET.iterdir():
        shutil.copy(path, folder)
    if not (folder / "lexnames").exists():
        (folder / "lexnames").write_text("".join(f"{k:02} name.{k} 1\n" for k in range(45)))
    return folder


@pytest.mark.parametrize(
    ("summary", "reference", "expected"),
    [
        ("The cat sat on the mat .", "A cat was sitting on the mat .", 0.7454289732770746),
        (
            "Profits at the bank rose by ten percent last year .",
            "The bank 's annual profit increased 10 % .",
            0.4043478260869566,
        ),
        ("The doctor bought a car .", "The physician purchased an automobile .", 0.42592592592592593),
    ],
)
def test_known_scores_with_wordnet(wordnet_folder, summary, reference, expected):
    assert row(meteor(synonyms=wordnet_folder), summary=summary, references=[reference])["meteor"] == expected
    assert "wordnet-3.0(stem)" in meteor(synonyms=wordnet_folder).signature


def test_real_rows_with_wordnet(wordnet_folder):
    reader = _reader(str(wordnet_folder))
    pairs = pl.read_parquet(scitldr_sample()).sample(200, seed=2)
    found = gm.score(pairs, [meteor(synonyms=wordnet_folder)])["meteor"].to_list()
    cut = [
        ([r.lower().split() for r in refs], s.lower().split())
        for s, refs in pairs.select("summary", "references").rows()
    ]
    assert found == [meteor_score(*one, wordnet=reader) for one in cut]
    assert found != gm.score(pairs, [meteor()])["meteor"].to_list()
    clone = pickle.loads(pickle.dumps(meteor(synonyms=wordnet_folder)))
    assert gm.score(pairs, [clone])["meteor"].to_list() == found


def test_a_folder_named_on_the_command_line(wordnet_folder):
    assert build("meteor", {"synonyms": str(wordnet_folder)}).signature == meteor(synonyms=wordnet_folder).signature


def test_a_folder_without_wordnet(tmp_path, monkeypatch):
    with pytest.raises(OptionError, match="holds no WordNet that NLTK can read"):
        meteor(synonyms=tmp_path)
    assert str(tmp_path.resolve()) in nltk_data.path
    monkeypatch.setattr(nltk_data, "path", [])
    monkeypatch.setitem(sys.modules, "nltk.corpus.reader.wordnet", None)
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(MissingExtra, match=r"gistmark\[wordnet\]"):
        meteor(synonyms=tmp_path / "elsewhere")
