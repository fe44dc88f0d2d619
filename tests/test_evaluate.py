"""The interface of Hugging Face's `evaluate`: keys and values of its metrics, built from the packages they call."""

from __future__ import annotations

from functools import partial
from typing import Any

import datasets
import numpy as np
import polars as pl
import pytest
import sacrebleu
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate import meteor_score
from rouge_score import rouge_scorer

import gistmark as gm
from gistmark import evaluate
from gistmark_datasets import scitldr_sample

SAMPLE = pl.read_parquet(scitldr_sample()).head(20)
PREDICTIONS, ONE = SAMPLE["summary"].to_list(), [row[0] for row in SAMPLE["references"].to_list()]
MANY = [[row[0], row[-1]] for row in SAMPLE["references"].to_list()]
STREAMS = [list(stream) for stream in zip(*MANY, strict=True)]


@pytest.mark.parametrize("references", [ONE, MANY], ids=["one", "several"])
@pytest.mark.parametrize("options", [{}, {"use_stemmer": True}, {"rouge_types": ["rouge2", "rougeLsum"]}])
def test_rouge(references: list[Any], options: dict[str, Any]) -> None:
    kinds = options.get("rouge_types", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
    scorer = rouge_scorer.RougeScorer(kinds, use_stemmer=options.get("use_stemmer", False))
    of = scorer.score_multi if references is MANY else scorer.score
    rows = [of(reference, text) for reference, text in zip(references, PREDICTIONS, strict=True)]
    expected = {kind: [row[kind].fmeasure for row in rows] for kind in kinds}
    given = {"predictions": PREDICTIONS, "references": references}
    found = evaluate.load("rouge").compute(**given, use_aggregator=False, **options)
    assert (list(found), found) == (kinds, expected)
    means = evaluate.load("rouge").compute(**given, **options)
    assert means == {kind: np.mean(values) for kind, values in expected.items()}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "floor", "smooth_value": 0.2},
        {"smooth_method": "none"},
        {"tokenize": "intl", "lowercase": True, "use_effective_order": True, "force": True},
    ],
)
def test_sacrebleu(options: dict[str, Any]) -> None:
    for texts in (PREDICTIONS, ["no match here"] * 20, ["a"] * 20, [""] * 20):
        expected = sacrebleu.corpus_bleu(texts, STREAMS, **{"tokenize": "13a", **options})
        found = evaluate.load("sacrebleu").compute(predictions=texts, references=MANY, **options)
        assert found.pop("score") == pytest.approx(expected.score, rel=1e-15)
        assert found == {name: getattr(expected, name) for name in found}
        assert list(found) == ["counts", "totals", "precisions", "bp", "sys_len", "ref_len"]


@pytest.mark.parametrize(
    "options", [{}, {"word_order": 2, "lowercase": True}, {"char_order": 3, "beta": 1, "eps_smoothing": True}]
)
def test_chrf(options: dict[str, Any]) -> None:
    score = sacrebleu.CHRF(**options).corpus_score(PREDICTIONS, STREAMS)
    found = evaluate.load("chrf").compute(predictions=PREDICTIONS, references=MANY, **options)
    assert found == {
        "score": score.score,
        "char_order": score.char_order,
        "word_order": score.word_order,
        "beta": score.beta,
    }


@pytest.mark.parametrize("options", [{}, {"case_sensitive": True}, {"normalized": True, "ignore_punct": True}])
def test_ter(options: dict[str, Any]) -> None:
    ours = {{"ignore_punct": "no_punct"}.get(name, name): value for name, value in options.items()}
    score = sacrebleu.TER(**ours).corpus_score(PREDICTIONS, STREAMS)
    found = evaluate.load("ter").compute(predictions=PREDICTIONS, references=MANY, **options)
    assert found == {"score": score.score, "num_edits": score.num_edits, "ref_length": score.ref_length}


class NoSynonyms:
    """A WordNet that knows no word."""

    def synsets(self, _: str) -> list[object]:
        return []


def test_meteor() -> None:
    punkt = pytest.importorskip("punkt")
    words = NLTKWordTokenizer()

    def cut(text: str) -> list[str]:
        return [token for sentence in punkt.sent_tokenize(text) for token in words.tokenize(sentence)]

    options = {"alpha": 0.8, "beta": 2, "gamma": 0.4}
    rows = [
        meteor_score.meteor_score([cut(one) for one in row], cut(text), wordnet=NoSynonyms(), **options)
        for row, text in zip(MANY, PREDICTIONS, strict=True)
    ]
    found = evaluate.load("meteor").compute(predictions=PREDICTIONS, references=MANY, **options)
    assert found == {"meteor": np.mean(rows)}


