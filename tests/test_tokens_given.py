"""Texts the user has cut: lists of tokens, words or integers, and lists of sentences."""

from __future__ import annotations

import pyarrow as pa
import pytest
from engine import Reading, arrow, cut, misread, same_bytes, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from gistmark_engine.columns import Column
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.metrics.ter import ter
from gistmark_engine.plan import score_columns

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
WORDS = pa.list_(pa.string())
EDGES = [fill * size + end for fill in ("a", "\x00") for size in (0, 7, 8, 15, 16, 17) for end in ("", "b", "c")]
token = st.text(max_size=20) | st.sampled_from(EDGES)
token_lists = st.lists(token, max_size=30)
integers = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(st.lists(st.tuples(token_lists, token_lists), min_size=1, max_size=5))
@settings(max_examples=120, deadline=None)
def test_strings_are_tokens_as_they_stand(rows: list[tuple[list[str], list[str]]]) -> None:
    """Case, spaces and NUL included: equal ids are equal strings."""
    assert not misread("rouge", [Reading(a, b, a, b) for a, b in rows], "tokens")


@given(st.lists(st.tuples(st.lists(integers, max_size=30), st.lists(integers, max_size=30)), min_size=1, max_size=5))
@settings(max_examples=120, deadline=None)
def test_integers_are_tokens(rows: list[tuple[list[int], list[int]]]) -> None:
    assert not misread("rouge", [Reading(a, b, a, b) for a, b in rows], "tokens")


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.uint64()], ids=str
)
def test_integers_of_any_width(kind: pa.DataType) -> None:
    high = 2 ** min(kind.bit_width - (not str(kind).startswith("u")), 63) - 1
    lists = pa.list_(kind)
    scored = scores(
        rouge(("1", "L")),
        "tokens",
        summary=pa.array([[high, 1, 0], []], lists),
        references=pa.array([[0, high], [1]], lists),
    )
    assert scored["rouge1_r"] == [1.0, 0.0]
    assert scored["rougeL_r"] == [0.5, 0.0]


LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("element", LAYOUTS, ids=str)
@pytest.mark.parametrize("wrap", [pa.list_, pa.large_list, pa.list_view], ids=lambda wrap: wrap.__name__)
def test_token_lists_of_any_layout(element: pa.DataType, wrap: object) -> None:
    summary = [["The", "cat"], None, [], ["sat", None, "The"], ["a token beyond sixteen bytes", "x"]]
    references = [[["the", "cat"], ["The", "cat"]], [["a"]], [["b"]], [None, ["The", "sat"]], [["x"]]]
    plain = [pa.array(summary, WORDS), pa.array(references, pa.list_(WORDS))]
    inner = pa.list_(element)
    layout = [pa.array(summary, inner), pa.array(references, pa.list_(inner))]
    if not pa.types.is_dictionary(element):
        layout = [pa.array(summary, wrap(element)), pa.array(references, wrap(wrap(element)))]  # type: ignore[operator]
    metric = rouge(("1", "2", "L"))
    wanted = arrow(metric, "tokens", summary=plain[0], references=plain[1])
    assert wanted.to_pydict()["rouge2_f1"] == [1.0, None, 0.0, 0.0, 0.0]
    assert wanted.to_pydict()["rouge1_p"] == [1.0, None, 0.0, 1.0, 0.5]
    assert same_bytes(arrow(metric, "tokens", summary=layout[0], references=layout[1]), wanted)
    sliced = arrow(metric, "tokens", summary=layout[0][2:], references=layout[1][2:])
    assert same_bytes(sliced, wanted.slice(2))


def test_every_metric_takes_tokens() -> None:
    tokens = [pa.array([["a", "B", "c"]], WORDS), pa.array([["x", "a", "B"]], WORDS)]
    summary, source = tokens
    stats = scores(datastats(), "tokens", summary=summary, source=source)
    assert (stats["coverage"], stats["density"], stats["summary_length"]) == ([2 / 3], [4 / 3], [3])
    shares = scores(abstraction(), "tokens", summary=summary, source=source, references=source)
    assert (shares["c_s1"], shares["c_s2"], shares["c_r1"]) == ([2 / 3], [0.5], [1.0])


line = st.lists(st.sampled_from(["a", "b", "c", "The", "U.S.", "é"]), max_size=8).map(" ".join)


@given(st.lists(st.tuples(st.lists(line, max_size=5), st.lists(line, max_size=5)), min_size=1, max_size=5))
@settings(max_examples=120, deadline=None)
def test_sentence_lists_equal_lines(rows: list[tuple[list[str], list[str]]]) -> None:
    types = ("1", "2", "L", "Lsum")
    summary, references = pa.array([a for a, _ in rows], WORDS), pa.array([[b] for _, b in rows], pa.list_(WORDS))
    ours = scores(rouge(types, parity="reference"), "sentences", summary=summary, references=references)
    scorer = RougeScorer([f"rouge{kind}" for kind in types])
    for k, (one, other) in enumerate(rows):
        wanted = scorer.score("\n".join(other), "\n".join(one))
        for kind in types:
            parts = [ours[f"rouge{kind}_{part}"][k] for part in ("p", "r", "f1")]
            assert parts == [float(value) for value in wanted[f"rouge{kind}"]]


def test_a_token_does_not_run_on_into_the_next_sentence() -> None:
    sentences = pa.array([["ab", "cd", None, "", "ef"]], WORDS)
    assert cut("rouge", sentences, pa.array([["ab cd ef"]], WORDS), "sentences") == [[[0, 1, 2], [0, 1, 2]]]
    mixed = {
        "summary": Column(sentences, "s", "sentences"),
        "references": Column(pa.array(["ab cd\nef"]), "r"),
    }
    assert score_columns(mixed, [rouge(("Lsum",))])["rougeLsum_f1"].to_pylist() == [1.0]


def test_chunks_with_a_dictionary_each_under_metrics_on_raw_text() -> None:
    def coded(numbers: list[int], words: list[str | None]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(words))

    texts = pa.chunked_array([coded([0, 1], ["a b", None]), coded([0], ["z"])])
    one = pa.array([0, 1], pa.int32())
    two = pa.array([0, 1, 2], pa.int32())
    lists = [
        pa.ListArray.from_arrays(two, coded([0, 1], ["a b", None])),
        pa.ListArray.from_arrays(one, coded([0], ["q"])),
    ]
    columns = {"summary": Column(texts, "summary"), "references": Column(pa.chunked_array(lists), "references")}
    scored = score_columns(columns, [ter(normalized=True)])
    assert scored["ter"].to_pylist() == [0.0, None, 100.0]
