"""Perturbation chains: what nests, what repeats, what is dropped and what is refused."""

from __future__ import annotations

import itertools
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.studies.documents import documents
from gistmark.studies.perturbations import chains
from gistmark.studies.rewrites import read_rewrites
from gistmark.studies.sentences import splitter
from gistmark_engine.errors import InputError, MissingExtra, OptionError


@pytest.fixture
def corpus():
    texts = ["Alpha one.\nAlpha two (so it is said).\nAlpha three.", "Beta isn't very one.", "Gamma one.\nGamma two."]
    pairs = pl.DataFrame(
        {
            "corpus": ["x", "x", "y"],
            "doc_id": ["a", "b", "c"],
            "references": [[text, "other"] for text in texts],
            "source": ["s"] * 3,
            "query": ["q1", "q2", "q3"],
            "persona": ["p1", "p2", "p3"],
        }
    )
    return documents(pairs)


def texts(found, doc_id, perturbation):
    rows = found.table.filter((pl.col("doc_id") == doc_id) & (pl.col("perturbation") == perturbation))
    assert rows["level"].to_list() == list(range(rows.height))
    return rows["summary"].to_list()


def dropped(found):
    return set(found.dropped.select("doc_id", "perturbation", "reason").rows())


def is_subsequence(short, long):
    rest = iter(long)
    return all(one in rest for one in short)


def test_distractors_nest_and_come_from_other_documents_of_the_corpus(corpus):
    found = chains(corpus, ["distractor"], levels=2, seed=1)
    levels = [text.split("\n") for text in texts(found, "b", "distractor")]
    assert [len(level) for level in levels] == [1, 2, 3]
    assert is_subsequence(levels[0], levels[1])
    assert is_subsequence(levels[1], levels[2])
    assert {*levels[2]} - {*levels[0]} <= {"Alpha one.", "Alpha two (so it is said).", "Alpha three."}
    assert texts(found, "a", "distractor") == [corpus["base"][0], *texts(found, "a", "distractor")[1:]]
    assert len(texts(found, "a", "distractor")) == 2
    assert dropped(found) == {("c", "distractor", "no_other_document")}


def test_incremental_starts_empty_and_ends_whole(corpus):
    found = chains(corpus, ["incremental"], levels=5)
    assert texts(found, "a", "incremental") == [
        "",
        "Alpha one.",
        "Alpha one.\nAlpha two (so it is said).",
        corpus["base"][0],
    ]
    assert dropped(found) == {("b", "incremental", "one_sentence")}
    seven = corpus.head(1).with_columns(base=pl.lit("\n".join("abcdefg")))
    sizes = [text.count("\n") + 1 for text in texts(chains(seven, ["incremental"], levels=3), "a", "incremental")[1:]]
    assert sizes == [3, 5, 7]


def test_proxies_change_the_length_and_are_tagged(corpus):
    found = chains(corpus, ["lengthen", "shorten"], levels=3)
    longer = [len(text.split()) for text in texts(found, "b", "lengthen")]
    assert longer == sorted(set(longer))
    assert "is not" in texts(found, "b", "lengthen")[1]
    assert texts(found, "b", "shorten") == ["Beta isn't very one.", "Beta isn't one."]
    assert texts(found, "a", "shorten")[1] == "Alpha one.\nAlpha two.\nAlpha three."
    assert dropped(found) == {("c", "shorten", "nothing_to_edit")}
    assert found.table["generator"].unique().to_list() == ["proxy"]
    assert chains(corpus, ["distractor"]).table["generator"].unique().to_list() == ["rule"]


def test_shortening_contracts_last_and_keeps_capitals():
    base = "Do not go (yet). We are, in fact, very late."
    frame = documents(pl.DataFrame({"references": [base]}))
    levels = texts(chains(frame, ["shorten"], levels=9), "0", "shorten")
    assert levels == [
        base,
        "Do not go. We are, in fact, very late.",
        "Do not go. We are, very late.",
        "Do not go. We are, late.",
        "Don't go. We are, late.",
        "Don't go. We're, late.",
    ]


def test_audience_replaces_whole_terms_longest_first(corpus):
    frame = documents(pl.DataFrame({"references": ["BERT and BERT-large beat Bertha’s bert."]}))
    found = chains(frame, ["audience"], glossary={"bert": "a model", "bert-large": "a big model"})
    assert texts(found, "0", "audience")[-1] == "A model and A big model beat Bertha’s a model."
    assert dropped(chains(corpus, ["audience"], glossary={"zeta": "z"})) == {
        (doc, "audience", "nothing_to_edit") for doc in "abc"
    }
    with pytest.raises(OptionError, match="glossary"):
        chains(corpus, ["audience"])


