"""The rows that every library can score, as each side wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from gistmark.roles import assign
from gistmark_bindings.polars import to_arrow
from gistmark_bindings.roles import column
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError


@dataclass(frozen=True, slots=True)
class Pairs:
    """Texts in memory, none of them null: in lists for a peer, in Arrow for the engine.

    rows     where in the table each of them stood
    texts    role → texts; references as a list of texts a row
    columns  role → the same as Arrow
    """

    rows: Sequence[int]
    texts: Mapping[str, list[Any]]
    columns: Mapping[str, Column]


def pairs_of(frame: pl.DataFrame, roles: Sequence[str]) -> Pairs:
    """The rows of `frame` that have a text in each of `roles`; its columns are called as the roles.

    Null references beside others are left out. Raises InputError for a missing column or one that holds no text.
    """
    missing = [role for role in roles if role not in assign(None, frame.columns)]
    if missing:
        raise InputError(f"there is no such column; there are {', '.join(frame.columns)}", column=missing[0])
    for role in roles:
        column(to_arrow(frame[role]), role, role, "text")
    table = frame.select(roles).with_row_index("row")
    table = table.with_columns(pl.selectors.categorical().cast(pl.String), pl.selectors.enum().cast(pl.String))
    listed = isinstance(table.schema.get("references"), pl.List)
    if listed:
        table = table.with_columns(pl.col("references").list.drop_nulls())
        table = table.filter(pl.col("references").list.len() > 0)
    table = table.drop_nulls().rechunk()
    texts = {role: table[role].to_list() for role in roles}
    if "references" in roles and not listed:
        texts["references"] = [[text] for text in texts["references"]]
    return Pairs(table["row"].to_list(), texts, {role: Column(to_arrow(table[role]), role) for role in roles})
