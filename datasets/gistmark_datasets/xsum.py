"""XSum: news stories of the BBC and their first sentence (Narayan et al. 2018)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Part, Row, scan
from gistmark_datasets.paths import files, only, parts
from gistmark_datasets.reader import json_file, text_file

TABLES = ("*.jsonl", "*.jsonl.gz", "*.json", "*.parquet", "*.csv")
STORY = "*.summary"
BLOCK = re.compile(r"\[SN\](URL|TITLE|FIRST-SENTENCE|RESTBODY)\[SN\]")


def xsum(
    path: str | PathLike[str],
    *,
    splits: str | PathLike[str] | None = None,
    split: str | None = None,
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Stories without their first sentence, which is the one reference.

    path    a table (document, summary, id) or a folder of tables; or a folder of stories, `<id>.summary`, with blocks
            after the tags URL, TITLE, FIRST-SENTENCE and RESTBODY
    splits  for a folder of stories: the JSON file of ids by split; without it all stories are read, of no split
    split   one of them only

    Lines of a story become sentences of `source_sentences` and are joined by a space in `source`. Narayan, Cohen and
    Lapata, "Don't Give Me the Details, Just the Summary!", EMNLP 2018, section 2.
    """
    place = Path(path)
    if splits is not None:
        every = [Part(name, partial(_stories, place, ids)) for name, ids in _ids(Path(splits)).items()]
        return scan("xsum", only(every, split, splits), _story, on_error)
    if place.suffix == ".summary" or (place.is_dir() and next(place.glob(STORY), None)):
        stories = Part(None, partial(map, text_file, files(place, [STORY])))
        return scan("xsum", only([stories], split, path), _story, on_error)
    return scan("xsum", parts(place, TABLES, split), _record, on_error)


def _ids(path: Path) -> Mapping[str, list[str]]:
    """The ids of each split."""
    found = json_file(path)
    if not isinstance(found, dict) or not all(isinstance(ids, list) for ids in found.values()):
        raise DatasetError(path, "ids by split are a JSON object of lists")
    return {name: [str(one) for one in ids] for name, ids in found.items()}


def _stories(folder: Path, ids: list[str]) -> Iterator[Entry | DatasetError]:
    return (text_file(folder / f"{name}.summary") for name in ids)


def _story(entry: Entry) -> Row:
    pieces = BLOCK.split(entry.text("text"))
    blocks = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    for name in ("FIRST-SENTENCE", "RESTBODY"):
        if name not in blocks:
            raise DatasetError(entry.where, f"there is no block [SN]{name}[SN]")
    meta = {name.lower(): blocks[name].strip() for name in ("URL", "TITLE") if name in blocks}
    return _row(entry.name("id"), _lines(blocks["RESTBODY"]), _lines(blocks["FIRST-SENTENCE"]), meta)


def _record(entry: Entry) -> Row:
    return _row(entry.name("id"), entry.lines("document"), entry.lines("summary"), {})


def _row(doc_id: str, body: list[str], first: list[str], meta: Mapping[str, str]) -> Row:
    return Row(doc_id, " ".join(body), body, [" ".join(first)], meta=meta)


def _lines(text: str) -> list[str]:
    return [stripped for line in text.split("\n") if (stripped := line.strip())]
