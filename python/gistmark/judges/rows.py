"""A batch as rows of Python strings, and rows of answers as a batch's columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark.judges.question import Answer
from gistmark_engine.errors import InputError
from gistmark_engine.metric import STATUS, Batch, Values

Texts = Mapping[str, list[str | None]]

_EMPTY = {
    "summary": "empty_summary",
    "rival": "empty_summary",
    "source": "empty_source",
    "reference": "empty_reference",
}
_WORST = ("failed", "truncated", "repaired", "ok")


def texts(batch: Batch, roles: Iterable[str]) -> dict[str, list[str | None]]:
    """The texts of `roles` by name, nulls as None, roles the batch lacks left out.

    "reference" is the first element of "references" that is neither null nor blank.
    """
    found: dict[str, list[str | None]] = {}
    for role in roles:
        column = batch.texts.get("references" if role == "reference" else role)
        if column is not None:
            _check_type(role, column.type)
            values = column.to_pylist()
            found[role] = [_first(value) for value in values] if role == "reference" else values
    return found


def screen(columns: Texts, needed: Iterable[str], rows: int) -> list[str | None]:
    """Per row: "ok" where it can be asked about, the reason where a needed text is blank, None where one is null."""
    found: list[str | None] = ["ok"] * rows
    for role in needed:
        for row, text in enumerate(columns[role]):
            if text is None:
                found[row] = None
            elif found[row] == "ok" and not text.strip():
                found[row] = _EMPTY.get(role, "undefined")
    return found


def worst(answers: Iterable[Answer]) -> str:
    """The status of a row that took several answers: the worst of theirs."""
    return min((answer.status for answer in answers), key=_WORST.index, default="ok")


def numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    """Numbers, truth values or None as one float64 a row, NaN for null."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def statuses(values: Sequence[str | None]) -> NDArray[np.float64]:
    """Status names as the codes a metric returns."""
    return numbers([None if value is None else STATUS[value] for value in values])


def levels(values: Sequence[object], names: Sequence[str]) -> NDArray[np.float64]:
    """Names of an enum as the codes a metric returns."""
    return numbers([None if value is None else names.index(str(value)) for value in values])


def strings(values: Sequence[object]) -> Values:
    """A string column."""
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def string_lists(values: Sequence[Sequence[str] | None]) -> Values:
    """A column of lists of strings."""
    return pa.array(values, pa.list_(pa.string()))


def numbered(items: Sequence[str]) -> str:
    """`items` as lines numbered from 1, each on one line, as a prompt shows rows that are asked about by id."""
    return "\n".join(f"{number}. {' '.join(item.split())}" for number, item in enumerate(items, 1))


def _check_type(role: str, kind: pa.DataType) -> None:
    """Raise `InputError` unless a column holds text (for references: text or lists of it)."""
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    nested = pa.types.is_dictionary(kind) or (listed and role == "reference")
    inner: pa.DataType = getattr(kind, "value_type", kind) if nested else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    if not any(test(inner) for test in tests):
        raise InputError(f"a judge reads text in the role {role!r}, and this column is {kind}", column=role)


def _first(references: object) -> str | None:
    """The first usable one of a row's references (a list, or one string); "" where all are blank, None where null."""
    found = [references] if isinstance(references, str) else list(references or ())  # type: ignore[call-overload]
    usable = [text for text in found if text is not None]
    return next((text for text in usable if text.strip()), usable[0] if usable else None)
