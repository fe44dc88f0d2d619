"""SciTLDR: papers and their one-sentence summaries (Cachola et al. 2020)."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Literal

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Row, scan
from gistmark_datasets.paths import parts

Setting = Literal["abstract", "aic", "full"]
FOLDERS: dict[Setting, str] = {"abstract": "SciTLDR-A", "aic": "SciTLDR-AIC", "full": "SciTLDR-FullText"}


def scitldr(
    path: str | PathLike[str],
    *,
    setting: Setting | None = None,
    split: str | None = None,
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Papers with their gold TLDRs as references, the author's first.

    path     `test.jsonl`; a folder of train, dev and test; or the folder above, of SciTLDR-A, -AIC and -FullText
    setting  what the source is: "abstract" (the default of the folder above), "aic" (abstract, introduction, conclusion)
             or "full", the whole paper, which the data card calls a mistake to summarise from: it is read only where it
             is asked for by this name. None elsewhere: what the name of the folder says
    split    "train", "dev" or "test": of a folder, that file only

    Reads JSON lines of paper_id, source and target (lists of sentences; target may be one text), title. The source is
    its sentences joined by a space. Cachola et al., "TLDR: Extreme Summarization of Scientific Documents", Findings of
    EMNLP 2020, section 3.
    """
    place = _folder(Path(path), setting)
    return scan("scitldr", parts(place, ("*.jsonl", "*.jsonl.gz"), split), _row, on_error)


def _folder(path: Path, setting: Setting | None) -> Path:
    """The folder of the setting; refuses full text that nobody asked for."""
    if setting is not None and setting not in FOLDERS:
        raise DatasetError("setting", f"must be one of {', '.join(FOLDERS)}, not {setting!r}")
    below = path / FOLDERS[setting or "abstract"]
    place = below if below.is_dir() else path
    said = next((name for name, folder in FOLDERS.items() if folder in place.absolute().parts), setting)
    if setting not in (None, said):
        raise DatasetError(place, f"holds setting {said!r}, not {setting!r}")
    if said == "full" and setting is None:
        problem = (
            "full text, which the data card calls a mistake to summarise from; setting 'full' reads it nevertheless"
        )
        raise DatasetError(place, problem)
    return place


def _row(entry: Entry) -> Row:
    sentences = entry.lines("source")
    target = entry.value("target")
    return Row(
        doc_id=entry.name("paper_id"),
        source=" ".join(sentences),
        sentences=sentences,
        references=[entry.text("target")] if isinstance(target, str) else entry.texts("target"),
        meta={"title": entry.text("title")} if "title" in entry.fields else {},
    )
