"""ROUGE-1.5.5: every number the original program prints, from its own runs kept as values and from runs made here."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from engine import arrow, row, same_bytes, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from program155 import Program, program, release

from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.stems import program_stems

TYPES = ("1", "2", "3", "4", "L", "W", "S4", "SU4")
PRINTED = {"W": "W-1.2"}
PARTS = ("p", "r", "f1")
MODES = {"first": "single", "pooled": "pooled (-f A)", "best_recall": "best (-f B)"}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return program(tmp_path_factory.mktemp("rouge155"))


def numbers(summaries: Any, references: Any, types: tuple[str, ...] = TYPES, **options: Any) -> list[list[float]]:
    """Precision, recall and F of every type, a row a list."""
    scored = scores(rouge(types, parity="rouge155", **options), summary=summaries, references=references)
    return [list(one) for one in zip(*(scored[f"rouge{k}_{part}"] for k in types for part in PARTS), strict=True)]


@pytest.mark.parametrize("multi", MODES)
@pytest.mark.parametrize("stem", [False, True], ids=["plain", "stemmed"])
def test_every_number_the_program_printed(shared: Path, stem: bool, multi: str) -> None:
    """150 news summaries, eight types: the same digits, so `==` on floats."""
    texts = pl.read_parquet(shared / "data" / "rouge155.texts.parquet").sort("row")
    printed = pl.read_parquet(shared / "data" / "rouge155.scores.parquet").filter(stem=stem, multi=MODES[multi])
    references = texts["references"].list.head(1 if multi == "first" else 4).to_list()
    irregular = release() / "data" / "WordNet-2.0-Exceptions" if stem else None
    ours = numbers(texts["summary"].to_list(), references, multi=multi, stem=stem, irregular=irregular)
    columns = []
    for kind in TYPES:
        lines = printed.filter(metric=f"ROUGE-{PRINTED.get(kind, kind)}").sort("row")
        assert lines["row"].to_list() == texts["row"].to_list()
        columns += [lines["precision"].to_list(), lines["recall"].to_list(), lines["f1"].to_list()]
    assert len(ours) == 150
    assert ours == [list(line) for line in zip(*columns, strict=True)]


VOCABULARY = """
the cat cats ran running runs said been better best worse dogs statements representations they died Sunday U.S. co-op a b c
x1 1990s café İstanbul \u212aelvin naïve generalizations ponies skies happily hopping filing agreed sized
"""
WORDS = VOCABULARY.split()


def made_up(rng: random.Random, longest: int) -> str:
    """Few words, repeated, in lines; blank lines, hyphens and characters the program does not know in between."""
    words = rng.sample(WORDS, rng.randint(2, 12))
    ends = [" ", " ", " ", "\n", "-", ", ", "\n\n", " \n", "\t", "\r\n", " — "]
    return "the " + "".join(rng.choice(words) + rng.choice(ends) for _ in range(rng.randint(0, longest)))


@pytest.mark.parametrize(("flags", "multi"), [("-f A", "pooled"), ("-f B", "best_recall")])
@pytest.mark.parametrize("stem", [False, True], ids=["plain", "stemmed"])
def test_made_up_text_equals_the_program_run_here(original: Program, stem: bool, flags: str, multi: str) -> None:
    rng = random.Random(7)
    summaries = [made_up(rng, 40) for _ in range(80)]
    references = [[made_up(rng, 40) for _ in range(rng.randint(1, 3))] for _ in summaries]
    summaries.append("the " * 150 + "cat sat " * 60)  # longer than a block of the table
    references.append(["cat the " * 90 + "the " * 20 + "sat cat " * 30])
    found = original.score(summaries, references, f"-n 4 -2 4 -U -w 1.2 {flags} {'-m' * stem}")
    options = {"stem": stem, "multi": multi, "irregular": original.exceptions if stem else None}
    for k, ours in enumerate(numbers(summaries, references, **options)):
        wanted = [number for kind in TYPES for number in found[k, PRINTED.get(kind, kind)]]
        assert ours == wanted, (k, summaries[k], references[k])


def test_empty_texts_and_other_gaps_equal_the_program_run_here(original: Program) -> None:
    """An empty reference adds nothing to recall and the whole summary to precision. ROUGE-W of one stops the program."""
    summaries = ["", "a b c a", "?!\n", "x", "a b c d e f g"]
    references = [["a b"], ["", "a b a", "c"], ["", "x y"], ["x"], ["g f a d g", "..."]]
    for gap in (0, 1, 9):
        types = ("1", "2", "L", f"S{gap}", f"SU{gap}")
        found = original.score(summaries, references, f"-n 2 -2 {gap} -U")
        for k, ours in enumerate(numbers(summaries, references, types)):
            assert ours == [number for kind in types for number in found[k, kind]], (k, gap)
    assert numbers(["a b"], [["", "?"]], ("W",)) == [[0.0, 0.0, 0.0]]


HEADS = "a b y by syz yy oy qu ee tr hop fil rat ceas control electr sens 19 aeiou xyx str agr yes"
MIDDLES = "- ess i y e at bl iz l s tt ion ement ment ent eed ll ate y1"
TAILS = """
- s es ies sses ed ing eed y er ement ment ent ion sion tion ational tional enci alli logi bli fulli ousness ative icate alize
ness e ll able yed ying yying
"""


def test_stems_equal_the_program_run_here(original: Program) -> None:
    made = sorted({"".join(parts).replace("-", "") for parts in product(*map(str.split, (HEADS, MIDDLES, TAILS)))})
    found = pl.read_parquet(scitldr_sample())["source"].str.to_lowercase().str.extract_all("[a-z0-9]+")
    words = [word for word in (*made, *found.explode().unique().sort()) if len(word) > 3]
    assert len(words) > 10000
    assert [stem.decode() for stem in program_stems(words, {})] == original.stems(words)


def test_irregular_forms_come_first_and_short_words_stay(tmp_path: Path) -> None:
    files = {"noun": "data datum\nmen man", "adv": "best well", "verb": "said say\nran run", "adj": "best good"}
    for name, lines in files.items():
        (tmp_path / f"{name}.exc").write_text(lines + "\n\n")
    metric = rouge(("1",), parity="rouge155", stem=True, irregular=tmp_path)
    assert row(metric, summary="said Best data", references="say good datum")["rouge1_f1"] == 1.0
    assert row(metric, summary="ran men well", references="run man best")["rouge1_f1"] == 0.0
    (tmp_path / "verb.exc").unlink()
    with pytest.raises(OptionError, match=r"irregular: verb\.exc of a WordNet cannot be read"):
        rouge(parity="rouge155", stem=True, irregular=tmp_path)


few = st.lists(st.sampled_from(["a", "b", "c", "d", "\n"]), max_size=30).map(" ".join)
rows_of_texts = st.lists(st.tuples(few, st.lists(few, min_size=1, max_size=3)), min_size=1, max_size=5)
SOME = ("1", "2", "L", "Lsum", "S2", "SU2", "S9")


def units(kind: str, text: str) -> Counter[tuple[str, ...]]:
    words = text.split()
    if kind.isdigit():
        return Counter(zip(*(words[k:] for k in range(int(kind))), strict=False))
    gap = int(kind.lstrip("SU"))
    pairs = Counter((words[i], words[j]) for i, j in combinations(range(len(words)), 2) if j - i - 1 <= gap)
    return pairs + Counter((word,) for word in words[:-1]) if "U" in kind else pairs


@given(rows_of_texts)
@settings(max_examples=60, deadline=None)
def test_pooled_and_best_recall_by_plain_counting(rows: list[tuple[str, list[str]]]) -> None:
    kinds = ("1", "2", "S2", "SU2", "S9")
    roles = {"summary": [one for one, _ in rows], "references": [many for _, many in rows]}
    pooled = scores(rouge(kinds, multi="pooled"), **roles)
    best = scores(rouge(kinds, multi="best_recall"), **roles)
    for k, (summary, references) in enumerate(rows):
        filled = [one for one in references if one.split()]
        for kind in kinds:
            mine, theirs = units(kind, summary), [units(kind, one) for one in filled]
            hits = [(mine & one).total() for one in theirs]
            own, bases = mine.total(), [one.total() for one in theirs]
            if not filled:
                assert pooled[f"rouge{kind}_p"][k] is best[f"rouge{kind}_p"][k] is None
                continue
            assert pooled[f"rouge{kind}_p"][k] == sum(hits) / max(own * len(filled), 1)
            assert pooled[f"rouge{kind}_r"][k] == sum(hits) / max(sum(bases), 1)
            assert best[f"rouge{kind}_r"][k] == max(h / max(b, 1) for h, b in zip(hits, bases, strict=True))


@given(rows_of_texts)
@settings(max_examples=60, deadline=None)
def test_types_beside_others_and_rules_of_one_reference_change_nothing(rows: list[tuple[str, list[str]]]) -> None:
    """The way that counts any type gives what the quick way gives, for every rule and parity."""
    roles = {"summary": [one for one, _ in rows], "references": [many for _, many in rows]}
    for multi in ("max", "mean", "jackknife", "first", "argmax_rouge1"):
        for parity in (None, "reference"):
            quick = scores(rouge(("2", "1", "L", "Lsum"), multi=multi, parity=parity), **roles)
            counted = scores(rouge(("2", "1", "L", "Lsum", "W"), multi=multi, parity=parity), **roles)
            assert quick == {name: counted[name] for name in quick}
    one = {"summary": roles["summary"], "references": [many[:1] for many in roles["references"]]}
    assert scores(rouge((*SOME, "W"), multi="pooled"), **one) == scores(rouge((*SOME, "W")), **one)


def test_rows_that_share_references_and_threads() -> None:
    """Grouped or alone, in one range or many: the same bytes."""
    pairs = pl.read_parquet(scitldr_sample())
    texts = {"summary": pairs["summary"].to_arrow(), "references": pairs["references"].to_arrow()}
    for metric in (rouge(TYPES, parity="rouge155", stem=True), rouge(("W", "SU4"), multi="pooled")):
        whole = arrow(metric, **texts)
        parts = [arrow(metric, **{role: values[k : k + 1] for role, values in texts.items()}) for k in range(60)]
        assert [one.to_pylist()[0] for one in parts] == whole.slice(0, 60).to_pylist()
        many = {role: pl.concat([pairs[role]] * 8).to_arrow() for role in texts}
        assert same_bytes(arrow(metric, threads=2, **many), arrow(metric, **many))


def test_null_and_empty() -> None:
    roles = {"summary": [None, "", "a b", "a b", "a b"], "references": [["a"], ["a"], None, [""], ["", "a b"]]}
    ours = scores(rouge(("1", "W", "SU4"), multi="pooled"), **roles)
    assert ours["rouge1_f1"] == ours["rougeSU4_f1"] == [None, 0.0, None, None, 1.0]
    assert ours["rouge_status"] == [None, "empty_summary", None, "empty_reference", "ok"]
    assert ours["rougeW_p"] == [None, 0.0, None, None, pytest.approx(1.0)]
    parity = scores(rouge(("1",), parity="rouge155", stem=True), **roles)
    assert parity["rouge1_f1"] == [None, 0.0, None, 0.0, 0.66667]


def test_given_sentences_are_lines_and_tokens_are_words() -> None:
    texts = {"summary": "The dogs ran.\nThey said so.", "references": ["A dog was running.\nThey say."]}
    lists = {"summary": texts["summary"].split("\n"), "references": [texts["references"][0].split("\n")]}
    for metric in (rouge(TYPES, parity="rouge155", stem=True), rouge(TYPES, parity="rouge155")):
        assert row(metric, kind="sentences", **lists) == row(metric, **texts)
    one = {"summary": ["a", "b", "c"], "references": [["a", "b", "c"]]}
    assert row(rouge(("L", "Lsum")), kind="tokens", **one)["rougeLsum_f1"] == 1.0
    whole = row(rouge(("W", "Lsum", "SU4")), summary="a b c", references=["a b c"])
    assert row(rouge(("W", "Lsum", "SU4")), kind="tokens", **one) == whole
    tokens = {"summary": ["dogs", "Łódź\x80", "日本ing"], "references": [["dog", "日本ing"]]}
    assert row(rouge(("1",), parity="rouge155", stem=True), kind="tokens", **tokens)["rouge1_r"] == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": ("S100",)}, "S0 to S99"), ({"types": ("SU",)}, "types must be"), ({"types": ("S04",)}, "types must be"),
        ({"types": ("W", "W")}, "distinct"), ({"parity": "rouge155", "types": ("Lsum",)}, "leave out 'Lsum'"),
        ({"irregular": "/"}, "irregular needs stem=True"), ({"multi": "best"}, "multi must be"),
        ({"parity": "rouge155", "stem": True, "tokenizer": "whitespace"}, "needs tokenizer 'rouge'"),
        ({"parity": "rouge155", "stem": True, "irregular": "/nowhere"}, "noun.exc"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        rouge(**options)


def test_signatures_say_what_was_counted(tmp_path: Path) -> None:
    for kind in ("noun", "adv", "verb", "adj"):
        (tmp_path / f"{kind}.exc").write_text("said say\n")
    plain, stemmed = rouge(parity="rouge155").signature, rouge(parity="rouge155", stem=True).signature
    assert plain.startswith("rouge|multi:pooled|parity:rouge155|scale:1.0|stem:no|tok:rouge155|types:1,2,L|")
    assert "irregular:none|" in stemmed and "stem:rouge155|" in stemmed  # noqa: PT018
    assert "irregular:exc@" in rouge(parity="rouge155", stem=True, irregular=tmp_path).signature
    assert "multi:max|" in rouge().signature
