"""Chains that a model has written, from JSON lines or as they are made, checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.files.jsonl import distinct
from gistmark.studies.documents import KEY
from gistmark.studies.perturbations import CHAIN, EXPECTED, GENERATORS, Chains
from gistmark_engine.errors import InputError

Rewrites = str | Path | Sequence[Mapping[str, Any]]

_TYPES = {
    "doc_id": (str, int),
    "perturbation": (str,),
    "level": (int,),
    "text": (str, type(None)),
    "generator": (str,),
}

_SPELLED = {str: "str", int: "int", type(None): "null"}


def read_rewrites(rewrites: Rewrites, documents: pl.DataFrame) -> Chains:
    """Chains from a file of JSON lines or from such objects, one level each: `doc_id, perturbation, level, text,
    generator`, and optionally `seed` (default 0), `corpus` and `system` (needed where doc_id alone names several
    documents).

    A chain that has no level 0 begins with the document's base text. Levels are distinct and not negative; generator
    names the model, never "rule" or "proxy". Lines about documents that are not in `documents` are left out, and
    documents that a perturbation in the file has no line for are listed in `dropped` ("no_rewrite"), as are those with
    a level whose text is null: no rewrite was had ("failed_rewrite").

    Raises InputError naming file, line and value.
    """
    keys: dict[tuple[str, ...], tuple[str, ...]] = {}
    for key in documents.select(KEY).iter_rows():
        keys |= {key: key, (key[0], key[2]): key}
        keys[(key[2],)] = key if (key[2],) not in keys else ()
    rows: dict[tuple[object, ...], tuple[object, ...]] = {}
    for where, line in _lines(rewrites):
        _check(line, where)
        named = tuple(str(line[name]) for name in KEY if line.get(name) is not None)
        found = keys.get(named)
        if found == ():
            raise InputError(f"{where}: several documents have this doc_id; add corpus", value=named[-1])
        if found is not None:
            unique = (*found, line["perturbation"], line["generator"], line.get("seed") or 0, line["level"])
            if unique in rows:
                raise InputError(f"{where}: a second text for one level", value=unique)
            rows[unique] = (*unique, line["text"], found[-1])
    table = pl.DataFrame(list(rows.values()), CHAIN, orient="row")
    chain = [*KEY, "perturbation"]
    broken = table.filter(pl.col("summary").is_null()).select(chain).unique(maintain_order=True)
    whole = _with_base(table.join(broken, on=chain, how="anti", maintain_order="left"), documents)
    failed = broken.with_columns(reason=pl.lit("failed_rewrite"))
    return Chains(whole, pl.concat([failed, _missing(table, documents)]))


def _lines(rewrites: Rewrites) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object and where it stands; of a file, every line that is not blank."""
    if not isinstance(rewrites, str | Path):
        yield from ((f"rewrite {number}", line) for number, line in enumerate(rewrites, 1))
        return
    with Path(rewrites).open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, 1):
            if not text.strip():
                continue
            where = f"{rewrites}, line {number}"
            try:
                line = json.loads(text, object_pairs_hook=distinct)
            except json.JSONDecodeError as error:
                raise InputError(f"{where}: not JSON: {error.msg}, character {error.colno}") from error
            except ValueError as error:
                raise InputError(f"{where}: {error}") from error
            if not isinstance(line, dict):
                raise InputError(f"{where}: not an object", value=line)
            yield where, line


def _check(line: Mapping[str, Any], where: str) -> None:
    """Refuse a line that is not one level of a chain."""
    for name, kinds in _TYPES.items():
        if name not in line or not isinstance(line[name], kinds) or isinstance(line[name], bool):
            raise InputError(f"{where}: {name} must be {' or '.join(_SPELLED[kind] for kind in kinds)}", value=line)
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
