"""Tokens given by the user that are refused: what is said, and of which row."""

from __future__ import annotations

import pyarrow as pa
import pytest
from engine import scores

from gistmark_engine import ranges
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metrics.meteor import meteor
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_columns

WORDS = pa.list_(pa.string())
LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
BEYOND, VIEWS = pa.list_(pa.uint64()), pa.list_view(pa.uint64())
LARGE: list[list[int | None] | None] = [[1, 2], None, [], [3, None], [4, 2**63, 2**64 - 1], [5], [2**64 - 1]]


def coded(lists: pa.Array) -> pa.Array:
    """The same lists of a dictionary's values."""
    return pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode(), mask=lists.is_null())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1 << 24, 600, 1])
def test_an_integer_beyond_a_signed_word_is_refused_before_it_wraps_onto_another(
    size: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its row and value, in ranges of any size."""
    for name, value in ("FEW", 0), ("SMALLEST", size), ("LARGEST", size):
        monkeypatch.setattr(ranges, name, value)
    lists, good = pa.array(LARGE, BEYOND), pa.array([[1]] * 7, BEYOND)
    chunks = pa.chunked_array([lists[:2], lists[2:3], lists[3:]])
    nested = pa.ListArray.from_arrays(pa.array(range(8), pa.int32()), lists)
    message = r"metric 'rouge', column '{}', row {}: integer tokens must fit 64 bits with a sign \(found 9223372036854775808\)"
    for summary in lists, chunks, coded(lists), lists.cast(pa.large_list(pa.uint64())), pa.array(LARGE, VIEWS):
        with pytest.raises(InputError, match=message.format("summary", 4)):
            scores(rouge(), "tokens", threads, summary=summary, references=good)
    for references, row in (lists, 4), (nested, 4), (nested[2:], 2):
        with pytest.raises(InputError, match=message.format("references", row)):
            scores(rouge(), "tokens", threads, summary=good[: len(references)], references=references)
    assert scores(rouge(("1",)), "tokens", threads, summary=lists[:4], references=good[:4])["rouge1_p"][0] == 0.5


def test_an_integer_under_a_null_is_nobodys() -> None:
    items = pa.array([1, 2**64 - 1, 2], pa.uint64())
    hidden = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), items, mask=pa.array([False, True, False]))
    scored = scores(rouge(("1",)), "tokens", summary=hidden, references=pa.array([[1], [1], [1]], BEYOND))
    assert scored["rouge1_f1"] == [1.0, None, 0.0]


BROKEN = [b"\xff", b"caf\xc3", b"a token of many letters \xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"x" * 80 + b"\x80"]


def as_strings(tokens: list[bytes], kind: pa.DataType) -> pa.Array:
    """The bytes as strings, unchecked."""
    strings = pa.StringArray.from_buffers(len(tokens), *pa.array(tokens, pa.binary()).buffers()[1:])
    if not pa.types.is_dictionary(kind):
        return strings.cast(kind)
    return pa.DictionaryArray.from_arrays(pa.array(range(len(tokens)), kind.index_type), strings)


@pytest.mark.parametrize("element", LAYOUTS, ids=str)
@pytest.mark.parametrize("token", BROKEN)
def test_tokens_that_are_not_utf8_are_refused(
    token: bytes, element: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As texts are, in every role, in ranges of any size, and where words are looked up."""
    good = pa.array([["the", "é"]] * 4, WORDS)
    strings = as_strings([b"the", "é".encode(), "größer als sechzehn".encode(), b"cat", token, b"on"], element)
    bad = pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 6], pa.int32()), strings)
    monkeypatch.setattr(ranges, "FEW", 0)
    for size in (1, 1 << 24):
        monkeypatch.setattr(ranges, "SMALLEST", size)
        monkeypatch.setattr(ranges, "LARGEST", size)
        for metric in (rouge(("1", "L")), meteor()):
            for role in ("summary", "references"):
                columns = {"summary": good, "references": good} | {role: bad}
                problem = f"metric '{metric.name}', column '{role}', row 3: the text is not UTF-8"
                with pytest.raises(InputError, match=problem):
                    scores(metric, "tokens", **columns)
    assert scores(rouge(("1",)), "tokens", summary=bad[:3], references=good[:3])["rouge1_p"] == [1.0, 0.0, 0.0]


def test_a_dictionary_of_a_dictionary_is_refused() -> None:
    """Nothing that writes tables makes one: it can be put together by hand only."""
    words = pa.array(["a", "b"]).dictionary_encode()
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), words)
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), twice)
    for kind, values in ("text", twice), ("tokens", lists), ("sentences", lists):
        with pytest.raises(
            InputError, match=r"column 'summary': .* is needed here .found 'dictionary<values=dictionary<"
        ):
            scores(rouge(), kind, summary=values, references=values)  # type: ignore[arg-type]


def test_tokens_beside_text_are_refused() -> None:
    text, words = pa.array(["a b"]), pa.array([["a", "b"]])
    for kinds in (("tokens", "text"), ("text", "tokens"), ("tokens", "sentences")):
        columns = {
            role: Column(text if kind == "text" else words, "same name", kind)  # type: ignore[arg-type]
            for role, kind in zip(("summary", "references"), kinds, strict=True)
        }
        with pytest.raises(InputError, match="either all texts are given as tokens or none is"):
            score_columns(columns, [rouge()])


def test_words_beside_integers_are_refused() -> None:
    """Eight letters would otherwise equal the integer made of the same bytes."""
    number = pa.array([[int.from_bytes(b"abcdefgh", "little")]])
    with pytest.raises(InputError, match="tokens are integers in all columns or in none"):
        scores(rouge(), "tokens", summary=number, references=pa.array([["abcdefgh"]]))
    with pytest.raises(InputError, match="tokens are integers in all columns or in none"):
        scores(rouge(), "tokens", summary=coded(number), references=pa.array([["abcdefgh"]]))
    assert scores(rouge(("1",)), "tokens", summary=coded(number), references=number)["rouge1_f1"] == [1.0]
    nothing = scores(rouge(("1",)), "tokens", summary=number, references=pa.nulls(1, pa.list_(pa.list_(pa.null()))))
    assert nothing["rouge1_f1"] == [None]


def test_tokens_that_are_no_lists_or_of_a_wrong_type_are_refused() -> None:
    for wrong in (pa.array(["a b"]), pa.array([1])):
        with pytest.raises(InputError, match="column 'summary': tokens must be lists, one a text"):
            scores(rouge(), "tokens", summary=wrong, references=wrong)
    floats = pa.array([[1.5]])
    with pytest.raises(InputError, match="column 'summary': a column of strings or integers is needed"):
        scores(rouge(), "tokens", summary=floats, references=floats)


def test_tokens_cannot_be_stemmed() -> None:
    words = pa.array([["running"]])
    with pytest.raises(OptionError, match="stem, normalize and casefold need text"):
        scores(rouge(stem=True), "tokens", summary=words, references=words)
