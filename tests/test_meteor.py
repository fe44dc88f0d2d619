"""METEOR against NLTK's meteor_score, run here on the same tokens."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pytest
from engine import arrow, row, same_bytes, scores
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.translate import meteor_score as module
from nltk.translate.meteor_score import meteor_score

import gistmark as gm
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metrics.meteor import meteor

PORTER = PorterStemmer()
SYNONYMS = {
    "doctor": {"physician", "doc"},
    "car": {"auto", "automobil"},
    "bought": {"purchas", "purchased"},
    "purchas": {"bought"},
    "big": {"larg", "large", "great"},
    "great": {"big", "larg"},
    "a": {"b", "c"},
    "b": {"a", "b"},
    "ἀ": {"a"},
    "run": {"ran", "running"},
}


def wordnet(table):
    """What NLTK asks of a WordNet, with every word's synonyms in one synset."""

    def synsets(word):
        lemmas = [SimpleNamespace(name=lambda name=name: name) for name in table.get(word, ())]
        return [SimpleNamespace(lemmas=lambda: lemmas)]

    return SimpleNamespace(synsets=synsets)


def nltk(summary, references, table=None, **weights):
    cut = [one.lower().split() for one in references]
    return meteor_score(cut, summary.lower().split(), wordnet=wordnet(table or {}), **weights)


def value(summary, references, **options):
    return row(meteor(**options), summary=summary, references=references)["meteor"]


VOCABULARY = """
a b c the cat cats Cat ran run running runs runner's doctor physician car automobile purchased bought big large great
greatly flies fly dies die is was his hi İs ΑΣ ας éies éés ééed aé ἀ 日本 日本ed e\u0301s ﬁnes , . .. word's sky skies
generalizations oscillators abcdefghijklmnopqrstuvwxyzing abcdefghijklmnopqrstuvwxyzed
"""
WORDS = st.sampled_from(VOCABULARY.split())
SPACED = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
TEXTS = st.one_of(
    SPACED, st.text("ab AB.é\u0301Σ日\n\t\u2003s", min_size=1, max_size=30), st.text(min_size=1, max_size=20)
)
FILLED = TEXTS.filter(lambda text: text.split())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.lists(FILLED, min_size=1, max_size=3)), min_size=1, max_size=8))
@example([("a b c a b", ["b a c b a", "a a a"]), ("cats cat", ["cat cats"])])
def test_exact_and_stem_on_any_text(pairs):
    found = scores(meteor(), summary=[s for s, _ in pairs], references=[r for _, r in pairs])["meteor"]
    assert found == [nltk(*pair) for pair in pairs]


@settings(max_examples=200, deadline=None)
@given(SPACED, st.lists(SPACED, min_size=1, max_size=3), st.dictionaries(WORDS, st.sets(WORDS, max_size=4), max_size=5))
def test_synonyms_of_stems(summary, references, more):
    table = {word.lower(): {one.lower() for one in others} for word, others in more.items()} | SYNONYMS
    assert value(summary, references, synonyms=table) == nltk(summary, references, table)


@settings(max_examples=200, deadline=None)
@given(SPACED, st.lists(SPACED, min_size=1, max_size=3))
def test_synonyms_of_words(summary, references):
    """NLTK's own stages, stems carrying their words along, so that the last stage can look at these."""

    class Stem(str):
        word: str

    class Stemmer:
        def stem(self, word):
            stem = Stem(PORTER.stem(word))
            stem.word = word
            return stem

    best = 0.0
    for reference in references:
        hypothesis, target = list(enumerate(summary.lower().split())), list(enumerate(reference.lower().split()))
        lengths = len(hypothesis), len(target)
        exact, hypothesis, target = module._match_enums(hypothesis, target)
        stems, hypothesis, target = module._enum_stem_match(hypothesis, target, stemmer=Stemmer())
        words = [[(i, stem.word) for i, stem in side] for side in (hypothesis, target)]
        synonyms, _, _ = module._enum_wordnetsyn_match(*words, wordnet=wordnet(SYNONYMS))
        best = max(best, formula(sorted(exact + stems + synonyms), *lengths))
    assert value(summary, references, synonyms=SYNONYMS, synonym_on="word") == best


