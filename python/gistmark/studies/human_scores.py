"""Human scores as columns of numbers, whether a file has them so, as text, or in objects with a key a score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import polars as pl

from gistmark.files.jsonl import distinct
from gistmark.near import near
from gistmark.numbers import numbers
from gistmark_engine.errors import InputError


def human_scores(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The table with the scores that stand in `columns` as float64, and their names: a column's, or an object's keys.

    Raises InputError for a column that is not there or holds something else, and where there is no score at all.
    """
    scores: list[pl.Series] = []
    for column in dict.fromkeys(columns):
        if column not in frame.columns:
            raise InputError(f"there is no such column{_hint(frame, column)}", column=column)
        scores += _unpacked(frame[column])
    names = [score.name for score in scores]
    if twice := next(
        (name for name in names if names.count(name) > 1 or name in set(frame.columns) - {*columns}), None
    ):
        raise InputError(f"there are two scores or columns called {twice!r}; rename one", column=columns[0])
    if all(score.is_null().all() for score in scores):
        raise InputError(f"there is no human score in {', '.join(names or columns)}: nothing to correlate with")
    return frame.drop(columns).with_columns(scores), names


def _unpacked(values: pl.Series) -> list[pl.Series]:
    """A column of numbers, or of objects as a column a key."""
    if isinstance(values.dtype, pl.Struct):
        return [numbers(field) for field in values.struct.unnest()]
    texts = values.drop_nulls() if values.dtype == pl.String else values.clear()
    return _objects(values) if any(text.lstrip().startswith("{") for text in texts) else [numbers(values)]


def _objects(texts: pl.Series) -> list[pl.Series]:
    rows = [_object(text, texts.name, row) for row, text in enumerate(texts)]
    keys = dict.fromkeys(key for row in rows for key in row)
    return [pl.Series(key, [row.get(key) for row in rows], pl.Float64, strict=False) for key in keys]


def _object(text: str | None, column: str, row: int) -> Mapping[str, float | None]:
    """A cell's scores; none for null."""
    if text is None:
        return {}
    try:
        found = json.loads(text, object_pairs_hook=distinct)
    except ValueError as error:
        raise InputError(f"no JSON object: {error}", column=column, row=row, value=text) from None
    if not isinstance(found, dict):
        raise InputError("no JSON object, and others are", column=column, row=row, value=text)
    for key, value in found.items():
        if not (value is None or isinstance(value, int | float)):
            raise InputError(f"{key!r} is no number", column=column, row=row, value=value)
    return found


def _hint(frame: pl.DataFrame, wanted: str) -> str:
    """Where a score stands that is no column, or what there is."""
    for column in frame.get_columns():
        if wanted in (keys := _keys(column)):
            return f"; the column {column.name!r} holds objects that have it: --human {column.name} takes {', '.join(keys)}"
    return f"{near(wanted, frame.columns)}; there are {', '.join(frame.columns)}"


def _keys(values: pl.Series) -> list[str]:
    """The keys of the objects in a column, as the first of them says; none of anything else."""
    if isinstance(values.dtype, pl.Struct):
        return [field.name for field in values.dtype.fields]
    text = next(iter(values.drop_nulls()), "") if values.dtype == pl.String else ""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return list(found) if isinstance(found, dict) else []
