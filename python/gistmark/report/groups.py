"""Which rows are one group, and which rows of two groups belong together."""

from __future__ import annotations

import polars as pl

from gistmark_engine.errors import InputError

KEYS = ("doc_id", "id", "source")

MOST = 100
"""Groups that a page can show side by side."""


def grouped(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """The table with the column of groups as texts, null as one of its own; InputError for what cannot tell groups apart."""
    if frame.schema[by].is_nested():
        raise InputError(f"{frame.schema[by]} cannot tell systems apart; name another column", column=by)
    names = frame[by].cast(pl.String)
    if names.n_unique() > MOST:
        problem = f"has {names.n_unique()} values; a report shows at most {MOST} groups side by side"
        raise InputError(problem, column=by)
    null = "(null)"
    while null in names:
        null += "′"
    return frame.with_columns(names.fill_null(null))


def groups_of(frame: pl.DataFrame, by: str | None) -> dict[str, pl.DataFrame]:
    """The rows of every group in the order of their first appearance; without `by`, all rows as one."""
    if by is None or frame.is_empty():
        return {"all rows": frame}
    return {part[by][0]: part for part in frame.partition_by(by, maintain_order=True)}


def pairing(frame: pl.DataFrame, by: str | None) -> str | None:
    """The first of `KEYS` of which every group has the same values, each once; None: no row has a counterpart."""
    groups = groups_of(frame, by)
    if by is None or len(groups) < 2:
        return None
    for key in KEYS:
        if key in frame.columns and key != by and not frame[key].null_count():
            times = frame.group_by(key).agg(pl.len(), groups=pl.col(by).n_unique())
            if (times["len"] == len(groups)).all() and (times["groups"] == len(groups)).all():
                return key
    return None
