"""Records of published data sets in the form they are published in, and files of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

ARXIV = {
    "article_id": "0704.0001",
    "article_text": ["we study cats .", "they sit on mats ."],
    "abstract_text": ["<S> cats sit . </S>", "<S> mats help . </S>"],
    "labels": None,
    "section_names": ["introduction", "results"],
    "sections": [["we study cats ."], ["they sit on mats ."]],
}
SCITLDR = {
    "source": ["We study cats.\n", "They sit on mats."],
    "source_labels": [0, 1],
    "rouge_scores": [0.2, 0.5],
    "paper_id": "SkxJ",
    "target": ["Cats sit on mats.", "A study of cats."],
    "title": "Cats",
    "ic": True,
}
ELIFE = {
    "id": "elife-00001-v1",
    "year": "2013",
    "title": "Cats",
    "sections": [["Cats are known.", "Mats too."], ["We watched."]],
    "headings": ["Introduction", "Methods"],
    "abstract": ["We study cats.", "They sit."],
    "summary": ["Cats like mats.", "We know why."],
    "keywords": ["cats", "mats"],
}
XSUM = "[SN]URL[SN]\nhttp://x/1\n\n[SN]TITLE[SN]\nCats\n\n[SN]FIRST-SENTENCE[SN]\nCats sit.\n\n[SN]RESTBODY[SN]\nOne.\n\nTwo.\n"
STORY = "(CNN) One.\n\nTwo.\n\n@highlight\n\nCats sit\n\n@highlight\n\nMats help\n"
SUMMEVAL = {
    "id": "dm-test-1",
    "model_id": "M1",
    "decoded": "Cats sit .",
    "filepath": "cnndm/dailymail/stories/1.story",
    "references": ["Cats sit on mats .", "Cats ."],
    "expert_annotations": [{"coherence": c, "consistency": 5, "fluency": 4, "relevance": 3} for c in (1, 2, 1)],
    "turker_annotations": [{"coherence": 5, "consistency": 4, "fluency": 3, "relevance": 2}] * 5,
}
FRANK = {"hash": "7", "model_name": "bert", "article": "A.", "reference": "R.", "summary": "S.", "split": "valid"}
MARKS = {"hash": "7", "model_name": "bert", "dataset": "bbc", "Factuality": 0.5, "RelE": 1.0, "split": "valid"}


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def only(frame: pl.LazyFrame) -> dict[str, Any]:
    row = frame.collect().row(0, named=True)
    assert list(row) == list(frame.collect_schema())
    return {key: json.loads(value) if key in ("human", "meta") else value for key, value in row.items()}
