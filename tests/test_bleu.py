"""BLEU and its tokenizers against sacreBLEU, run here."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.bleu import bleu, sacrebleu_signature
from gistmark_engine.plan import score_batch

TOKENIZERS = ("13a", "intl", "zh", "char", "none")

hostile = st.text(alphabet="aB1 2.,-'&<>\n\t($é中。…“½€ΣİK?_😀\u00a0\u2003;quotamplgk\U000f0000", max_size=24)
repeated = st.lists(st.sampled_from(["a", "b", "1.5", "3-", "&amp;lt;", "<skipped>", "-\n", "..", ","]), max_size=16)
texts = hostile | repeated.map(" ".join) | repeated.map("".join)
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=6)


@pytest.fixture(autouse=True, scope="module")
def added_plainly() -> Iterator[None]:
    """sacreBLEU adds with `sum`, which compensates rounding from Python 3.12 on; here it adds as it does before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sacrebleu.metrics.bleu.sum", lambda values: functools.reduce(operator.add, values, 0), raising=False
        )
        yield


def run(metric: Metric, rows: Sequence[tuple[str, list[str]]]) -> dict[str, list[Any]]:
    summaries, references = [row[0] for row in rows], [row[1] for row in rows]
    table = pa.table({"summary": summaries, "references": pa.array(references, pa.list_(pa.string()))})
    return {
        name: score.to_pylist()
        for name, score in zip(metric.columns, score_batch(table, [metric]).columns, strict=True)
    }


def corpus(metric: Metric, scored: dict[str, list[Any]]) -> float:
    assert metric.corpus
    return metric.corpus.finish({name: float(sum(scored[name])) for name in metric.corpus.statistics})[metric.name]


def streams(rows: Sequence[tuple[str, list[str]]]) -> list[list[str | None]]:
    """Reference k of every row, as sacreBLEU wants them; None where a row has fewer."""
    most = max(len(references) for _, references in rows)
    return [[refs[k] if k < len(refs) else None for _, refs in rows] for k in range(most)]


def check(rows: Sequence[tuple[str, list[str]]], **options: Any) -> None:
    """Every row and the corpus, bit for bit, in parity mode."""
    ours = bleu(parity="reference", **options)
    scored = run(ours, rows)
    peer = {
        "tokenize": options.get("tokenizer", "13a"),
        "lowercase": options.get("lowercase", False),
        "smooth_method": options.get("smooth", "exp"),
        "smooth_value": options.get("smooth_value"),
        "max_ngram_order": options.get("max_order", 4),
    }
    row_peer = sacrebleu.BLEU(effective_order=options.get("effective_order", True), **peer)
    expected = [row_peer.sentence_score(summary, references).score for summary, references in rows]
    assert scored["bleu"] == expected
    corpus_peer = sacrebleu.BLEU(effective_order=options.get("corpus_effective_order", False), **peer)
    total = corpus_peer.corpus_score([summary for summary, _ in rows], streams(rows))
    assert corpus(ours, scored) == total.score
    counts = [len({len(references) for _, references in rows}) == 1 and len(rows[0][1]), None]
    assert sacrebleu_signature(ours, counts[0] or None) == str(corpus_peer.get_signature())


@pytest.fixture(scope="session")
def real(shared: Path) -> list[tuple[str, list[str]]]:
    """Every candidate with all its references, and abstracts as long pairs."""
    found = []
    for path in sorted((shared / "data").glob("*.parquet")):
        table = pq.read_table(path)
        if {"candidate", "references"} <= set(table.column_names):
            found += zip(table["candidate"].to_pylist(), table["references"].to_pylist(), strict=True)
        if "source" in table.column_names and "scitldr" in path.name:
            sources = table["source"].to_pylist()[:300]
            found += [(one, [other]) for one, other in zip(sources[::3], sources[3::3], strict=False)]
    return [(summary, references) for summary, references in found if summary is not None and references]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_real_row(real: list[tuple[str, list[str]]], tokenizer: str) -> None:
    check(real if tokenizer == "13a" else real[::5], tokenizer=tokenizer)


@pytest.mark.parametrize(
    "options",
    [
        {"smooth": "floor"},
        {"smooth": "floor", "smooth_value": 0.01},
        {"smooth": "add-k"},
        {"smooth": "add-k", "smooth_value": 2},
        {"smooth": "none"},
        {"lowercase": True},
        {"max_order": 2},
        {"max_order": 9, "effective_order": False, "corpus_effective_order": True},
    ],
    ids=str,
)
def test_options_on_real_rows(real: list[tuple[str, list[str]]], options: dict[str, Any]) -> None:
    check(real[::10], **options)


