"""RA, SA and AR against a twin written from their formulas, and against the published numbers."""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine import row, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from gistmark_engine.metrics.abstraction import abstraction

CASES = {
    case["name"]: case for case in json.loads((Path(__file__).parent / "data" / "abstraction_cases.json").read_text())
}
KINDS = ("1", "2", "L")
DEFAULTS: dict[str, Any] = {
    "overlap": "multiset", "bigram_norm": "bigrams", "exponent": 3.0, "epsilon": 1e-8, "lcs_source_cap": None,
    "short_bigram": "null", "both_extractive": "formula", "risk_from": "ar2", "risk_cuts": (0.8, 1.2, 2.0), "multi": "first",
}  # fmt: skip
Tokens = list[str]


def shared(text: Tokens, source: Tokens, order: int, overlap: str) -> int:
    a, b = (Counter(tuple(t[k : k + order]) for k in range(len(t) - order + 1)) for t in (text, source))
    if overlap == "multiset":
        return (a & b).total()
    return len(a.keys() & b.keys()) if overlap == "set" else sum(times for gram, times in a.items() if gram in b)


def overlaps(text: Tokens, source: Tokens, o: dict[str, Any]) -> dict[str, float | None]:
    n = len(text)
    two: float | None = 0.0 if o["short_bigram"] == "zero" else None
    if n > 1:
        two = shared(text, source, 2, o["overlap"]) / (n if o["bigram_norm"] == "words" else n - 1)
    lcs = LCSseq.similarity(text, source[: o["lcs_source_cap"]]) / n
    return {"1": shared(text, source, 1, o["overlap"]) / n, "2": two, "L": lcs}


def kept(c: float | None, o: dict[str, Any]) -> float | None:
    return None if c is None else (1.0 - c) ** o["exponent"]


def ratio(s: float | None, r: float | None, o: dict[str, Any]) -> float | None:
    if s is None or r is None:
        return None
    return 1.0 if s == r == 1.0 and o["both_extractive"] == "one" else kept(s, o) / (kept(r, o) + o["epsilon"])  # type: ignore[operator]


def one_reference(summary: Tokens, reference: Tokens, source: Tokens, o: dict[str, Any]) -> dict[str, float | None]:
    c_s, c_r = overlaps(summary, source, o), overlaps(reference, source, o)
    hm = 2 * len(reference) * len(source) / (len(reference) + len(source))
    out: dict[str, float | None] = {"hm_r": hm, "r_tokens": len(reference)}
    for k in KINDS:
        rest = kept(c_r[k], o)
        out |= {f"c_r{k}": c_r[k], f"ra{k}": None if rest is None else hm * rest, f"ar{k}": ratio(c_s[k], c_r[k], o)}
    return out


def combine(rows: list[dict[str, float | None]], o: dict[str, Any]) -> dict[str, float | None]:
    if o["multi"] == "first":
        return rows[0]
    if o["multi"] == "min_ar":
        return min(rows, key=lambda r: math.inf if r[o["risk_from"]] is None else r[o["risk_from"]])
    middle = statistics.fmean if o["multi"] == "mean" else statistics.median
    columns = {name: [r[name] for r in rows] for name in rows[0]}
    return {name: None if None in values else middle(values) for name, values in columns.items()}  # type: ignore[arg-type]


def risk(ar: float | None, cuts: tuple[float, float, float]) -> str | None:
    if ar is None:
        return None
    classes = ("extractive", "balanced", "moderate", "high")
    return classes[(ar >= cuts[0]) + (ar > cuts[1]) + (ar > cuts[2])]


def plain(summary: Tokens, references: list[Tokens], source: Tokens, **options: Any) -> dict[str, Any]:
    """All numbers of a row whose summary and source are not empty; empty references are left out."""
    o = DEFAULTS | options
    hm, c_s = 2 * len(summary) * len(source) / (len(summary) + len(source)), overlaps(summary, source, o)
    out: dict[str, Any] = {"hm_s": hm, "s_tokens": len(summary), "o_tokens": len(source), "ar_risk": None}
    for k in KINDS:
        rest = kept(c_s[k], o)
        out |= {f"c_s{k}": c_s[k], f"sa{k}_per_word": rest, f"sa{k}": None if rest is None else hm * rest}
    rows = [one_reference(summary, reference, source, o) for reference in references if reference]
    if rows:
        out |= combine(rows, o)
        out["ar_risk"] = risk(out[o["risk_from"]], o["risk_cuts"])
        for k in KINDS:
            rest = kept(out[f"c_r{k}"], o)
            out[f"ar{k}_saturated"] = None if rest is None else rest < 1e-6
    return out


def check(rows: list[tuple[Tokens, list[Tokens], Tokens]], **options: Any) -> None:
    ours = scores(
        abstraction(**options),
        "tokens",
        summary=pa.array([s for s, _, _ in rows], pa.list_(pa.string())),
        references=pa.array([r for _, r, _ in rows], pa.list_(pa.list_(pa.string()))),
        source=pa.array([o for _, _, o in rows], pa.list_(pa.string())),
    )
    for k, texts in enumerate(rows):
        agree({name: values[k] for name, values in ours.items()}, plain(*texts, **options))


