"""The tokenizers against the one-liners of their definition.

Ids say which tokens are equal, not what they are. So each text stands beside its own tokens as Python cuts them, joined:
ours must number both alike, in the pattern of Python's tokens. A token folded wrongly, split, merged or lost breaks that.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable

import pyarrow as pa
import pytest
from engine import Reading, cut, misread, scores
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
Cut = Callable[[str], list[str]]
PLAIN: dict[str, Cut] = {
    "rouge": lambda text: re.findall("[a-z0-9]+", text.lower()),
    "word_lower": lambda text: re.findall(r"\w+", text.lower()),
    "word_punct": lambda text: re.findall(r"\w+|[^\w\s]", text.lower()),
    "whitespace": lambda text: text.split(),
    "whitespace_lower": lambda text: text.lower().split(),
}
every_tokenizer = pytest.mark.parametrize("name", PLAIN)


def check(name: str, texts: Iterable[str]) -> None:
    plain, rows = PLAIN[name], []
    for text in texts:
        joined = " ".join(plain(text))
        rows.append(Reading(text, joined, plain(text), plain(joined)))
    wrong = misread(name, rows)
    assert not wrong, (len(wrong), wrong[:3])


character = st.characters(exclude_categories=["Cs"])
CURIOUS = (
    "İıKſßẞΣσςΑα\u0301\u0345\u0307'’·:_-.0١²½ªⅧ日ǅᾳﬁȺȾ\u00ad\u200d\u2028\u00a0\u0085\x1c\x00\n\t aBz"
    "\U000e0100\U000e0041\U00010400\U0001d7d8\U0001f600\U0003134a\U0010ffff"
)
curious = st.sampled_from(CURIOUS)
texts = st.lists(st.text(character | curious, max_size=40) | st.text(curious, max_size=150), min_size=1, max_size=5)


@every_tokenizer
@given(texts=texts)
@example(texts=["İ" * 100, "Ⱥ" * 100, "Α" + "\u0301" * 70 + "Σ" + "\u0301" * 70, "", " ", "\x00"])
@settings(max_examples=200, deadline=None)
def test_any_text_is_cut_as_the_definition_cuts_it(name: str, texts: list[str]) -> None:
    check(name, texts)


@every_tokenizer
def test_every_assigned_character(name: str) -> None:
    """Between two letters and by itself, 64 of them a text; private-use characters are sampled."""
    points = [chr(c) for c in range(sys.maxunicode + 1)]
    known = [c for c in points if unicodedata.category(c) not in ("Cn", "Cs", "Co")]
    known += [chr(c) for c in (0x378, 0xE000, 0xF8FF, 0x2FFFF, 0x3FFFF, 0x40000, 0xE0FFF, 0xF0000, 0x10FFFD, 0x10FFFF)]
    assert len(known) > 140_000
    check(name, (" ".join(f"A{c}b {c} x" for c in known[k : k + 64]) for k in range(0, len(known), 64)))


@pytest.mark.parametrize("name", ["word_lower", "word_punct", "whitespace_lower"])
def test_final_sigma_beside_every_assigned_character(name: str) -> None:
    points = (chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co"))
    check(name, (f"Α{c}Σ {c}Σ ΑΣ{c} ΑΣ{c}Α Α{c}{c}Σ{c}" for c in points))


@pytest.mark.parametrize("name", ["word_lower", "word_punct", "whitespace_lower"])
def test_final_sigma_by_hand(name: str) -> None:
    check(
        name,
        ["ΟΔΟΣ", "Σ", "ΣΑΣ ΣΣ", "ΑΣ.", "ΑΣ.Β", "ΑΣ'Β", "Α.Σ", "ΑΣ\u0301", "ΑΣ\u0301Β", "ΟΔΟΣ\nΟΔΟΣ", "aΣ", "1Σ", "日Σ"],
    )
    (ours, theirs), *_ = cut(name, ["ΟΔΟΣ"], ["οδος οδοσ"])
    assert ours == theirs[:1] != theirs[1:]


@every_tokenizer
@pytest.mark.parametrize("letter", ["a", "é", "日", "𝔘", "K", "İ", "."])
def test_tokens_across_block_boundaries(name: str, letter: str) -> None:
    """Blocks are 64 bytes: tokens that start, end or straddle around their edges, and texts that end there."""
    fill = [" " * k for k in (*range(56, 70), *range(120, 132))]
    words = [letter * n for n in (1, 2, 7, 8, 9, 15, 16, 17, 24, 63, 64, 65, 66, 130)]
    check(name, [space + word for space in fill for word in words])
    check(name, [word + space[:3] + word + "x" for space in fill[:4] for word in words])
    check(name, ["b" * k + " " + letter for k in (*range(58, 70), *range(122, 132))])
    check(name, ["b" * k + "\n" + letter + "\n" for k in (*range(58, 70), *range(122, 132))])


@every_tokenizer
def test_long_tokens_that_share_prefix_or_suffix_stay_apart(name: str) -> None:
    stems = ["x" * n for n in (7, 8, 9, 15, 16, 17, 23, 24, 25, 40, 200)]
    check(name, [" ".join(f"{s} {s}a {s}b {s}ab {s}ba a{s} b{s} {s}a{s} {s}b{s} {s}a" for s in stems)])
    check(name, [" ".join(f"{'q' * 20}{k:05d}{'r' * 11}" for k in range(5000)) + f" {'q' * 20}00007{'r' * 11}"])


@every_tokenizer
def test_more_tokens_than_any_buffer_of_the_reader(name: str) -> None:
    check(name, ["a " * 10_000, "." * 5_000, "a." * 5_000, " ".join(map(str, range(20_000))), "é " * 10_000])


@every_tokenizer
@pytest.mark.parametrize("role", ["summary", "source", "references"])
@pytest.mark.parametrize(
    "broken",
    [b"\xff", b"a\x80b", b"\xc0\x80", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
     b"\xe0\x80\xaf", b"x" * 64 + b"\xc3", b"x" * 63 + b"\xc3", b"\xc3" + b"x" * 70, b"\xf0\x9f\x98"],
    ids=repr,
)  # fmt: skip
def test_bytes_that_are_no_utf8_are_refused_by_column_and_row(name: str, role: str, broken: bytes) -> None:
    good = [b"fine", "größe".encode(), b""]
    column = strings([*good, broken, broken])
    if role == "references":
        column = pa.ListArray.from_arrays(pa.array([0, 1, 2, 2, 4, 5], pa.int32()), column)
    plain = pa.array(["a", "b", "c", "d", "e"])
    metric = datastats(tokenizer=name) if role == "source" else rouge(tokenizer=name)
    roles = dict.fromkeys(("summary", "references", "source"), plain) | {role: column}
    with pytest.raises(InputError, match="not UTF-8") as caught:
        scores(metric, **roles)
    assert (caught.value.column, caught.value.row) == (role, 3)


def strings(values: list[bytes]) -> pa.Array:
    """A string array over any bytes, unchecked."""
    offsets = [sum(map(len, values[:k])) for k in range(len(values) + 1)]
    bounds = pa.array(offsets, pa.int32()).buffers()[1]
    return pa.StringArray.from_buffers(len(values), bounds, pa.py_buffer(b"".join(values)))


def test_an_unknown_tokenizer_is_refused_with_the_list() -> None:
    with pytest.raises(
        OptionError, match=r"unknown tokenizer 'nltk'; there are: .*\brouge, .*\bwhitespace, .*, spm:FILE"
    ):
        scores(rouge(tokenizer="nltk"), summary=["a"], references=["a"])
