"""SummEval: 16 systems on 100 stories of CNN/DailyMail, judged by experts and crowd workers (Fabbri et al. 2021)."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import polars as pl

from gistmark_datasets.cnndm import story
from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Row, scan
from gistmark_datasets.paths import parts
from gistmark_datasets.reader import text_file

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")

Annotators = Literal["expert", "turker"]


def summeval(
    path: str | PathLike[str],
    *,
    stories: str | PathLike[str] | None = None,
    annotators: Annotators = "expert",
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Outputs of systems with 11 references, the original first, and human scores.

    path        the JSON lines of annotations: id, model_id, decoded, references, expert_annotations, turker_annotations
    stories     the folder that `filepath` of a line is relative to; without it the source is `text`, which lines have
                that were paired with their stories, and there is no source where they were not
    annotators  whose scores `human` holds: the mean of 3 "expert" or 5 "turker" scores, 1 to 5, in each dimension

    Fabbri et al., "SummEval: Re-evaluating Summarization Evaluation", TACL 2021, section 3.
    """
    if annotators not in ("expert", "turker"):
        raise DatasetError("annotators", f"must be 'expert' or 'turker', not {annotators!r}")
    read = parts(path, ("*.jsonl", "*.jsonl.gz"), None)
    first = next((one for part in read for one in part.entries() if isinstance(one, Entry)), None)
    paired = stories is not None or (first is not None and "text" in first.fields)
    parse = partial(_row, stories=stories, paired=paired, annotators=f"{annotators}_annotations")
    return scan("summeval", read, parse, on_error, without=() if paired else ("source", "source_sentences"))


def _row(entry: Entry, *, stories: str | PathLike[str] | None, paired: bool, annotators: str) -> Row:
    body = None
    if stories is not None:
        body = _body(Path(stories) / entry.text("filepath"))
    return Row(
        doc_id=entry.name("id"),
        source=" ".join(body) if body else entry.text("text") if paired else None,
        sentences=body,
        references=entry.texts("references"),
        summary=entry.text("decoded"),
        system=entry.name("model_id"),
        human=_means(entry, annotators),
        meta={"filepath": entry.text("filepath")} if "filepath" in entry.fields else {},
    )


def _body(path: Path) -> list[str]:
    read = text_file(path)
    if isinstance(read, DatasetError):
        raise read
    return story(read)[0]


def _means(entry: Entry, key: str) -> dict[str, float]:
    """The mean score of each dimension."""
    marks = entry.value(key)
    if not isinstance(marks, list) or not marks or not all(_complete(one) for one in marks):
        entry.refuse(key, f"a list of scores 1 to 5 for {', '.join(DIMENSIONS)}", marks)
    return {name: sum(one[name] for one in marks) / len(marks) for name in DIMENSIONS}


def _complete(mark: Any) -> bool:
    """Whether an annotator scored every dimension."""
    return isinstance(mark, dict) and all(
        isinstance(mark.get(name), int | float) and 1 <= mark[name] <= 5 for name in DIMENSIONS
    )