def agree(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Equal, but for the last bit or two of a power that numba and Python may round differently."""
    for name, value in wanted.items():
        close = isinstance(value, float) and found[name] == pytest.approx(value, rel=1e-14, abs=0)
        assert value == found[name] or close, (name, value, found[name])


words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=14)
rows_of_texts = st.lists(
    st.tuples(words, st.lists(words | st.just([]) | words.map(lambda t: t[:1]), min_size=1, max_size=4), words),
    min_size=1,
    max_size=4,
)
CHOICES = {
    "overlap": ("multiset", "set", "membership"), "bigram_norm": ("bigrams", "words"), "exponent": (3.0, 1.0, 2.5),
    "epsilon": (1e-8, 1e-3), "lcs_source_cap": (None, 1, 3), "short_bigram": ("null", "zero"),
    "both_extractive": ("formula", "one"), "risk_from": ("ar1", "ar2", "arL"),
    "risk_cuts": ((0.8, 1.2, 2.0), (0.1, 0.5, 0.5)), "multi": ("first", "mean", "min_ar", "median"),
}  # fmt: skip


@given(rows=rows_of_texts, options=st.fixed_dictionaries({name: st.sampled_from(v) for name, v in CHOICES.items()}))
@settings(max_examples=300, deadline=None)
def test_every_option_follows_the_formulas(rows: list[Any], options: dict[str, Any]) -> None:
    check(rows, **options)


def test_all_pairs_of_choices_on_one_row() -> None:
    texts = [
        (list("aabcd"), [list("a"), list("abx"), list("aab")], list("aabcdeab")),
        (list("b"), [list("ab")], list("ab")),
    ]
    for (one, some), (other, more) in itertools.combinations(CHOICES.items(), 2):
        for a, b in itertools.product(some, more):
            check(texts, **{one: a, other: b})


def test_real_documents_under_the_default_settings(shared: Path) -> None:
    table = pq.read_table(shared / "data" / "xsum_abstractionstudy.parquet").to_pydict()
    texts = [table[name] for name in ("candidate", "references", "source")]
    ours = scores(abstraction(), summary=texts[0], references=texts[1], source=texts[2])
    for k in range(0, 524, 5):
        summary, source = (re.findall(r"\w+", texts[c][k].lower()) for c in (0, 2))
        wanted = plain(summary, [re.findall(r"\w+", text.lower()) for text in texts[1][k]], source)
        agree({name: values[k] for name, values in ours.items()}, wanted)


def test_the_published_row_of_the_news_study(shared: Path) -> None:
    table = pq.read_table(shared / "data" / "xsum_abstractionstudy.parquet").to_pylist()
    study = [line for line in table if line["system"] == "huggingface_gen" and int(line["doc_id"]) < 50]
    assert len(study) == 50
    columns = {"summary": "candidate", "references": "references", "source": "source"}
    roles = {role: [line[name] for line in study] for role, name in columns.items()}
    ours = scores(abstraction(preset="ra_sa_ar_paper"), **roles)
    printed = {"ra1": "3.55", "ra2": "22.86", "raL": "8.77", "c_r1": "0.61"}
    assert {name: f"{statistics.fmean(ours[name]):.2f}" for name in printed} == printed
    assert statistics.fmean(scores(abstraction(), **roles)["raL"]) == pytest.approx(8.567, abs=5e-4)


def test_the_hand_worked_row() -> None:
    case = CASES["abs-basic"]
    ours = row(abstraction(), summary=case["summary"], references=case["reference"], source=case["source"])
    wanted = case["expected"]
    for name in ("c_r", "c_s", "ra", "sa", "ar"):
        assert [ours[name + k] for k in KINDS] == pytest.approx(wanted[name], rel=1e-14)
    assert (ours["hm_r"], ours["hm_s"], ours["ar_risk"]) == (wanted["hm_r"], wanted["hm_s"], wanted["risk_from_ar2"])
    assert (ours["r_tokens"], ours["s_tokens"], ours["o_tokens"]) == (wanted["R"], wanted["S"], wanted["O"])


def test_the_hand_worked_options() -> None:
    case = CASES["abs-multiset"]
    for mode in ("multiset", "set", "membership"):
        ours = row(abstraction(overlap=mode), summary=case["summary"], source=case["source"])  # type: ignore[arg-type]
        assert ours["c_s1"] == case["expected"][f"c_s1_{mode}"]
    case = CASES["abs-bigram-norm"]
    for norm, name in (("bigrams", "c_s2_multiset"), ("words", "c_s2_over_words")):
        ours = row(abstraction(bigram_norm=norm), summary=case["summary"], source=case["source"])  # type: ignore[arg-type]
        assert ours["c_s2"] == case["expected"][name]
    case = CASES["abs-lcs-cap"]
    for cap, name in ((None, "lcs_uncapped"), (4, "lcs_capped")):
        ours = row(
            abstraction(lcs_source_cap=cap), "tokens", summary=case["summary_tokens"], source=case["source_tokens"]
        )
        assert (ours["c_sL"], ours["o_tokens"]) == (case["expected"][name] / 3, 7)
    case = CASES["abs-one-word"]
    ours = row(abstraction(), summary=case["summary"], source=case["source"], references="a b")
    wanted = case["expected"]
    assert [ours[name] for name in ("hm_s", "c_s1", "c_s2", "c_sL", "sa1", "sa2", "saL")] == [
        wanted[name] for name in ("hm", "c_s1", "c_s2", "c_sL", "sa1", "sa2", "saL")
    ]
    assert (ours["ar2"], ours["ar_risk"], ours["abstraction_status"]) == (None, None, "too_short")
