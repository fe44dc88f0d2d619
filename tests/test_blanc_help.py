"""BLANC-help against the package blanc, run on the same tiny model, which was taught one document here."""

from __future__ import annotations

import importlib
import itertools
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from blancs import blanc
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import SOURCE, SUMMARY, trained

import gistmark as gm
from gistmark.models.fitting import fit
from gistmark.models.masking import Masking, Vocabulary, variants
from gistmark.models.ragged import Ragged
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError

DOCUMENT = "\n".join(SOURCE)
LONG = "Harbour workers ended their strike.\n" * 24 + "Wages rise."
DATA = {
    "summary": [SUMMARY, "Ships waited.\nInspectors examine cranes.", SUMMARY, "", SUMMARY, LONG, "wages " * 140],
    "source": [DOCUMENT, DOCUMENT, "\n".join(SOURCE[1:3]), DOCUMENT, "A b c.", DOCUMENT, "\n".join(SOURCE * 2)],
}


@pytest.fixture(scope="module")
def model() -> str:
    return trained()


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def ours(data: Any, model: str, **options: Any) -> pl.DataFrame:
    return gm.score(pl.DataFrame(data), [gm.metrics.blanc_help(model, split="newline", device="cpu", **options)])


def theirs(monkeypatch: pytest.MonkeyPatch, data: Any, model: str, **options: Any) -> list[float]:
    module = blanc(monkeypatch, lines)
    scorer = module.BlancHelp(model, inference_batch_size=8, show_progress_bar=False, **options)
    found: list[float] = scorer.eval_pairs(data["source"], data["summary"])
    return found


OPTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"measure": "improve", "gap": 6, "filler": "the"}, {"measure": "improve", "gap": 6, "filler_token": "the"}),
    (
        {"gap": 5, "gap_mask": 2, "min_lengths": (3, 1, 2), "separator": "so that", "least": 10},
        {
            "gap": 5,
            "gap_mask": 2,
            "min_token_length_normal": 3,
            "min_token_length_lead": 1,
            "min_token_length_followup": 2,
            "help_sep": "so that",
            "len_sent_allow_cut": 10,
        },
    ),
]


@pytest.mark.parametrize(("options", "named"), OPTIONS, ids=["defaults", "improve", "gaps"])
def test_equal_to_blanc(
    monkeypatch: pytest.MonkeyPatch, model: str, options: dict[str, Any], named: dict[str, Any]
) -> None:
    expected = theirs(monkeypatch, DATA, model, **named)
    found = ours(DATA, model, parity="reference", **options)
    assert found["blanc_help"].to_list() == expected
    assert any(expected)


def test_status_and_nulls(model: str) -> None:
    found = ours(DATA, model)
    assert found["blanc_help"].is_null().to_list() == [False] * 4 + [True] + [False] * 2
    expected = ["ok", "ok", "ok", "empty_summary", "undefined", "truncated", "truncated"]
    assert found["blanc_help_status"].to_list() == expected
    assert found["blanc_help"][3] == 0
    data = {"summary": [None, "x", "", "x"], "source": [DOCUMENT, None, " ", "\n"]}
    assert ours(data, model)["blanc_help"].null_count() == 4
    assert ours(data, model)["blanc_help_status"].to_list() == [None, None, "empty_source", "empty_source"]


@pytest.mark.parametrize("tokens", [1, 300])
def test_batches_and_order_change_nothing(model: str, tokens: int) -> None:
    whole = ours(DATA, model)["blanc_help"].to_list()
    order = np.random.default_rng(0).permutation(7).tolist()
    mixed = ours(pl.DataFrame(DATA)[order], model, batch_tokens=tokens)
    assert mixed["blanc_help"].to_list() == [whole[at] for at in order]


