"""FRANK: errors of fact in the output of systems on CNN/DailyMail and XSum (Pagnoni et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from pathlib import Path

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Part, Row, scan
from gistmark_datasets.paths import files
from gistmark_datasets.reader import entries

OUTPUTS, MARKS = "benchmark_data.json", "human_annotations.json"
KEY = ("hash", "model_name")


def frank(
    path: str | PathLike[str],
    *,
    annotations: str | PathLike[str] | None = None,
    split: str | None = None,
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Outputs of systems, each with one reference, and how annotators marked its errors of fact.

    path         `benchmark_data.json`: hash, model_name, article, reference, summary, split; or the folder that holds it
    annotations  `human_annotations.json`, joined by hash and model_name; None: the file of that name beside the other
    split        "valid" or "test" only

    `human` holds Factuality and every error type of an output (1: free of that error), nothing where it was not
    annotated; `meta` the corpus it comes from. Pagnoni, Balachandran and Tsvetkov, "Understanding Factuality in
    Abstractive Summarization with FRANK", NAACL 2021, sections 3 and 4.
    """
    file = files(path, [OUTPUTS])[0]
    beside = file.parent / MARKS
    marked = Path(annotations) if annotations is not None else beside if beside.exists() else None
    marks = _marks(marked) if marked else {}
    outputs = [one for one in entries(file) if split is None or isinstance(one, DatasetError) or _split(one) == split]
    if not any(isinstance(one, Entry) for one in outputs):
        raise DatasetError(file, f"no output of split {split!r}" if split else "no output")
    return scan("frank", [Part(None, lambda: outputs)], partial(_row, marks=marks), on_error, without=())


def _marks(path: Path) -> dict[tuple[str, ...], Entry]:
    """The annotations by hash and model."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in entries(path):
        if isinstance(entry, DatasetError):
            raise entry
        key = tuple(entry.name(part) for part in KEY)
        if key in found:
            raise DatasetError(entry.where, f"{' and '.join(KEY)} as in {found[key].where}")
        found[key] = entry
    return found


def _row(entry: Entry, *, marks: Mapping[tuple[str, ...], Entry]) -> Row:
    marked = marks.get(tuple(entry.name(part) for part in KEY))
    scores = marked.fields if marked else {}
    numbers = {name: one for name, one in scores.items() if isinstance(one, int | float) and name not in KEY}
    return Row(
        doc_id=entry.name("hash"),
        source=entry.text("article"),
        references=[entry.text("reference")],
        summary=entry.text("summary"),
        system=entry.name("model_name"),
        human=numbers,
        meta={"dataset": scores["dataset"]} if "dataset" in scores else {},
        split=_split(entry),
    )


def _split(entry: Entry) -> str | None:
    return entry.text("split") if "split" in entry.fields else None
