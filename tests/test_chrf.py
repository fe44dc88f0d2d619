"""chrF and chrF++ against sacreBLEU, run here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.chrf import chrf, chrfpp, sacrebleu_signature
from gistmark_engine.plan import score_batch

Rows = Sequence[tuple[str, list[str]]]

hostile = st.text(alphabet="abAΣİ .,()!'é中\u0301\u200d👩😀\u00a0\u2003\n\t", max_size=30)
words = st.lists(st.sampled_from(["a", "ab", "(hi)", "(", ")", "b.", "'c", "..", "é", "ab\u00a0", "\n"]), max_size=20)
texts = hostile | words.map(" ".join)
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=6)


def run(metric: Metric, rows: Rows) -> dict[str, list[Any]]:
    references = pa.array([references for _, references in rows], pa.list_(pa.string()))
    table = pa.table({"summary": [summary for summary, _ in rows], "references": references})
    scored = score_batch(table, [metric])
    return {name: column.to_pylist() for name, column in zip(metric.columns, scored.columns, strict=True)}


def check(rows: Rows, make: Callable[..., Metric] = chrf, **options: Any) -> None:
    """Every row and the corpus, bit for bit, in parity mode."""
    ours = make(parity="reference", **options)
    scored = run(ours, rows)
    peer = sacrebleu.CHRF(**({"word_order": 2} if make is chrfpp else {}) | options)
    assert scored[ours.name] == [peer.sentence_score(summary, references).score for summary, references in rows]
    most = max(len(references) for _, references in rows)
    streams = [[refs[k] if k < len(refs) else None for _, refs in rows] for k in range(most)]
    total = peer.corpus_score([summary for summary, _ in rows], streams)
    assert ours.corpus
    sums = {name: float(sum(scored[name])) for name in ours.corpus.statistics}
    assert ours.corpus.finish(sums)[ours.name] == total.score
    even = len({len(references) for _, references in rows}) == 1
    assert sacrebleu_signature(ours, most if even else None) == str(peer.get_signature())


@pytest.fixture(scope="session")
def real(shared: Path) -> list[tuple[str, list[str]]]:
    """Every candidate with its references, of eleven only the first three."""
    found = []
    for path in sorted((shared / "data").glob("*.parquet")):
        table = pq.read_table(path)
        if {"candidate", "references"} <= set(table.column_names):
            found += zip(table["candidate"].to_pylist(), table["references"].to_pylist(), strict=True)
    return [(summary, references[:3]) for summary, references in found if summary is not None and references]


def test_every_real_row(real: Rows) -> None:
    check([(summary, references[:1]) for summary, references in real], chrfpp)
    check(real[::10], chrfpp)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"word_order": 1, "beta": 1},
        {"word_order": 3, "beta": 3, "char_order": 4},
        {"lowercase": True},
        {"whitespace": True},
        {"eps_smoothing": True, "word_order": 2},
        {"beta": 0.5, "char_order": 9},
    ],
    ids=str,
)
def test_options_on_real_rows(real: Rows, options: dict[str, Any]) -> None:
    check(real[::20], **options)


def test_long_texts() -> None:
    long = "".join(chr(97 + k * k % 89) + " " * (k % 5 == 0) for k in range(30_000))
    check([(long[k : k + 20_000], [long, long[::-1], "the end"]) for k in (0, 7, 10_000)], chrfpp)


@settings(max_examples=150, deadline=None)
@given(rows, st.integers(1, 7), st.integers(0, 3), st.sampled_from([1, 2, 3]), st.booleans(), st.booleans())
def test_hostile_rows(rows, char_order, word_order, beta, lowercase, smoothed) -> None:  # type: ignore[no-untyped-def]
    options = {"char_order": char_order, "beta": beta, "lowercase": lowercase, "eps_smoothing": smoothed}
    check(rows, word_order=word_order, **options)
    check(rows, whitespace=True, **options)


def test_null_and_empty() -> None:
    table = pa.table(
        {
            "summary": pa.array([None, "a b", " ", "a b", "a b", "a b", "a b"]),
            "references": pa.array([["a"], None, ["a b"], [" "], ["", "a b", None], [None], []], pa.list_(pa.string())),
        }
    )
    metric = chrf()
    scored = dict(zip(metric.columns, score_batch(table, [metric]).columns, strict=True))
    assert scored["chrf"].to_pylist() == [None, None, 0.0, None, 100.0, None, None]
    assert scored["chrf_status"].to_pylist() == [
        None,
        None,
        "empty_summary",
        "empty_reference",
        "ok",
        None,
        "empty_reference",
    ]
    assert scored["chrf_char1_summary"].to_pylist() == [None, None, 0, 0, 2, None, None]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"char_order": 0}, "char_order must lie in 1 to 9"),
        ({"word_order": 10}, "word_order in 0 to 9"),
        ({"beta": 0}, "beta must lie above 0"),
        ({"whitespace": True, "word_order": 2}, "needs word_order=0"),
        ({"parity": "x"}, "parity must be None or 'reference'"),
    ],
)
def test_refused_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=re.escape(says)):
        chrf(**options)