def test_punkt_on_real_papers(monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    punkt = pytest.importorskip("punkt")
    frame = pl.read_parquet(scitldr_sample()).head(2).select("summary", "source")
    module = blanc(monkeypatch, punkt.sent_tokenize)
    scorer = module.BlancHelp(model, inference_batch_size=8, show_progress_bar=False, measure="improve")
    expected = scorer.eval_pairs(frame["source"].to_list(), frame["summary"].to_list())
    found = gm.score(frame, [gm.metrics.blanc_help(model, measure="improve", device="cpu")])
    assert found["blanc_help"].to_list() == expected


def test_inputs_are_read_once(model: str) -> None:
    told: list[tuple[int, int]] = []
    metric = gm.metrics.blanc_help(model, split="newline", device="cpu")
    metric.run.watch(lambda *counts: told.append(counts))  # type: ignore[attr-defined]

    def needed(*summaries: str) -> int:
        told.clear()
        gm.score(pl.DataFrame({"summary": summaries, "source": [DOCUMENT] * len(summaries)}), [metric])
        assert sum(count for count, _ in told) == sum(done for _, done in told)
        return sum(count for count, _ in told)

    one = needed("Ships waited.")
    assert needed("Ships waited.", "Ships waited.") == one
    assert needed("Ships waited.", "Wages rose.") == one * 3 // 2
    assert needed("", "") < one // 2


PIECES = ["a", "ab", "abcd", "##s", "##tion", "."]
IDS = st.lists(st.lists(st.integers(0, len(PIECES) - 1), max_size=7), max_size=4)


class Tokenizer:
    mask_token_id = 9

    def __len__(self) -> int:
        return len(PIECES)

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [PIECES[at] for at in ids]


@given(rows=IDS, gap=st.integers(1, 8), run=st.integers(1, 9), least=st.tuples(*[st.integers(0, 4)] * 3))
@settings(deadline=None, max_examples=200)
def test_variants_are_those_of_blanc(rows: list[list[int]], gap: int, run: int, least: tuple[int, int, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        blanc(patch, lines)
    utils = importlib.import_module("blanc.utils")
    found = variants(Ragged.of(rows), Vocabulary(Tokenizer()), Masking(gap, run, *least))
    at = 0
    for row, ids in enumerate(rows):
        masked, answers = utils.mask_tokens_evenly([PIECES[i] for i in ids], gap, least, "[MASK]", run)
        for pieces, answer in zip(masked, answers, strict=True):
            assert found.sentence[at] == row
            assert ["[MASK]" if i == 9 else PIECES[i] for i in found.ids[at]] == pieces
            assert found.at[at].tolist() == list(answer)
            given = found.answers[found.at.bounds[at] : found.at.bounds[at + 1]]
            assert [PIECES[i] for i in given] == list(answer.values())
            at += 1
    assert at == len(found.ids) == len(found.at)


@given(
    sentence=st.integers(0, 40),
    summary=st.lists(st.integers(1, 12), min_size=1, max_size=5),
    least=st.integers(0, 20),
    room=st.integers(20, 40),
)
@settings(deadline=None, max_examples=300)
def test_what_does_not_fit_is_cut_as_blanc_cuts_it(sentence: int, summary: list[int], least: int, room: int) -> None:
    count = itertools.count()
    texts = [[next(count) for _ in range(length)] for length in summary]
    with pytest.MonkeyPatch.context() as patch:
        blanc(patch, lines, room + 2)
        utils = importlib.import_module("blanc.utils")
        left, right = utils.truncate_sentence_and_summary(list(range(sentence)), texts, 0, least)
    sizes = np.array([sum(summary)])
    found = fit(np.array([sentence]), sizes, [summary], np.zeros(1, np.int64), room, least)
    assert found.sentence.tolist() == [len(left)]
    start = int(found.start[0])
    assert list(range(start, start + int(found.summary[0]))) == right


def test_options_are_checked(model: str) -> None:
    with pytest.raises(OptionError, match="blanc_help: 'qqq' is no piece of trained; set filler to one"):
        ours(DATA, model, filler="qqq")
    with pytest.raises(OptionError, match="gap must be at least 1, not 0"):
        gm.metrics.blanc_help(gap=0)
    with pytest.raises(OptionError, match="min_lengths must be 3 values"):
        gm.metrics.blanc_help(min_lengths=(1, 2))
    metric = gm.metrics.blanc_help(model, device="cpu")
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature
    assert "|gap:2|" in metric.signature
