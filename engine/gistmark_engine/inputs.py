"""The columns of a job, by role, as the engine works with them: checked as a whole, read range by range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gistmark_engine.arrow import Share, Texts, find_oversized, read_texts
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.kernels.records import NULL, Rows
from gistmark_engine.layouts import Flags, cast_to, check_type, element_type, may_oversize
from gistmark_engine.metric import Metric

CUT_ROLES = ("summary", "source")
"""Roles whose texts are tokenised, beside the references."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Some rows of a job, the first of them row `first`: the columns as given, their texts, and each role's share."""

    first: int
    count: int
    columns: Mapping[str, Column]
    texts: Texts
    shares: Mapping[str, Share]

    def rows(self, roles: Sequence[str]) -> Rows:
        """The texts of some roles, for a kernel; roles not asked for look absent."""
        shares, texts = {role: share for role, share in self.shares.items() if role in roles}, self.texts
        summary, source = (int(shares[role].first[0]) if role in shares and self.count else NULL for role in CUT_ROLES)
        references = shares.get("references")
        nothing = np.zeros(0 if references else self.count, np.int64)
        first, last = (references.first, references.last) if references else (nothing, nothing)
        return Rows(texts.start, texts.stop, texts.address, texts.length, summary, source, first, last)

    @property
    def size(self) -> int:
        """Bytes of text, one more a text or piece."""
        return int(np.abs(self.texts.length).sum()) + len(self.texts.length)

    @property
    def null(self) -> dict[str, Flags | None]:
        """By role, which rows have no text in it, None for no row."""
        roles = (*CUT_ROLES, "references")
        return {
            role: self.shares[role].null if role in self.shares else np.ones(self.count, np.bool_) for role in roles
        }


def check_columns(columns: Mapping[str, Column], metrics: Sequence[Metric]) -> dict[str, Column]:
    """The columns that the metrics read, which suit them; InputError for those that do not."""
    for metric in metrics:
        for role in metric.inputs:
            if role not in columns and role not in metric.optional:
                raise InputError(f"no column in the role {role!r}", metric=metric.name)
    wanted = {role: column for role, column in columns.items() if any(role in metric.inputs for metric in metrics)}
    lengths = {role: len(column.values) for role, column in wanted.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns differ in length: {lengths}")
    cut = cut_columns(wanted, metrics)
    _check_kinds(cut)
    _check_integers(cut, metrics)
    return wanted


def cut_columns(columns: Mapping[str, Column], metrics: Sequence[Metric]) -> dict[str, Column]:
    """The columns that some metric wants cut into tokens, of the roles that are."""
    cut = {role for metric in metrics if metric.tokenizer for role in metric.inputs}
    return {role: column for role, column in columns.items() if role in cut and role in (*CUT_ROLES, "references")}


def read_inputs(columns: Mapping[str, Column], first: int, count: int) -> Inputs:
    """Find where the texts of `count` rows lie, row `first` the first of them."""
    return Inputs(
        first, count, columns, *read_texts({role: _slice(each, first, count) for role, each in columns.items()})
    )


def _slice(column: Column, first: int, count: int) -> Column:
    if count == len(column.values):
        return column
    return Column(column.values.slice(first, count), column.name, column.kind)


def strings(columns: Mapping[str, Column], roles: Sequence[str]) -> dict[str, pa.Array]:
    """The columns of some roles as one Arrow array each, as a metric on raw text reads them."""
    return {role: _whole(columns[role].values) for role in roles if role in columns}


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array; chunks that have a dictionary each are spelled out first."""
    if not isinstance(values, pa.ChunkedArray):
        return values
    whole = cast_to(values, _spelled(values.type)) if values.num_chunks > 1 else values
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole


def _spelled(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries, at any depth of lists."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_large_list(kind):
        return pa.large_list(_spelled(kind.value_type))
    return pa.list_(_spelled(kind.value_type)) if pa.types.is_list(kind) else kind


def _check_kinds(columns: Mapping[str, Column]) -> None:
    """Tokens can only be compared with tokens, integers with integers, and each column must hold what it says."""
    kinds = {role: column.kind for role, column in columns.items()}
    if "tokens" in kinds.values():
        if set(kinds.values()) != {"tokens"}:
            raise InputError(f"either all texts are given as tokens or none is: {kinds}")
        elements = {role: element_type(column.values.type) for role, column in columns.items()}
        named = {role: kind for role, kind in elements.items() if not pa.types.is_null(kind)}
        if len({pa.types.is_integer(kind) for kind in named.values()}) > 1:
            spelled = {role: str(kind) for role, kind in named.items()}
            raise InputError(f"tokens are integers in all columns or in none: {spelled}")
    for role, column in columns.items():
        check_type(column, role)


def _check_integers(columns: Mapping[str, Column], metrics: Sequence[Metric]) -> None:
    """Integers given as tokens must fit a signed word: a larger one would wrap onto another."""
    for role, column in columns.items():
        found = find_oversized(column, role) if may_oversize(column.values.type) else None
        if found:
            name = next(metric.name for metric in metrics if metric.tokenizer and role in metric.inputs)
            problem, (row, value) = "integer tokens must fit 64 bits with a sign", found
            raise InputError(problem, metric=name, column=column.name, row=row, value=value)
