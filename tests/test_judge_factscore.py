"""FActScore: hand-checked numbers, nulls with reasons, real articles."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Literal

import pyarrow.parquet as pq
import pytest
from judging import by_rule, constant, score, shown, wanted

from gistmark import judges
from gistmark.judges.contract import Conversation, Reply
from gistmark.judges.facts import abstains
from gistmark.judges.factscore import length_factor, stated_truth
from gistmark.judges.passages import Passages, words
from gistmark_engine.errors import MissingExtra, OptionError


def test_factscore_golden() -> None:
    """Hand-checked: two of three facts supported; exp(1 - 10/3); the factor at and around gamma."""
    assert length_factor(3, 10) == pytest.approx(0.09697196786440505, abs=1e-15)
    assert [length_factor(n, 10) for n in (10, 11, 1)] == [1.0, 1.0, pytest.approx(0.00012340980408667956, abs=1e-18)]
    assert length_factor(3, 0) == 1.0
    metric = judges.factscore(judges.Fake(by_rule), cache=False)
    found = score(metric, summary=["The cat sat. It slept. It flew."], source=["The cat sat and It slept"])
    assert found["factscore"] == [0.6666666666666666]
    assert found["factscore_lp"] == [pytest.approx(0.06464797857627003, abs=1e-15)]
    assert (found["n_facts"], found["n_supported"], found["factscore_undecided"]) == ([3], [2], [0])
    assert found["factscore_facts"] == [["The cat sat", "It slept", "It flew"]]
    assert found["factscore_decisions"] == [["supported", "supported", "unsupported"]]
    assert found["factscore_status"] == ["ok"]


def test_f01_abstentions_are_null_and_counted() -> None:
    rows = ["I could not find information on that person.", "I'm sorry, I don't know."]
    found = score(judges.factscore(judges.Fake(by_rule), cache=False), summary=rows, source=["s", "s"])
    assert found["factscore"] == found["factscore_lp"] == [None, None]
    assert found["factscore_responded"] == [False, False]
    assert found["factscore_status"] == ["undefined", "undefined"]
    assert not any(map(abstains, ["Sorry states collapse.", "We do not see growth.", "I know."][1:]))


def test_factscore_nulls_have_reasons() -> None:
    backend = judges.Fake(by_rule)
    found = score(
        judges.factscore(backend, cache=False),
        summary=[None, "", " \n", "The cat sat.", "The cat sat.", "..."],
        source=["s", "s", "s", None, "", "s"],
    )
    assert found["factscore"] == [None] * 6
    assert found["factscore_status"] == [None, "empty_summary", "empty_summary", None, "empty_source", "undefined"]
    assert found["n_facts"] == [None] * 5 + [0]


def test_an_undecided_fact_enters_no_score() -> None:
    def rule(conversation: Conversation) -> str:
        if "FACTS" not in conversation[-1]["content"]:
            return by_rule(conversation)
        return '{"decisions": [{"id": 1, "supported": true}, {"id": 2, "supported": "maybe"}]}'

    found = score(judges.factscore(judges.Fake(rule), cache=False), summary=["One cat. Two cats."], source=["One cat"])
    assert (found["factscore"], found["n_facts"], found["factscore_undecided"]) == ([1.0], [1], [1])
    assert found["factscore_decisions"] == [["supported", "undecided"]]
    assert found["factscore_status"] == ["repaired"]


@pytest.mark.parametrize("reply", ["no idea", '{"facts": 3}', Reply("", "refused"), Reply("", "error", "HTTP 500")])
def test_factscore_fails_loudly(reply: str | Reply) -> None:
    found = score(judges.factscore(constant(reply), cache=False), summary=["The cat sat."], source=["s"])
    assert (found["factscore"], found["n_facts"], found["factscore_status"]) == ([None], [None], ["failed"])
    assert found["factscore_responded"] == [None]


@pytest.mark.parametrize(
    ("reply", "truth"),
    [
        ("True", True),
        ("It is false.", False),
        ("Not false but true", True),
        ("True? No, false", False),
        ("I cannot tell", False),
        ("The source has no such information", False),
        ("Certainly", True),
        ("another", True),
    ],
)
def test_stated_truth_is_the_reference_rule(reply: str, truth: bool) -> None:
    assert stated_truth(reply) is truth


def test_factscore_in_parity_asks_about_every_fact() -> None:
    def rule(conversation: Conversation) -> str:
        return by_rule(conversation) if wanted(conversation) else str(shown(conversation, "fact") == "One cat")

    backend = judges.Fake(rule)
    metric = judges.factscore(backend, parity="reference", gamma=0, cache=False)
    found = score(metric, summary=["One cat. Two cats."], source=["One cat"])
    assert (found["factscore"], found["factscore_lp"], backend.calls) == ([0.5], [0.5], 3)


def test_factscore_on_real_articles(shared: Path) -> None:
    """Sentences copied from an article are all supported by it; a system's summaries agree with a count made here."""
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet", columns=["source", "candidate"]).slice(0, 400)
    source, summary = table.column("source").to_pylist(), table.column("candidate").to_pylist()
    copied = [text[: max(text.find(". ", 200), 200)] for text in source]
    backend = judges.Fake(by_rule)
    found = score(judges.factscore(backend, cache=False), summary=copied, source=source)
    assert found["factscore"] == [1.0] * len(source)
    assert backend.calls == len(set(copied)) + len(set(zip(copied, source, strict=True)))
    found = score(judges.factscore(backend, cache=False), summary=summary, source=source)
    for row, (text, article) in enumerate(zip(summary, source, strict=True)):
        parts = [" ".join(part.split()) for part in text.split(".") if part.strip()]
        assert found["n_facts"][row] == len(parts)
        assert found["n_supported"][row] == sum(part in article for part in parts)
        assert found["factscore"][row] == found["n_supported"][row] / len(parts)