def test_persona_swap_changes_the_reader_and_nothing_else(corpus):
    found = chains(corpus, ["persona_swap"])
    rows = found.table.filter(doc_id="a").select("level", "summary", "reader").rows()
    assert rows == [(0, corpus["base"][0], "a"), (1, corpus["base"][0], "b")]
    assert dropped(found) == {("c", "persona_swap", "no_other_persona")}
    with pytest.raises(InputError, match="persona"):
        chains(corpus.drop("persona"), ["persona_swap"])


every = ["distractor", "incremental", "lengthen", "shorten", "persona_swap"]


def test_the_same_seed_gives_the_same_chains_whatever_the_order(corpus):
    first, again = chains(corpus, every, seed=5), chains(corpus.reverse(), every[::-1], seed=5)
    key = ["doc_id", "perturbation", "level"]
    assert first.table.sort(key).equals(again.table.sort(key))
    big = corpus.head(1).with_columns(base=pl.lit("\n".join("abcdefghij")))
    both = pl.concat([big, big.with_columns(doc_id=pl.lit("z"), base=pl.lit("\n".join("klmnopqrst")))])
    assert not chains(both, ["distractor"], seed=5).table.equals(chains(both, ["distractor"], seed=6).table)


@settings(max_examples=100, deadline=None)
@given(
    bases=st.lists(
        st.one_of(st.text(max_size=60), st.sampled_from(["(a)", "a\nb\n\nc", "ไทย\nx", "very "])), max_size=5
    ),
    levels=st.integers(1, 7),
    split=st.sampled_from(["newline", "punkt"]),
)
def test_any_text_gives_whole_chains_or_a_reason(bases, levels, split):
    pytest.importorskip("punkt")
    frame = documents(pl.DataFrame({"references": bases}, schema={"references": pl.String}))
    names = every[:-1]
    found = chains(frame, names, levels=levels, split=split)
    made = found.table.group_by("doc_id", "perturbation").agg("level")
    assert made.height + found.dropped.height == frame.height * len(names)
    for doc_id, name in made.select("doc_id", "perturbation").rows():
        steps = texts(found, doc_id, name)
        assert 2 <= len(steps) <= levels + 1
        assert name == "lengthen" or all(a != b for a, b in itertools.pairwise(steps))


def test_splitters():
    assert splitter("newline").split(" one. two.\n\n three \n") == ["one. two.", "three"]
    pytest.importorskip("punkt")
    text = "Dr. Smith met Mr. Li in the U.S. on Jan. 5. Li et al. (2020) agree, cf. Fig. 3. See e.g. this!\nIs it? Yes."
    assert splitter("punkt").split(text) == [
        "Dr. Smith met Mr. Li in the U.S. on Jan. 5.",
        "Li et al. (2020) agree, cf. Fig. 3.",
        "See e.g. this!",
        "Is it?",
        "Yes.",
    ]
    said = 'Dr. Vale, M.D., of the U.S. Geological Survey left at 5 p.m. He was late. "Why?" she asked. “Go!” He went.'
    assert splitter("punkt").split(said) == [
        "Dr. Vale, M.D., of the U.S. Geological Survey left at 5 p.m.",
        "He was late.",
        '"Why?" she asked.',
        "“Go!”",
        "He went.",
    ]
    with pytest.raises(OptionError, match="splitter must be one of newline, punkt"):
        splitter("regex")


def test_a_missing_splitter_says_what_to_install(monkeypatch):
    splitter.__globals__["_punkt"].cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "punkt", None)
    with pytest.raises(MissingExtra, match=r"gistmark\[studies\]"):
        splitter("punkt")


def test_sentence_lists_are_taken_as_they_are():
    frame = documents(pl.DataFrame({"summary": [["A. b", "c"], None, [" "]]}), base="system")
    assert texts(chains(frame, ["incremental"]), "0", "incremental") == ["", "A. b", "A. b c"]
    assert frame.height == 1


