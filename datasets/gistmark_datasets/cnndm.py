"""CNN/DailyMail: news stories and their highlights (Hermann et al. 2015, Nallapati et al. 2016)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from hashlib import sha1
from os import PathLike
from pathlib import Path

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Part, Row, scan
from gistmark_datasets.paths import files, only, parts, split_of
from gistmark_datasets.reader import text_file

TABLES = ("*.jsonl", "*.jsonl.gz", "*.json", "*.parquet", "*.csv")
STORY = "**/*.story"
MARK = re.compile(r"^@highlight[ \t\r]*$", re.MULTILINE)


def cnndm(
    path: str | PathLike[str],
    *,
    urls: str | PathLike[str] | None = None,
    split: str | None = None,
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Stories; their highlights, one a line, are the one reference.

    path   a table (article, highlights, id) or a folder of tables; or a folder of stories at any depth, `<id>.story`,
           whose body ends at the first line `@highlight`
    urls   for stories: a file of addresses, one a line, that says which are read and in what order; an id is the SHA-1
           of an address. Its name says the split
    split  of a folder of tables, that one only

    Lines of a story become sentences of `source_sentences` and are joined by a space in `source`. Nallapati et al.,
    CoNLL 2016, section 4.
    """
    place = Path(path)
    if urls is not None:
        stories = Part(split_of(Path(urls)), partial(_listed, place, Path(urls)))
    elif place.suffix == ".story" or (place.is_dir() and next(place.glob(STORY), None)):
        stories = Part(None, partial(map, text_file, files(place, [STORY])))
    else:
        return scan("cnndm", parts(place, TABLES, split), _record, on_error)
    return scan("cnndm", only([stories], split, urls or path), _story, on_error)


def story(entry: Entry) -> tuple[list[str], list[str]]:
    """The lines of a story's body, and its highlights."""
    body, *highlights = MARK.split(entry.text("text"))
    return _lines(body), [" ".join(_lines(one)) for one in highlights]


def _listed(folder: Path, urls: Path) -> Iterator[Entry | DatasetError]:
    """The stories of a list of addresses."""
    at = {file.stem: file for file in folder.glob(STORY)}
    listed = text_file(urls)
    if isinstance(listed, DatasetError):
        raise listed
    for number, url in enumerate(listed.text("text").split("\n"), 1):
        name = sha1(url.strip().encode(), usedforsecurity=False).hexdigest()
        if name in at:
            yield text_file(at[name])
        elif url.strip():
            yield DatasetError(f"{urls}, line {number}", f"{folder} holds no {name}.story")


def _story(entry: Entry) -> Row:
    body, highlights = story(entry)
    if not highlights:
        raise DatasetError(entry.where, "there is no line @highlight")
    return Row(entry.name("id"), " ".join(body), body, ["\n".join(highlights)])


def _record(entry: Entry) -> Row:
    return Row(entry.name("id"), entry.text("article"), references=["\n".join(entry.lines("highlights"))])


def _lines(text: str) -> list[str]:
    return [stripped for line in text.split("\n") if (stripped := line.strip())]
