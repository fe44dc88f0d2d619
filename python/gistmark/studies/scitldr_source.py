"""What the systems of the SciTLDR benchmark read: the source text of each of its settings."""

from __future__ import annotations

from typing import Literal

import polars as pl

from gistmark_engine.errors import InputError, OptionError

Setting = Literal["abstract", "aic", "full"]
SETTINGS: tuple[Setting, ...] = ("abstract", "aic", "full")
SECTIONS = ("abstract", "introduction", "conclusion")


def with_source(papers: pl.DataFrame, setting: Setting) -> pl.DataFrame:
    """The papers with the setting's text in column `source`.

    "abstract"  column `abstract` where there is one, else `source`
    "aic"       columns abstract, introduction and conclusion in that order where they are there, else `source`; a
                section that is null is left out
    "full"      `source`

    A text is a string or a list of sentences; parts are joined by a space. Papers without any of these columns come
    back as they are. A setting of which only some sections are there raises InputError.
    """
    if setting not in SETTINGS:
        raise OptionError(f"setting must be one of {', '.join(SETTINGS)}, not {setting!r}")
    sections = {"abstract": SECTIONS[:1], "aic": SECTIONS, "full": ()}[setting]
    there = [name for name in sections if name in papers.columns]
    if sections and len(there) == len(sections):
        joined = pl.concat_str([_text(papers, name) for name in sections], separator=" ", ignore_nulls=True)
        whole = pl.any_horizontal(pl.col(name).is_not_null() for name in sections)
        return papers.with_columns(source=pl.when(whole).then(joined))
    if "source" in papers.columns:
        return papers.with_columns(source=_text(papers, "source"))
    if there:
        missing = next(name for name in sections if name not in there)
        raise InputError(f"setting {setting!r} reads it beside {there[0]!r}, and it is not there", column=missing)
    return papers


def _text(papers: pl.DataFrame, column: str) -> pl.Expr:
    """A column of texts, or of lists of sentences, as texts."""
    dtype = papers.schema[column]
    if isinstance(dtype, pl.List):
        return pl.col(column).list.join(" ")
    if dtype not in (pl.String, pl.Null):
        raise InputError(f"a source is a text or a list of sentences, not {dtype}", column=column)
    return pl.col(column)