def test_what_is_added_is_what_is_given() -> None:
    for name in ("rouge", "chrf"):
        metric = evaluate.load(name)
        whole = metric.compute(predictions=PREDICTIONS, references=ONE)
        metric.add(prediction=PREDICTIONS[0], reference=ONE[0])
        metric.add_batch(predictions=PREDICTIONS[1:9], references=ONE[1:9])
        assert metric.compute(predictions=PREDICTIONS[9:], references=ONE[9:]) == whole
        with pytest.raises(gm.InputError, match="was given no predictions"):
            metric.compute()


def test_every_other_metric_of_texts() -> None:
    sources = SAMPLE["source"].to_list()
    found = evaluate.load("datastats").compute(predictions=PREDICTIONS, sources=sources, tokenizer="whitespace")
    scored = gm.score({"summary": PREDICTIONS, "source": sources}, [gm.metrics.datastats(tokenizer="whitespace")])
    assert found["coverage"] == pytest.approx(np.mean(scored["coverage"]))
    both = evaluate.load("abstraction").compute(predictions=PREDICTIONS, references=MANY, sources=sources)
    assert both["ar1"] == pytest.approx(np.median(gm.score(SAMPLE, ["abstraction"])["ar1"]))
    plus = evaluate.load("chrfpp").compute(predictions=PREDICTIONS, references=MANY)
    assert plus == {"chrfpp": sacrebleu.CHRF(word_order=2).corpus_score(PREDICTIONS, STREAMS).score}


def test_rows_of_a_dataset_of_hugging_face() -> None:
    table = datasets.Dataset.from_dict({"decoded": PREDICTIONS, "references": MANY})
    score = partial(gm.score, metrics=["rouge", "chrf"], columns={"summary": "decoded"})
    mapped = table.map(score, batched=True, batch_size=7)
    expected = gm.score({"decoded": PREDICTIONS, "references": MANY}, ["rouge", "chrf"], {"summary": "decoded"})
    for name in ("decoded", "rouge2_f1", "chrf", "chrf_char1_match", "rouge_status"):
        assert list(mapped[name]) == list(expected[name])


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("rogue", {}, r"unknown metric 'rogue' \(did you mean 'rouge'\?\)"),
        ("bleu", {}, "evaluate's bleu is a BLEU of its own"),
        ("judge", {}, "unknown metric 'judge'"),
        (
            "rouge",
            {"predictions": ["a"], "references": ["a", "b"]},
            "column 'references': 2 references for 1 predictions",
        ),
        ("rouge", {"references": ["a"]}, "without predictions"),
        ("rouge", {"predictions": []}, "was given no predictions"),
        (
            "rouge",
            {"predictions": ["a", "b"], "references": ["a", None]},
            r"metric 'rouge', column 'references', row 1: a text is missing",
        ),
        ("rouge", {"predictions": ["a"], "references": [[]]}, r"column 'references', row 0: a text is missing"),
        ("rouge", {"predictions": [1], "references": ["a"]}, "a text is missing"),
        ("rouge", {"predictions": ["a"], "references": ["a"], "use_stemer": True}, "rouge: .*'use_stemer'"),
        ("rouge", {"predictions": ["a"], "references": ["a"], "tokenizer": str.split}, "tokenizer is a name here"),
        ("rouge", {"predictions": ["a"], "references": ["a"], "rouge_types": ["rougeX"]}, "rouge"),
        ("sacrebleu", {"predictions": ["a"], "references": ["a"], "smooth_method": "best"}, "bleu: smooth must be"),
        ("meteor", {"predictions": ["a"], "references": [None]}, "a text is missing"),
        ("chrf", {"predictions": ["a"]}, "was given no references"),
    ],
)
def test_refusals(name: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(gm.GistmarkError, match=message):
        evaluate.load(name).compute(**given)


def test_what_was_added_first_says_what_comes_later() -> None:
    metric = evaluate.load("rouge")
    metric.add(prediction="a", reference="b")
    with pytest.raises(gm.InputError, match="was given predictions, references before, now predictions"):
        metric.add(prediction="a")
