"""The stemmer kernel against NLTK's Porter stemmer, run here."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from gistmark_engine.kernels.stem import stem_tokens

NLTK = PorterStemmer()

ENDINGS_TEXT = (
    "s sses ies ss ied eed ed ing y at bl iz atting blied ational tional enci anci izer bli abli alli entli eli ousli "
    "ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful "
    "ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll lle"
)
ENDINGS = ENDINGS_TEXT.split()
tokens = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12)
narrow = st.text(alphabet="aeylst8", min_size=1, max_size=14)
built = st.builds(
    lambda root, endings: root + "".join(endings),
    st.text(alphabet="aeiouybclnstwxz0", max_size=5),
    st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=4),
)


def stems(words: list[str]) -> list[str]:
    """The kernel's stems; the tokens lie back to back, so a write outside one would spoil its neighbour."""
    buffer = np.frombuffer("".join(words).encode(), np.uint8).copy()
    offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
    ends = stem_tokens(buffer, offsets)
    return [bytes(buffer[a:b]).decode() for a, b in zip(offsets[:-1], ends, strict=True)]


def check(words: Iterable[str]) -> None:
    words = list(words)
    wrong = [(w, ours, ref) for w, ours in zip(words, stems(words), strict=True) if ours != (ref := NLTK.stem(w))]
    assert not wrong, wrong[:20]


def test_irregular_words() -> None:
    check(NLTK.pool)
    check([word + tail for word in NLTK.pool for tail in ("s", "es", "ed", "ing", "0", "x")])
    check([head + word for word in NLTK.pool for head in ("a", "0", "re")])


def test_every_short_word() -> None:
    """All words of up to four letters over the ones the rules speak of, the empty word too."""
    check("".join(w) for n in range(5) for w in itertools.product("aeioulstyzwdg0", repeat=n))


def test_roots_with_every_pair_of_endings() -> None:
    roots = [
        "",
        "t",
        "y",
        "a",
        "ay",
        "ty",
        "tr",
        "rat",
        "oat",
        "hop",
        "fail",
        "syzyg",
        "contr",
        "b4",
        "relat",
        "archaeo",
    ]
    check(root + a + b for root in roots for a in ["", *ENDINGS] for b in ENDINGS)


def test_every_token_of_real_text(shared: Path) -> None:
    words: set[str] = set()
    for path in sorted((shared / "data").glob("*.parquet")):
        for column in pq.read_table(path).columns:
            for text in flat(column):
                words.update(re.findall("[a-z0-9]+", text.lower()))
    assert len(words) > 20_000
    check(sorted(words))


def flat(column: pa.ChunkedArray) -> list[str]:
    """Every text of a column, of any string type and however deep in lists; other columns hold none."""
    values = column.combine_chunks()
    while pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        values = values.flatten()
    strings = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    return values.drop_null().to_pylist() if strings else []


def test_long_tokens() -> None:
    rng = random.Random(0)
    letters = ["".join(rng.choices("aeiybclst0", k=10_000)) for _ in range(4)]
    runs = [letter * 10_000 for letter in "aybls0"] + ["ay" * 5_000, "ay" * 5_000 + "y", "b" + "y" * 9_999]
    check(
        [word + ending for word in letters + runs for ending in ("", "s", "yed", "eed", "ly", "alli", "lle", "ements")]
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(tokens | narrow | built, max_size=40))
def test_made_up_words(words: list[str]) -> None:
    check(words)
