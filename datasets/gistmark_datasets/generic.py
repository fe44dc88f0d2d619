"""Any table of pairs: columns named by option, everything else kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike

import polars as pl

from gistmark_datasets.entry import DatasetError, Entry
from gistmark_datasets.frame import OnError, Row, scan
from gistmark_datasets.paths import parts

FILES = ("*.jsonl", "*.jsonl.gz", "*.json", "*.parquet", "*.csv")


def generic(
    path: str | PathLike[str],
    *,
    doc_id: str = "doc_id",
    source: str = "source",
    summary: str = "summary",
    references: str = "references",
    system: str = "system",
    human: str = "human",
    corpus: str = "corpus",
    split: str | None = None,
    on_error: OnError = "fail",
) -> pl.LazyFrame:
    """Pairs of your own in JSON lines, a JSON array, CSV or Parquet; or a folder or glob of them.

    doc_id, source, summary, references, system, human, corpus   what the columns are called. The table lacks those that
            the first row lacks; but doc_id is then the file's name and the row's number, and corpus "generic"
    split   of a folder, the file of that split only

    References are a list of texts or one text, in CSV a JSON list in the cell or plain text, one way in the whole file.
    Human scores are an object of numbers or its JSON text. Other columns are kept in `meta`.
    """
    named = {"doc_id": doc_id, "source": source, "summary": summary, "references": references, "system": system}
    named |= {"human": human, "corpus": corpus}
    read = parts(path, FILES, split)
    rows = (one for part in read for one in part.entries() if isinstance(one, Entry))
    first = next(rows, None)
    if first is None:
        raise DatasetError(path, "there is no row that can be read")
    there = {role: column for role, column in named.items() if column in first.fields}
    if not {"source", "summary", "references"} & set(there):
        raise DatasetError(first.where, f"there is no {source!r}, {summary!r} or {references!r} among its keys")
    without = [name for name in named if name not in ("doc_id", "corpus", *there)]
    given = (one.fields.get(references) for one in chain([first], rows))
    listed = "references" in there and _is_list(next((value for value in given if value is not None), None))
    parse = partial(_row, there=there, absent={named[role] for role in without}, listed=listed)
    return scan("generic", read, parse, on_error, [*without, "source_sentences"])


def _row(entry: Entry, *, there: Mapping[str, str], absent: set[str], listed: bool) -> Row:
    def text(role: str) -> str | None:
        return _or_null(entry, there[role]) if role in there else None

    def name(role: str) -> str | None:
        return entry.name(there[role]) if role in there else None

    for key in absent & entry.fields.keys():
        raise DatasetError(entry.where, f"there is {key!r}, which the first row lacks")
    return Row(
        doc_id=name("doc_id") or entry.label,
        source=text("source"),
        references=_references(entry, there["references"], listed) if "references" in there else None,
        summary=text("summary"),
        system=name("system"),
        human=_scores(entry, there["human"]) if "human" in there else {},
        meta={key: value for key, value in entry.fields.items() if key not in there.values()},
        corpus=name("corpus"),
    )


def _or_null(entry: Entry, key: str) -> str | None:
    return None if entry.value(key) is None else entry.text(key)


def _references(entry: Entry, key: str, listed: bool) -> list[str] | None:
    """A list of texts from a list, from a JSON list in a cell, or from one text."""
    value = entry.value(key)
    if value is None:
        return None
    if _is_list(value) != listed:
        entry.refuse(key, "a list of texts, as in rows before" if listed else "one text, as in rows before", value)
    if isinstance(value, str) and listed:
        return replace(entry, fields={key: json.loads(value)}).texts(key)
    return entry.texts(key) if listed else [entry.text(key)]


def _is_list(value: object) -> bool:
    """Whether references are a list, or a cell that holds a JSON list."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return isinstance(value, list)
    try:
        return isinstance(json.loads(value), list)
    except ValueError:
        return False


def _scores(entry: Entry, key: str) -> Mapping[str, object]:
    value = entry.value(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            entry.refuse(key, "a JSON object of scores", value)
    return (
        value if isinstance(value, dict) else {} if value is None else entry.refuse(key, "an object of scores", value)
    )
