"""Texts as characters and chrF's words, against Python's `str.split`, across the borders of blocks of 64 bytes."""

from __future__ import annotations

import random
import string
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from gistmark_engine.columns import Column
from gistmark_engine.inputs import read_inputs
from gistmark_engine.intrinsics import has_compress
from gistmark_engine.kernels import letters
from gistmark_engine.metrics.chrf import chrf, chrfpp
from gistmark_engine.tokens import Tokens, tokenise

ALPHABET = "abAΣσİK .,()!'é中\u0301\u200d👩\U0010ffff\x00\x1c\x85\u00a0\u2003\n\t"
runs = st.text(st.sampled_from("ab .,("), min_size=40, max_size=90)
pieces = st.lists(runs | st.text(st.sampled_from(ALPHABET), max_size=8), max_size=5)
texts = st.lists(pieces.map("".join), min_size=1, max_size=4)


def words_of(text: str) -> list[str]:
    """As sacreBLEU's chrF++ has them."""
    found = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def cut(summaries: list[str], reference: str, **options: Any) -> Tokens:
    """All summaries beside the same reference, so that they are one group."""
    metric = chrf(**options) if options.get("whitespace") else chrfpp(**options)
    columns = {"summary": Column(pa.array(summaries), "summary"),
               "references": Column(pa.array([reference] * len(summaries)), "references")}  # fmt: skip
    inputs = read_inputs(columns, 0, len(summaries))
    assert metric.tokenizer
    tokens = tokenise(inputs.rows(metric.inputs), metric.tokenizer, given=False, null=inputs.null)
    assert tokens
    return tokens


def spelled(tokens: Tokens, span: np.ndarray, sentences: np.ndarray) -> tuple[list[int], list[list[int]]]:
    """The ids of a text, and those of each of its words."""
    ids, start, found = tokens.cut.ids, span[0], []
    for stop in tokens.cut.sentence_stops[sentences[0] : sentences[1]]:
        found.append(ids[start:stop].tolist())
        start = stop
    return ids[span[0] : span[1]].tolist(), found


def check(summaries: list[str], reference: str, **options: Any) -> None:
    """Equal characters have equal ids and different ones different ids, over all texts, and words hold the same."""
    tokens = cut(summaries, reference, **options)
    got = [spelled(tokens, *row) for row in zip(tokens.cut.summary, tokens.cut.summary_sentences, strict=True)]
    got.append(spelled(tokens, tokens.cut.reference[0], tokens.cut.reference_sentences[0]))
    of: dict[str, int] = {}
    for text, (ids, words) in zip([*summaries, reference], got, strict=True):
        text = text.lower() if options.get("lowercase") else text
        characters = text if options.get("whitespace") else "".join(text.split())
        assert len(ids) == len(characters)
        assert all(
            of.setdefault(character, number) == number for character, number in zip(characters, ids, strict=True)
        )
        if not options.get("whitespace"):
            assert words == [[of[character] for character in word] for word in words_of(text)]
    assert len(set(of.values())) == len(of)
    assert max(of.values(), default=0) <= tokens.vocabulary


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"whitespace": True}], ids=str)
@given(summaries=texts, reference=pieces.map("".join))
@settings(max_examples=150, deadline=None)
def test_characters_and_words(options: dict[str, Any], summaries: list[str], reference: str) -> None:
    check(summaries, reference, **options)


@pytest.mark.parametrize("hole", [" ", "é", "\u2003", "(", "İ"])
def test_one_character_at_every_place_of_a_block(hole: str) -> None:
    """Words open across the border of two blocks, and closed on either side of it."""
    text = "ab)cd" * 27
    summaries = [text[:size][:k] + hole + text[:size][k:] for size in (63, 64, 65, 130) for k in range(size + 1)]
    for lowercase in False, True:
        check(summaries, "", lowercase=lowercase)


def test_more_characters_than_a_byte_can_number() -> None:
    text = " ".join(chr(0x4E00 + k) + chr(0x4E00 + 7 * k % 500) for k in range(500))
    check([text, text[::-1]], text[100:])


def test_numbers_are_given_anew_for_every_batch() -> None:
    first, second = cut(["éü"], ""), cut(["üé"], "")
    assert first.cut.ids[:2].tolist() == second.cut.ids[:2].tolist() == [128, 129]


@pytest.mark.parametrize("name", ["_put_loop", "store_bytes"])
def test_both_ways_of_writing_bytes(name: str) -> None:
    if name == "store_bytes" and not has_compress():
        pytest.skip("this CPU cannot pack the bytes of a block (AVX-512 VBMI2)")
    put: Any = getattr(letters, name)
    call: Any = njit(lambda source, chosen, target: put(source, chosen, target))
    rng = random.Random(0)
    source = np.frombuffer(rng.randbytes(64), np.uint8)
    for bits in [0, 1, 1 << 63, 2**64 - 1, *(rng.getrandbits(64) & rng.getrandbits(64) for _ in range(100))]:
        written = np.full(70, -1, np.int32)
        call(source.ctypes.data, np.uint64(bits), written[3:].ctypes.data)
        expected = [source[k] for k in range(64) if bits >> k & 1]
        assert written[3 : 3 + len(expected)].tolist() == expected
        assert written[:3].tolist() == [-1, -1, -1]
        assert written[67:].tolist() == [-1, -1, -1]