def formula(matches, summary_length, reference_length, alpha=0.9, beta=3.0, gamma=0.5):
    if not matches:
        return 0.0
    precision, recall = len(matches) / summary_length, len(matches) / reference_length
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    following = sum(b == (a[0] + 1, a[1] + 1) for a, b in pairwise(matches))
    return (1 - gamma * ((len(matches) - following) / len(matches)) ** beta) * mean


@pytest.mark.parametrize(
    ("summary", "references", "expected"),
    [
        ("cat", ["cat"], 0.5),
        ("big cat", ["big cat"], 0.9375),
        ("the big cat", ["the cat sat down"], 0.25641025641025644),
        ("The Mayor Resigned", ["the mayor resigned"], 0.9814814814814815),
        ("two boats sank off the cape", ["two boats sank"], 0.8922558922558923),
        ("two boats sank off the cape", ["the cape saw two boats sink"], 0.625),
        ("two boats sank off the cape", ["two boats sank", "the cape saw two boats sink"], 0.8922558922558923),
        ("dog", ["cat"], 0.0),
    ],
)
def test_known_scores(summary, references, expected):
    assert value(summary, references) == expected


@pytest.mark.parametrize("on", ["stem", "word"])
def test_a_synonym_counts(on):
    """`purchased` has the stem `purchas`, which no dictionary lists: looked up by the word it is found."""
    table = {"purchased": {"bought"}, "doctor": {"physician"}}
    found = value("the doctor purchased", ["the physician bought"], synonyms=table, synonym_on=on)
    assert found == (nltk("the doctor purchased", ["the physician bought"], table) if on == "stem" else 1 - 0.5 / 27)
    assert value("doctor", ["physician"]) == 0.0


def test_every_real_row_of_the_sample():
    pairs = pl.read_parquet(scitldr_sample())
    found = gm.score(pairs, [meteor()])["meteor"].to_list()
    assert found == [nltk(*pair) for pair in pairs.select("summary", "references").iter_rows()]


@pytest.mark.parametrize("name", ["cnndm_summeval", "lay_elife", "xsum_abstractionstudy"])
def test_real_rows(shared, name):
    pairs = pl.read_parquet(shared / "data" / f"{name}.parquet").filter(pl.col("references").list.len() > 0)
    some = pairs.sample(min(120, pairs.height), seed=1).with_columns(references=pl.col("references").list.head(3))
    found = scores(meteor(), summary=some["candidate"].to_arrow(), references=some["references"].to_arrow())["meteor"]
    assert found == [nltk(*pair) for pair in some.select("candidate", "references").iter_rows()]


@settings(max_examples=100, deadline=None)
@given(SPACED, SPACED, st.floats(0, 1), st.floats(0.1, 9), st.floats(0, 1))
def test_weights(summary, reference, alpha, beta, gamma):
    weights = {"alpha": alpha, "beta": beta, "gamma": gamma}
    try:
        expected = nltk(summary, [reference], **weights)
    except ZeroDivisionError:
        return
    assert value(summary, [reference], **weights) == expected


def test_given_tokens_are_nltks_tokens():
    summary, references = ["it's", "a b", "", "cats"], [["a b", "cat", ""], ["x"]]
    expected = meteor_score(references, summary, wordnet=wordnet({}))
    assert row(meteor(), kind="tokens", summary=summary, references=references)["meteor"] == expected > 0
    cased = ["The", "Mayor", "Resigned"], [["the", "mayor", "resigned"]]
    assert row(meteor(), kind="tokens", summary=cased[0], references=cased[1])["meteor"] == 0.9814814814814815
    assert meteor_score(cased[1], cased[0], preprocess=str, wordnet=wordnet({})) == 0.9814814814814815
    with pytest.raises(InputError, match="metric 'meteor': it reads words; these tokens are integers"):
        row(meteor(), kind="tokens", summary=[1, 2], references=[[1, 2]])


