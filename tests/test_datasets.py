"""Loaders of published data sets: every file form on small fixtures."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from published import ARXIV, ELIFE, FRANK, MARKS, SCITLDR, STORY, SUMMEVAL, XSUM, lines, only, text

import gistmark_datasets as datasets
from gistmark_datasets import DatasetError


def test_arxiv_and_pubmed_as_published(tmp_path: Path) -> None:
    path = lines(tmp_path / "test.txt", [ARXIV])
    assert only(datasets.arxiv(path)) == {
        "corpus": "arxiv",
        "split": "test",
        "doc_id": "0704.0001",
        "source": "we study cats .\nthey sit on mats .",
        "source_sentences": ["we study cats .", "they sit on mats ."],
        "references": ["cats sit .\nmats help ."],
        "meta": {"sections": ["introduction", "results"]},
    }
    assert only(datasets.pubmed(path)) == only(datasets.arxiv(path)) | {"corpus": "pubmed"}


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".csv"])
def test_tables_of_articles_are_what_was_published(tmp_path: Path, ending: str) -> None:
    """The table form joins the same sentences by newlines."""
    row = {
        "article_id": ARXIV["article_id"],
        "article": "\n".join(ARXIV["article_text"]),
        "abstract": " <S> cats sit . </S> \n mats help .",
        "section_names": "introduction\nresults",
    }
    path = tmp_path / f"test{ending}"
    if ending == ".parquet":
        pl.DataFrame([row]).write_parquet(path)
    elif ending == ".csv":
        with path.open("w", newline="", encoding="utf-8-sig") as stream:
            csv.writer(stream).writerows([row.keys(), row.values()])
    else:
        content = (json.dumps(row) + "\n").encode()
        path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else b"\xef\xbb\xbf" + content)
    published = only(datasets.arxiv(lines(tmp_path / "raw" / "test.txt", [ARXIV])))
    assert only(datasets.arxiv(path)) == published


def test_a_folder_holds_splits_and_one_can_be_chosen(tmp_path: Path) -> None:
    for split in ("train", "val", "test"):
        lines(tmp_path / f"{split}.txt", [ARXIV | {"article_id": f"{split} {k}"} for k in range(600)])
    whole = datasets.arxiv(tmp_path).collect()
    assert whole["split"].unique(maintain_order=True).to_list() == ["test", "train", "val"]
    assert whole.height == 1800
    assert datasets.arxiv(tmp_path, split="val").collect().equals(whole.filter(split="val"))
    assert datasets.arxiv(tmp_path / "v*.txt").collect().equals(whole.filter(split="val"))
    with pytest.raises(DatasetError, match="there is no split 'dev'; there are test, train, val"):
        datasets.arxiv(tmp_path, split="dev")


def test_a_table_is_read_no_further_than_it_is_asked_for(tmp_path: Path) -> None:
    path = lines(tmp_path / "test.txt", [ARXIV | {"article_id": str(k)} for k in range(700)])
    with path.open("a") as stream:
        stream.write("{\n")
    frame = datasets.arxiv(path)
    assert frame.head(600).select("doc_id").collect()["doc_id"].to_list() == [str(k) for k in range(600)]
    with pytest.raises(DatasetError, match="line 701"):
        frame.filter(pl.col("doc_id") == "5").collect()
    path.write_text(path.read_text().removesuffix("{\n"))
    assert frame.filter(pl.col("doc_id") == "5").select("split", "doc_id").collect().rows() == [("test", "5")]


def test_scitldr_keeps_every_target_and_refuses_full_text(tmp_path: Path) -> None:
    path = lines(tmp_path / "SciTLDR-AIC" / "dev.jsonl", [SCITLDR])
    lines(tmp_path / "SciTLDR-A" / "dev.jsonl", [SCITLDR | {"target": "One.", "title": "A"}])
    full = lines(tmp_path / "SciTLDR-FullText" / "dev.jsonl", [SCITLDR])
    assert only(datasets.scitldr(path)) == {
        "corpus": "scitldr",
        "split": "dev",
        "doc_id": "SkxJ",
        "source": "We study cats. They sit on mats.",
        "source_sentences": ["We study cats.", "They sit on mats."],
        "references": ["Cats sit on mats.", "A study of cats."],
        "meta": {"title": "Cats"},
    }
    assert only(datasets.scitldr(tmp_path))["references"] == ["One."]
    assert only(datasets.scitldr(tmp_path, setting="aic"))["meta"] == {"title": "Cats"}
    for where in (full, full.parent):
        with pytest.raises(DatasetError, match="full text, which the data card calls a mistake"):
            datasets.scitldr(where)
        assert only(datasets.scitldr(where, setting="full"))["doc_id"] == "SkxJ"
    with pytest.raises(DatasetError, match="holds setting 'aic', not 'abstract'"):
        datasets.scitldr(path, setting="abstract")
    with pytest.raises(DatasetError, match="setting: must be one of"):
        datasets.scitldr(path, setting="fulltext")  # type: ignore[arg-type]


def test_lay_summaries_as_published_and_as_a_table(tmp_path: Path) -> None:
    path = text(tmp_path / "test.json", json.dumps([ELIFE], indent=1))
    row = only(datasets.elife(path))
    assert row["source"] == "We study cats. They sit.\nCats are known. Mats too.\nWe watched."
    assert row["source_sentences"][-2:] == ["Mats too.", "We watched."]
    assert row["references"] == ["Cats like mats.\nWe know why."]
    assert row["meta"] == {
        "title": "Cats", "year": "2013", "keywords": ["cats", "mats"], "headings": ["Introduction", "Methods"],
    }  # fmt: skip
    table = {"article": row["source"], "summary": "Cats like mats. We know why.", "title": "Cats", "year": "2013"}
    flat = only(datasets.plos(lines(tmp_path / "val.jsonl", [table])))
    assert (flat["corpus"], flat["split"], flat["doc_id"]) == ("plos", "val", "val-1")
    assert (flat["source"], flat["references"]) == (row["source"], ["Cats like mats. We know why."])
    assert flat["source_sentences"] is None


def test_xsum_as_published_and_as_a_table(tmp_path: Path) -> None:
    text(tmp_path / "raw" / "17.summary", XSUM)
    text(tmp_path / "raw" / "18.summary", XSUM.replace("Cats sit.", "Dogs lie."))
    raw = only(datasets.xsum(tmp_path / "raw"))
    assert raw == {
        "corpus": "xsum",
        "split": None,
        "doc_id": "17",
        "source": "One. Two.",
        "source_sentences": ["One.", "Two."],
        "references": ["Cats sit."],
        "meta": {"url": "http://x/1", "title": "Cats"},
    }
    table = lines(tmp_path / "test.jsonl", [{"document": "One.\nTwo.", "summary": "Cats sit.", "id": 17}])
    assert only(datasets.xsum(table)) == raw | {"split": "test", "meta": {}}
    splits = text(tmp_path / "splits.json", json.dumps({"train": ["18"], "test": ["17", "18"]}))
    chosen = datasets.xsum(tmp_path / "raw", splits=splits, split="test").collect()
    assert chosen["doc_id"].to_list() == ["17", "18"]
    text(splits, json.dumps({"test": ["19", "17"]}))
    with pytest.raises(DatasetError, match=r"19\.summary: cannot be read"):
        datasets.xsum(tmp_path / "raw", splits=splits).collect()


def test_cnndm_as_published_and_as_a_table(tmp_path: Path) -> None:
    url = "http://web.archive.org/cats"
    name = hashlib.sha1(url.encode()).hexdigest()
    text(tmp_path / "cnn" / "stories" / f"{name}.story", STORY)
    raw = only(datasets.cnndm(tmp_path / "cnn"))
    assert raw == {
        "corpus": "cnndm",
        "split": None,
        "doc_id": name,
        "source": "(CNN) One. Two.",
        "source_sentences": ["(CNN) One.", "Two."],
        "references": ["Cats sit\nMats help"],
        "meta": {},
    }
    row = {"article": "(CNN) One. Two.", "highlights": "Cats sit\nMats help", "id": name}
    table = lines(tmp_path / "train.jsonl", [row])
    assert only(datasets.cnndm(table)) == raw | {"split": "train", "source_sentences": None}
    listed = text(tmp_path / "all_val.txt", f"{url}\n")
    assert only(datasets.cnndm(tmp_path, urls=listed)) == raw | {"split": "val"}
    text(listed, f"{url}\nhttp://absent\n")
    with pytest.raises(DatasetError, match=r"all_val\.txt, line 2: .* holds no [0-9a-f]{40}\.story"):
        datasets.cnndm(tmp_path, urls=listed).collect()


def test_summeval_with_and_without_stories(tmp_path: Path) -> None:
    path = lines(tmp_path / "aligned.jsonl", [SUMMEVAL])
    alone = only(datasets.summeval(path))
    assert "source" not in alone
    assert alone["human"] == {"coherence": 4 / 3, "consistency": 5, "fluency": 4, "relevance": 3}
    assert (alone["system"], alone["summary"]) == ("M1", "Cats sit .")
    assert alone["references"] == SUMMEVAL["references"]
    assert only(datasets.summeval(path, annotators="turker"))["human"]["coherence"] == 5
    text(tmp_path / SUMMEVAL["filepath"], STORY)
    paired = only(datasets.summeval(path, stories=tmp_path))
    assert paired["source"] == "(CNN) One. Two."
    other = lines(tmp_path / "paired.jsonl", [SUMMEVAL | {"text": "(CNN) One. Two."}])
    assert only(datasets.summeval(other))["source"] == paired["source"]
    with pytest.raises(DatasetError, match=r"1\.story: cannot be read"):
        datasets.summeval(path, stories=tmp_path / "absent").collect()


def test_frank_joins_what_annotators_marked(tmp_path: Path) -> None:
    other = FRANK | {"hash": "8", "split": "test"}
    text(tmp_path / "benchmark_data.json", json.dumps([FRANK, other]))
    assert datasets.frank(tmp_path).collect()["human"].to_list() == ["{}", "{}"]
    text(tmp_path / "human_annotations.json", json.dumps([MARKS]))
    frame = datasets.frank(tmp_path)
    row = only(frame)
    assert (row["doc_id"], row["system"], row["split"]) == ("7", "bert", "valid")
    assert (row["source"], row["references"], row["summary"]) == ("A.", ["R."], "S.")
    assert row["human"] == {"Factuality": 0.5, "RelE": 1.0}
    assert row["meta"] == {"dataset": "bbc"}
    assert frame.collect()["human"].to_list()[1] == "{}"
    assert datasets.frank(tmp_path, split="test").collect()["doc_id"].to_list() == ["8"]
    with pytest.raises(DatasetError, match="no output of split 'train'"):
        datasets.frank(tmp_path, split="train")
    text(tmp_path / "human_annotations.json", json.dumps([MARKS, MARKS]))
    with pytest.raises(DatasetError, match=r"item 2: hash and model_name as in .*item 1"):
        datasets.frank(tmp_path)