def test_documents_count_once_and_must_agree():
    pairs = pl.DataFrame(
        {"doc_id": [1, 1, 2, 3], "system": ["a", "b", "a", "a"], "summary": ["u", "v", "w", None]}
    ).with_columns(references=pl.lit(["r", "s"], pl.List(pl.String)))
    assert documents(pairs)["doc_id"].to_list() == ["1", "2", "3"]
    assert documents(pairs, base="system").select("doc_id", "system", "base").rows() == [
        ("1", "a", "u"),
        ("1", "b", "v"),
        ("2", "a", "w"),
    ]
    clash = pairs.with_columns(source=pl.Series(["s", "t", "s", "s"]))
    with pytest.raises(InputError, match=r"row 1: two different texts under one key"):
        documents(clash)
    with pytest.raises(InputError, match="column 'summary'"):
        documents(pairs.drop("summary"), base="system")
    with pytest.raises(OptionError, match="base must be"):
        documents(pairs, base="gold")


def test_a_sample_is_drawn_by_corpus_and_seed():
    pairs = pl.DataFrame({"corpus": ["x"] * 30 + ["y"] * 3, "doc_id": range(33), "references": ["r"] * 33})
    one, two = (documents(pairs, sample=5, seed=seed) for seed in (1, 2))
    assert one["corpus"].value_counts(sort=True).rows() == [("x", 5), ("y", 3)]
    assert not one.equals(two)
    assert one.equals(documents(pairs, sample=5, seed=1))
    with pytest.raises(OptionError, match="sample"):
        documents(pairs, sample=0)


def lines(path, *objects):
    path.write_text("\n".join(json.dumps(one) if isinstance(one, dict) else one for one in objects), encoding="utf-8")
    return path


def level(doc_id, number, text, **more):
    return {"doc_id": doc_id, "perturbation": "lengthen", "level": number, "text": text, "generator": "m", **more}


def test_rewrites_are_read_and_begin_with_the_base(corpus, tmp_path):
    path = lines(tmp_path / "r.jsonl", level("a", 2, "long long"), level("a", 1, "long"), "", level("q", 1, "x"))
    found = read_rewrites(path, corpus)
    assert texts(found, "a", "lengthen") == [corpus["base"][0], "long", "long long"]
    assert found.table["generator"].unique().to_list() == ["m"]
    assert dropped(found) == {("b", "lengthen", "no_rewrite"), ("c", "lengthen", "no_rewrite")}
    own = lines(tmp_path / "o.jsonl", level("a", 0, "zero", corpus="x"), level("a", 1, "one", corpus="x", seed=3))
    assert read_rewrites(own, corpus).table.filter(seed=0)["summary"].to_list() == ["zero"]


def test_a_document_whose_rewriting_failed_has_no_chain(corpus, tmp_path):
    levels = [level("a", 1, "t"), level("a", 2, None), level("b", 1, "u"), level("c", 1, None)]
    found = read_rewrites(lines(tmp_path / "r.jsonl", *levels), corpus)
    assert set(found.table["doc_id"]) == {"b"}
    assert dropped(found) == {("a", "lengthen", "failed_rewrite"), ("c", "lengthen", "failed_rewrite")}
    assert read_rewrites(levels, corpus).table.equals(found.table)
    with pytest.raises(InputError, match="rewrite 2: a second text"):
        read_rewrites([level("a", 1, "t")] * 2, corpus)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "line 2: not JSON: Expecting property name"),
        ("[1]", "line 2: not an object"),
        (level("a", "1", "t"), "level must be int"),
        (level("a", True, "t"), "level must be int"),
        (level("a", -1, "t"), "negative level"),
        (level("a", 1, 5), "text must be str or null"),
        ({"doc_id": "a", "perturbation": "lengthen", "level": 1, "generator": "llama"}, "text must be str or null"),
        (level("a", 1, "t", perturbation="shuffle"), r"unknown perturbation.*'shuffle'"),
        (level("a", 1, "t", generator="proxy"), "generator must name the model"),
        (level("a", 0, "t"), "second text for one level"),
    ],
)
def test_bad_rewrites_are_refused_by_line(corpus, tmp_path, bad, message):
    path = lines(tmp_path / "r.jsonl", level("a", 0, "t"), bad)
    with pytest.raises(InputError, match=message):
        read_rewrites(path, corpus)


def test_an_ambiguous_document_is_refused(corpus, tmp_path):
    twice = pl.concat([corpus, corpus.with_columns(corpus=pl.lit("z"))])
    with pytest.raises(InputError, match="add corpus"):
        read_rewrites(lines(tmp_path / "r.jsonl", level("a", 1, "t")), twice)
    found = read_rewrites(lines(tmp_path / "s.jsonl", level("a", 1, "t", corpus="z")), twice)
    assert found.table["corpus"].unique().to_list() == ["z"]
