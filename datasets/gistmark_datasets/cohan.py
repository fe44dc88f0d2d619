"""arXiv and PubMed: long articles and their abstracts (Cohan et al. 2018)."""

from __future__ import annotations

import re
from os import PathLike

import polars as pl

from gistmark_datasets.entry import Entry
from gistmark_datasets.frame import OnError, Row, scan
from gistmark_datasets.paths import parts

FILES = ("*.txt", "*.jsonl", "*.jsonl.gz", "*.parquet", "*.csv")
TAG = re.compile(r"</?S>")


def arxiv(path: str | PathLike[str], *, split: str | None = None, on_error: OnError = "fail") -> pl.LazyFrame:
    """Articles of arXiv; the abstract is the one reference.

    path   `test.txt`, a folder with `train.txt`, `val.txt`, `test.txt`, or a glob
    split  "train", "val" or "test": of a folder, that file only

    Reads the JSON lines as published (article_id, article_text, abstract_text, section_names) and tables with article
    and abstract, sentences a line. References and source have a sentence a line, the marks <S> and </S> taken off;
    `meta` holds the names of the sections. Cohan et al., "A Discourse-Aware Attention Model for Abstractive
    Summarization of Long Documents", NAACL 2018, section 4.
    """
    return _scan("arxiv", path, split, on_error)


def pubmed(path: str | PathLike[str], *, split: str | None = None, on_error: OnError = "fail") -> pl.LazyFrame:
    """Articles of PubMed; the abstract is the one reference. Read as `arxiv`."""
    return _scan("pubmed", path, split, on_error)


def _scan(corpus: str, path: str | PathLike[str], split: str | None, on_error: OnError) -> pl.LazyFrame:
    return scan(corpus, parts(path, FILES, split), _row, on_error)


def _row(entry: Entry) -> Row:
    table = "article" in entry.fields
    sentences = entry.lines("article" if table else "article_text")
    abstract = [TAG.sub("", line).strip() for line in entry.lines("abstract" if table else "abstract_text")]
    named = not table or "article_id" in entry.fields
    return Row(
        doc_id=entry.name("article_id") if named else entry.label,
        source="\n".join(sentences),
        sentences=sentences,
        references=["\n".join(filter(None, abstract))],
        meta={"sections": entry.lines("section_names")} if "section_names" in entry.fields else {},
    )