def test_null_and_empty():
    summary = ["a", None, "", "a", "a", "a", "a", " \n"]
    references = [["a"], ["a"], ["a"], [], None, ["", "a", None], [""], [""]]
    found = scores(meteor(), summary=summary, references=pa.array(references, pa.list_(pa.string())))
    assert found["meteor"] == [0.5, None, 0.0, None, None, 0.5, None, None]
    filled = ["ok", None, "empty_summary", "empty_reference", None, "ok", "empty_reference", "empty_reference"]
    assert found["meteor_status"] == filled
    parity = scores(meteor(parity="reference"), summary=["a", "", ""], references=[[""], [""], ["a"]])
    assert parity["meteor"] == [nltk("a", [""]), nltk("", [""]), nltk("", ["a"])] == [0.0, 0.0, 0.0]


def test_rows_that_share_references_and_threads():
    """Grouped or alone, in one range or many, beside other metrics: the same bytes."""
    pairs = pl.read_parquet(scitldr_sample())
    texts = {"summary": pa.chunked_array(pairs["summary"]), "references": pa.chunked_array(pairs["references"])}
    whole = arrow(meteor(synonyms=SYNONYMS), **texts)
    for size in (1, 7):
        parts = [
            arrow(meteor(synonyms=SYNONYMS), **{k: v[a : a + size] for k, v in texts.items()})
            for a in range(0, 70, size)
        ]
        assert pa.Table.from_batches(parts).combine_chunks()["meteor"].equals(pa.chunked_array([whole["meteor"][:70]]))
    big = {role: pa.concat_arrays(values.chunks * 12) for role, values in texts.items()}
    assert same_bytes(arrow(meteor(), threads=2, **big), arrow(meteor(), **big))
    both = scores([gm.metrics.rouge(tokenizer="whitespace"), meteor(tokenizer="whitespace_lower")], **texts)
    assert both["meteor"] == scores(meteor(), **texts)["meteor"]


def test_text_that_is_not_utf8():
    offsets = pa.array([0, 4, 5], pa.int32()).buffers()[1]
    broken = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"fine\xff"))
    given = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), broken)
    good = pa.array(["a", "b"])
    with pytest.raises(InputError, match="column 'summary', row 1: the text is not UTF-8"):
        arrow(meteor(), summary=broken, references=good)
    with pytest.raises(InputError, match="column 'summary', row 1: the text is not UTF-8"):
        arrow(meteor(), kind="tokens", summary=given, references=pa.array([[["a"]], [["b"]]]))


def test_options_and_signature():
    assert meteor().signature.startswith(
        "meteor|alpha:0.9|beta:3.0|gamma:0.5|parity:none|stages:exact,porter|tok:white"
    )
    one, same = meteor(synonyms={"a": ["b", "c"]}), meteor(synonyms={"a": {"c", "b"}})
    assert one.signature == same.signature != meteor(synonyms={"a": {"b"}}).signature
    assert "stages:exact,porter,synonyms-" in one.signature
    assert "(word)|" in meteor(synonyms=SYNONYMS, synonym_on="word").signature
    for options, message in (
        ({"synonym_on": "lemma"}, "'stem', 'word', not 'lemma'"),
        ({"synonym_on": "word"}, "needs synonyms"),
        ({"alpha": 1.5}, "alpha must lie in 0 to 1"),
        ({"gamma": float("nan")}, "gamma must be a finite number"),
        ({"beta": 0}, "beta must be positive"),
        ({"parity": "nltk"}, "'reference' or None, not 'nltk'"),
        ({"tokenizer": "words"}, "unknown tokenizer"),
    ):
        with pytest.raises(OptionError, match=message):
            value("a", ["a"], **options)
