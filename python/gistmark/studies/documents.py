"""The documents of a study: one row a text that will be perturbed, under a key that holds in every later table."""

from __future__ import annotations

from random import Random
from typing import Literal

import polars as pl

from gistmark_engine.errors import InputError, OptionError

Base = Literal["reference", "system"]

KEY = ("corpus", "system", "doc_id")


def documents(
    pairs: pl.DataFrame, *, base: Base = "reference", sample: int | None = None, seed: int = 0
) -> pl.DataFrame:
    """The texts to perturb, from scored pairs.

    pairs   columns source and references (list of strings), or either alone; summary for base "system"; optionally
            corpus, doc_id (unique within corpus; else the row's number), system, query, persona
    base    "reference": the first reference of each document (rows that repeat a document, one a system, count
            once and must agree); "system": every row's summary
    sample  at most so many documents of each corpus, drawn by `seed`; None: all

    Returns corpus, system, doc_id (strings; one corpus is called "all", one without a name of a system ""), `base`
    (string or list of strings: sentences), and whichever of source, references, query, persona there are. Documents
    without a base text are left out. Raises InputError naming column, row and value.
    """
    if base not in ("reference", "system"):
        raise OptionError(f'base must be "reference" or "system", not {base!r}')
    if wanted(base) not in pairs.columns:
        raise InputError(f'base="{base}" reads it, and it is not there', column=wanted(base))
    keyed = pairs.with_columns(
        _text(pairs, "corpus", pl.lit("all")),
        _text(pairs, "system", pl.lit("")) if base == "system" else pl.lit("").alias("system"),
        _text(pairs, "doc_id", pl.int_range(pl.len()).cast(pl.String)),
        (_first_reference(pairs) if base == "reference" else pl.col("summary")).alias("base"),
    )
    kept = [name for name in ("source", "references", "query", "persona") if name in pairs.columns]
    once = _once(keyed.select(*KEY, "base", *kept)).filter(_has_text(keyed.schema["base"]))
    return once if sample is None else _sample(once, sample, seed)


def wanted(base: Base) -> str:
    """The column that a base reads."""
    return "references" if base == "reference" else "summary"


def _text(pairs: pl.DataFrame, column: str, default: pl.Expr) -> pl.Expr:
    """A key column as strings, or its default where it is missing."""
    return (pl.col(column).cast(pl.String).fill_null("") if column in pairs.columns else default).alias(column)


def _first_reference(pairs: pl.DataFrame) -> pl.Expr:
    """The first of several references, or the only one."""
    listed = isinstance(pairs.schema["references"], pl.List)
    return pl.col("references").list.drop_nulls().list.first() if listed else pl.col("references")


def _has_text(dtype: pl.DataType) -> pl.Expr:
    """Whether a row has a base text with something in it."""
    base = pl.col("base").list.join(" ") if isinstance(dtype, pl.List) else pl.col("base")
    return base.is_not_null() & (base.str.strip_chars() != "")


def _once(keyed: pl.DataFrame) -> pl.DataFrame:
    """One row a key; an error where rows with one key are not the same."""
    distinct = keyed.unique(maintain_order=True)
    repeated = distinct.filter(~pl.struct(KEY).is_first_distinct())
    if repeated.height:
        key = repeated.select(KEY).row(0)
        row = keyed.with_row_index().filter(**dict(zip(KEY, key, strict=True)))["index"][-1]
        raise InputError("two different texts under one key", column=", ".join(KEY), row=int(row), value=key)
    return distinct


def _sample(rows: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """At most `size` rows of each corpus, in their order."""
    if size < 1:
        raise OptionError(f"sample must be at least 1, not {size}")
    chosen: list[int] = []
    indexed = rows.with_row_index()
    for (corpus,), group in indexed.group_by("corpus", maintain_order=True):
        members = group["index"].to_list()
        chosen += Random(f"{seed}/sample/{corpus}").sample(members, min(size, len(members)))
    return rows[sorted(chosen)]