@settings(max_examples=100, deadline=None)
@given(
    rows,
    st.sampled_from(TOKENIZERS),
    st.booleans(),
    st.sampled_from(["exp", "floor", "add-k", "none"]),
    st.booleans(),
    st.booleans(),
)
def test_hostile_rows(rows, tokenizer, lowercase, smooth, effective, corpus_effective) -> None:  # type: ignore[no-untyped-def]
    check(
        rows,
        tokenizer=tokenizer,
        lowercase=lowercase,
        smooth=smooth,
        effective_order=effective,
        corpus_effective_order=corpus_effective,
    )


@pytest.mark.parametrize("tokenizer", ["13a", "zh", "char", "none", "intl"])
def test_every_character(tokenizer: str) -> None:
    """Each assigned character between letters, between digits and at the ends, matched with itself spaced apart."""
    import unicodedata

    points = [chr(code) for code in range(0x2FA20) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    block = [points[at : at + 500] for at in range(0, len(points), 500)]
    check([("".join(f"a{c}a 1{c}1 {c} " for c in part), [" ".join(part)]) for part in block], tokenizer=tokenizer)


@pytest.mark.parametrize("lowercase", [False, True])
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_digits_stops_and_hyphens_across_blocks(lowercase: bool, data: st.DataObject) -> None:
    """Texts around the 64 bytes that are cut at once, made of what 13a decides by its neighbours, and of what it edits."""
    alphabet = data.draw(st.sampled_from(["1.", "1., a", "1.,- a\n", "19.,-/a \n&<\u00a0\u3000\u00e9\u2014\u0130A"]))
    text = data.draw(st.text(alphabet, min_size=56, max_size=200))
    spaced = Tokenizer13a()(text)
    check([(text, [spaced]), (spaced, [text]), (text, [text[:100] + "1" + text[100:]])], lowercase=lowercase)


def test_null_and_empty() -> None:
    table = pa.table(
        {
            "summary": pa.array([None, "a b", "", "a b", "a b", "a b", "a b"]),
            "references": pa.array([["a"], None, ["a b"], [""], ["", "a b", None], [None], []], pa.list_(pa.string())),
        }
    )
    metric = bleu()
    scored = dict(zip(metric.columns, score_batch(table, [metric]).columns, strict=True))
    assert scored["bleu"].to_pylist()[:4] == [None, None, 0.0, None]
    assert scored["bleu"].to_pylist()[4] == sacrebleu.sentence_bleu("a b", ["a b"]).score
    assert scored["bleu"].to_pylist()[5:] == [None, None]
    assert scored["bleu_status"].to_pylist() == [
        None,
        None,
        "empty_summary",
        "empty_reference",
        "ok",
        None,
        "empty_reference",
    ]
    assert scored["bleu_total1"].to_pylist() == [None, None, 0, 2, 2, None, None]


def test_references_shared_by_rows_and_long_texts() -> None:
    long = " ".join(str(k * k % 997) for k in range(20_000))
    references = [long, long[::-1], "the end"]
    check([(long[k : k + 9_000], references) for k in (0, 5, 5_000)] + [("the end", references), ("", references)])


def test_pieces_of_a_local_model(
    tmp_path: Path, real: list[tuple[str, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spm = pytest.importorskip("sentencepiece")
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "sacrebleu_tokenizer_spm.model"
    sentences = iter([summary for summary, _ in real[:2000]])
    spm.SentencePieceTrainer.train(
        sentence_iterator=sentences,
        model_prefix=str(model.with_suffix("")),
        vocab_size=500,
        model_type="bpe",
        minloglevel=2,
    )
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(tmp_path))
    some = [*real[::40], ("a\u3000b ", ["A b", ""]), ("", ["x"])]
    for lowercase in (False, True):
        metric = bleu(tokenizer=f"spm:{model}", lowercase=lowercase, parity="reference")
        peer = sacrebleu.BLEU(tokenize="flores101", effective_order=True, lowercase=lowercase)
        assert run(metric, some)["bleu"] == [peer.sentence_score(*row).score for row in some]
    assert re.fullmatch(r".*\|tok:spm:sacrebleu_tokenizer_spm\.model@[0-9a-f]{8}\|.*", metric.signature)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokenizer": "13b"}, "13a, intl, zh, char, none or 'spm:FILE', not '13b'"),
        ({"tokenizer": "spm:/no/such.model"}, "there is none at '/no/such.model'"),
        ({"smooth": "exponential"}, "smooth must be one of"),
        ({"smooth": "exp", "smooth_value": 1.0}, "takes no smooth_value"),
        ({"smooth": "floor", "smooth_value": -1.0}, "must lie in 0 to"),
        ({"smooth": "floor", "smooth_value": np.nan}, "a finite number"),
        ({"max_order": 0}, "1 to 9"),
        ({"parity": "sacrebleu"}, "parity must be 'reference' or None"),
    ],
)
def test_refused_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=re.escape(says)):
        bleu(**options)
