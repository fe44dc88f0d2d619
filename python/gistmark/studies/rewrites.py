"""Chains that a model has written, read from JSON lines and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.studies.documents import KEY
from gistmark.studies.perturbations import CHAIN, EXPECTED, GENERATORS, Chains
from gistmark_engine.errors import InputError

_TYPES = {"doc_id": (str, int), "perturbation": (str,), "level": (int,), "text": (str,), "generator": (str,)}


def read_rewrites(path: str | Path, documents: pl.DataFrame) -> Chains:
    """Chains from JSON lines, one level a line: `doc_id, perturbation, level, text, generator`, and optionally `seed`
    (default 0), `corpus` and `system` (needed where doc_id alone names several documents).

    A chain that has no level 0 begins with the document's base text. Levels are distinct and not negative; generator
    names the model, never "rule" or "proxy". Lines about documents that are not in `documents` are left out, and
    documents that a perturbation in the file has no line for are listed in `dropped` ("no_rewrite").

    Raises InputError naming file, line and value.
    """
    keys: dict[tuple[str, ...], tuple[str, ...]] = {}
    for key in documents.select(KEY).iter_rows():
        keys |= {key: key, (key[0], key[2]): key}
        keys[(key[2],)] = key if (key[2],) not in keys else ()
    rows: dict[tuple[object, ...], tuple[object, ...]] = {}
    for number, line in _lines(Path(path)):
        _check(line, f"{path}, line {number}")
        named = tuple(str(line[name]) for name in KEY if line.get(name) is not None)
        found = keys.get(named)
        if found == ():
            raise InputError(f"{path}, line {number}: several documents have this doc_id; add corpus", value=named[-1])
        if found is not None:
            unique = (*found, line["perturbation"], line["generator"], line.get("seed") or 0, line["level"])
            if unique in rows:
                raise InputError(f"{path}, line {number}: a second text for one level", value=unique)
            rows[unique] = (*unique, line["text"], found[-1])
    table = _with_base(pl.DataFrame(list(rows.values()), CHAIN, orient="row"), documents)
    return Chains(table, _missing(table, documents))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every line that is not blank as an object, with its number from 1."""
    with path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except json.JSONDecodeError as error:
                raise InputError(f"{path}, line {number}: {error.msg} at column {error.colno}") from error
            if not isinstance(line, dict):
                raise InputError(f"{path}, line {number}: not an object", value=line)
            yield number, line


def _check(line: dict[str, Any], where: str) -> None:
    """Refuse a line that is not one level of a chain."""
    for name, kinds in _TYPES.items():
        if not isinstance(line.get(name), kinds) or isinstance(line[name], bool):
            raise InputError(f"{where}: {name} must be {' or '.join(kind.__name__ for kind in kinds)}", value=line)
    if line["perturbation"] not in EXPECTED:
        raise InputError(f"{where}: unknown perturbation, not in {', '.join(EXPECTED)}", value=line["perturbation"])
    if line["level"] < 0:
        raise InputError(f"{where}: a negative level", value=line["level"])
    if line["generator"] in {*GENERATORS.values(), ""}:
        raise InputError(f"{where}: generator must name the model that wrote the text", value=line["generator"])


def _with_base(table: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """The chains, each beginning at level 0."""
    listed = isinstance(documents.schema["base"], pl.List)
    text = pl.col("base").list.join(" ") if listed else pl.col("base")
    chain = [*KEY, "perturbation", "generator", "seed"]
    bare = table.group_by(chain, maintain_order=True).agg(pl.col("level").min(), pl.col("reader").first())
    base = bare.filter(pl.col("level") > 0).join(documents.select(*KEY, text.alias("summary")), on=KEY, how="left")
    whole = pl.concat([table, base.with_columns(level=pl.lit(0, pl.Int64)).select(*CHAIN)])
    return whole.sort([*chain, "level"], maintain_order=True)


def _missing(table: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Documents that a perturbation has no chain for."""
    every = documents.select(KEY).join(table.select("perturbation").unique(maintain_order=True), how="cross")
    absent = every.join(table, on=[*KEY, "perturbation"], how="anti", maintain_order="left")
    return absent.with_columns(reason=pl.lit("no_rewrite"))
