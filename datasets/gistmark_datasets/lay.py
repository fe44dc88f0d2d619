"""eLife and PLOS: biomedical articles and their lay summaries (Goldsack et al. 2022)."""

from __future__ import annotations

from os import PathLike
from typing import cast

import polars as pl

from gistmark_datasets.entry import Entry
from gistmark_datasets.frame import OnError, Row, scan
from gistmark_datasets.paths import parts

FILES = ("*.json", "*.jsonl", "*.jsonl.gz", "*.parquet", "*.csv")


def elife(path: str | PathLike[str], *, split: str | None = None, on_error: OnError = "fail") -> pl.LazyFrame:
    """Articles of eLife; the editors' digest is the one reference.

    path   `test.json`, a folder with `train.json`, `val.json`, `test.json`, or a glob
    split  "train", "val" or "test": of a folder, that file only

    Reads the arrays as published (id, title, abstract, sections, headings, summary, keywords, year: abstract and summary
    are lists of sentences, sections lists of those) and tables with article and summary. The source is the abstract,
    then the sections, one a line; the reference has a sentence a line where the file tells them apart. Goldsack et al.,
    "Making Science Simple", EMNLP 2022, section 3.
    """
    return scan("elife", parts(path, FILES, split), _row, on_error)


def plos(path: str | PathLike[str], *, split: str | None = None, on_error: OnError = "fail") -> pl.LazyFrame:
    """Articles of PLOS journals; the authors' summary is the one reference. Read as `elife`."""
    return scan("plos", parts(path, FILES, split), _row, on_error)


def _row(entry: Entry) -> Row:
    meta = {key: entry.fields[key] for key in ("title", "year", "keywords") if key in entry.fields}
    if "article" in entry.fields:
        doc_id = entry.name("id") if "id" in entry.fields else entry.label
        return Row(doc_id, entry.text("article"), references=[entry.text("summary")], meta=meta)
    sections = [entry.texts("abstract"), *_sections(entry)]
    return Row(
        doc_id=entry.name("id"),
        source="\n".join(" ".join(sentences) for sentences in sections),
        sentences=[sentence for sentences in sections for sentence in sentences],
        references=["\n".join(entry.texts("summary"))],
        meta=meta | {"headings": entry.texts("headings")} if "headings" in entry.fields else meta,
    )


def _sections(entry: Entry) -> list[list[str]]:
    sections = entry.value("sections")
    nested = isinstance(sections, list) and all(
        isinstance(one, list) and all(isinstance(sentence, str) for sentence in one) for one in sections
    )
    if not nested:
        entry.refuse("sections", "a list of lists of texts", sections)
    return cast("list[list[str]]", sections)
