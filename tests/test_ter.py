"""TER and its edits against sacreBLEU, run here."""

from __future__ import annotations

import random
from collections.abc import Sequence
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
from gistmark_engine.metrics.ter import sacrebleu_signature, ter
from gistmark_engine.plan import score_batch

Rows = Sequence[tuple[str, list[str]]]

words = st.lists(st.sampled_from([*"abcdeF", "é", "3-4", "b.", "it's", "&amp;", "中文", "かな。", "\n-"]), max_size=30)
texts = words.map(" ".join) | st.text(alphabet="aB1 2.,-'s&<>\n\t(é中。、ー？", max_size=30)
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=5)


def run(metric: Metric, rows: Rows) -> dict[str, list[Any]]:
    references = pa.array([references for _, references in rows], pa.list_(pa.string()))
    table = pa.table({"summary": [summary for summary, _ in rows], "references": references})
    scored = score_batch(table, [metric])
    return {name: column.to_pylist() for name, column in zip(metric.columns, scored.columns, strict=True)}


def check(rows: Rows, **options: Any) -> None:
    """Every row and the corpus, bit for bit, in parity mode."""
    ours = ter(parity="reference", **options)
    scored, peer = run(ours, rows), sacrebleu.TER(**options)
    assert scored["ter"] == [peer.sentence_score(summary, references).score for summary, references in rows]
    most = max(len(references) for _, references in rows)
    streams = [[refs[k] if k < len(refs) else None for _, refs in rows] for k in range(most)]
    total = peer.corpus_score([summary for summary, _ in rows], streams)
    sums = {name: float(sum(scored[name])) for name in ("ter_edits", "ter_reference_length")}
    assert ours.corpus
    assert ours.corpus.finish(sums)["ter"] == total.score
    even = len({len(references) for _, references in rows}) == 1
    assert sacrebleu_signature(ours, most if even else None) == str(peer.get_signature())


@pytest.fixture(scope="session")
def real(shared: Path) -> list[tuple[str, list[str]]]:
    found = []
    for path in sorted((shared / "data").glob("*.parquet")):
        table = pq.read_table(path)
        if {"candidate", "references"} <= set(table.column_names):
            found += zip(table["candidate"].to_pylist(), table["references"].to_pylist(), strict=True)
    return [(summary, references) for summary, references in found if summary is not None and references]


def test_real_rows(real: Rows) -> None:
    """Each candidate of up to 40 words against its first reference, and a sample of the long ones (sacreBLEU is slow)."""
    pairs = [(summary, references[:1]) for summary, references in real]
    check([pair for pair in pairs if len(pair[0].split()) <= 40])
    check([pair for pair in pairs if len(pair[0].split()) > 40][::40])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"case_sensitive": True},
        {"normalized": True},
        {"no_punct": True},
        {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
    ],
    ids=str,
)
def test_options_on_real_rows(real: Rows, options: dict[str, Any]) -> None:
    """A sample with up to three references."""
    check([(summary, references[:3]) for summary, references in real[::60]], **options)


@settings(max_examples=60, deadline=None)
@given(rows, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_hostile_rows(rows, case_sensitive, normalized, no_punct, asian_support) -> None:  # type: ignore[no-untyped-def]
    check(
        rows,
        case_sensitive=case_sensitive,
        normalized=normalized,
        no_punct=no_punct,
        asian_support=asian_support,
    )


@pytest.mark.parametrize("kinds", [2, 6, 40, 1000])
def test_shuffled_blocks(kinds: int) -> None:
    """References made from summaries by moving blocks: the search for shifts, its limits and its ties."""
    rng = random.Random(kinds)
    found = []
    for _ in range(25):
        summary = [str(rng.randrange(kinds)) for _ in range(rng.choice([1, 5, 20, 45, 70]))]
        reference = list(summary)
        for _ in range(rng.randrange(5)):
            at, size = rng.randrange(len(reference) + 1), rng.randrange(1, 13)
            block = reference[at : at + size]
            del reference[at : at + size]
            to = rng.randrange(len(reference) + 1)
            reference[to:to] = block
            reference += [str(rng.randrange(kinds))] * rng.randrange(3)
        found.append((" ".join(summary), [" ".join(reference)]))
    check(found)


@pytest.mark.parametrize(("many", "few"), [(200, 3), (3, 200), (1, 300), (300, 1), (130, 120), (57, 1)])
def test_band_of_unequal_lengths(many: int, few: int) -> None:
    """Where the band is narrower than the table, or the length ratio widens it."""
    rng = random.Random(many)
    pick = lambda count: " ".join(str(rng.randrange(400)) for _ in range(count))  # noqa: E731
    check([(pick(many), [pick(few)]) for _ in range(3)])


def test_texts_that_a_second_normalisation_parts_further() -> None:
    texts = ["The cat is Bob's.", "2.5..,3", "a 's. b", "1,,,2 x"]
    check([(text, [text, "a b"]) for text in texts], normalized=True)
    table = pa.table({"summary": texts, "references": pa.array([[text] for text in texts])})
    assert score_batch(table, [ter(normalized=True)]).column(0).to_pylist() == [0.0] * len(texts)


def test_null_and_empty() -> None:
    table = pa.table(
        {
            "summary": pa.array([None, "a b", " ", "a b", "a b", "a b", "a b"]),
            "references": pa.array([["a"], None, ["a b"], [" "], ["", "a c", None], [None], []], pa.list_(pa.string())),
        }
    )
    metric = ter()
    scored = dict(zip(metric.columns, score_batch(table, [metric]).columns, strict=True))
    assert scored["ter"].to_pylist() == [None, None, 100.0, None, 50.0, None, None]
    assert scored["ter_status"].to_pylist() == [
        None,
        None,
        "empty_summary",
        "empty_reference",
        "ok",
        None,
        "empty_reference",
    ]
    assert scored["ter_reference_length"].to_pylist() == [None, None, 2.0, 0.0, 2.0, None, None]


def test_refused_option() -> None:
    with pytest.raises(OptionError, match="parity must be 'reference' or None"):
        ter(parity="sacrebleu")  # type: ignore[arg-type]