def ranked(query: list[str], passages: list[list[str]]) -> list[int]:
    """Okapi BM25 in plain loops (Robertson and Zaragoza 2009; k1 1.5, b 0.75; a negative idf becomes a
    quarter of the mean): the passages from the best to the worst."""
    mean = sum(map(len, passages)) / len(passages)
    holding = {word: sum(word in passage for passage in passages) for passage in passages for word in passage}
    idf = {word: math.log((len(passages) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    weight = {word: value if value >= 0 else floor for word, value in idf.items()}
    scores = []
    for passage in passages:
        norm = 1.5 * (0.25 + 0.75 * len(passage) / mean)
        scores.append(sum(weight.get(w, 0) * 2.5 * passage.count(w) / (passage.count(w) + norm) for w in query))
    return sorted(range(len(passages)), key=lambda at: -scores[at])


def test_passages_are_those_of_bm25(shared: Path) -> None:
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet", columns=["source", "candidate"])
    for row in range(0, table.num_rows, 16):
        source, query = (table.column(name)[row].as_py() for name in ("source", "candidate"))
        for by in (words, str.split):
            cut = Passages(source, by)
            assert " ".join(cut.texts).split() == source.split()
            assert all(len(text.split()) <= 100 for text in cut.texts)
            best = ranked(by(query), [by(text) for text in cut.texts])[:2]
            expected = "\n\n".join(cut.texts[at] for at in sorted(best)) if len(cut.texts) > 2 else source
            assert cut.best([query], 2) == expected


@pytest.mark.parametrize("parity", ["default", "reference"])
def test_factscore_shows_the_passages_that_facts_are_about(parity: Literal["default", "reference"]) -> None:
    filler = " ".join(f"Line {number} says nothing of interest to anyone here." for number in range(60))
    source = f"{filler} The cat sat on a mat. {filler} A dog barked at noon. {filler}"
    seen: list[str] = []

    def rule(conversation: Conversation) -> str:
        seen.append(shown(conversation, "source"))
        if not wanted(conversation):
            return str(shown(conversation, "fact") in seen[-1])
        return by_rule(conversation)

    texts = {"summary": ["The cat sat on a mat. A dog barked at noon. Pigs flew."], "source": [source]}
    metric = judges.factscore(judges.Fake(rule), parity=parity, passages=1, cache=False)
    found = score(metric, **texts)
    assert found["factscore_decisions"] == [["supported", "supported", "unsupported"]]
    assert all(len(text.split()) < 310 for text in seen)
    assert any("cat" in text for text in seen)
    assert "passages:1" in metric.signature
    whole = judges.factscore(judges.Fake(rule), parity=parity, passages=99, cache=False)
    seen.clear()
    assert score(whole, **texts)["factscore"] == found["factscore"]
    assert seen[-1] == source


def test_passages_of_odd_sources_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "word " * 350
    assert [len(text.split()) for text in Passages(endless).texts] == [100, 100, 100, 50]
    assert Passages("... !!! " * 300).best(["a"], 1).startswith("...")
    assert Passages("").best(["a"], 1) == ""
    with pytest.raises(OptionError, match="passages must be at least 0, not -1"):
        judges.factscore(passages=-1)
    monkeypatch.setitem(sys.modules, "rank_bm25", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gistmark\[judges\]'"):
        judges.factscore(passages=2)
    assert judges.factscore().name == "factscore"


def test_facts_without_a_decision_are_not_counted_as_none() -> None:
    def rule(messages: object) -> str:
        return (
            '{"facts": ["The cat sat."]}' if "decompose" in str(messages).lower() or '"facts"' in str(messages) else "?"
        )

    found = score(judges.factscore(judges.Fake(rule), cache=False), summary=["The cat sat."], source=["The cat sat"])
    assert found["factscore_status"] == ["failed"]
    assert found["factscore"] == found["n_facts"] == found["n_supported"] == [None]
    assert found["factscore_undecided"] == [1]
