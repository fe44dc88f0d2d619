"""The columns of a job, by role, as the engine works with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gistmark_engine.arrow import NULL, References, Texts, before, element_type, join, read_references, read_texts
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric

if TYPE_CHECKING:
    from gistmark_engine.kernels.records import Rows

CUT_ROLES = ("summary", "source")
"""Roles whose texts are tokenised, beside the references."""


@dataclass(frozen=True)
class Inputs:
    """All columns of a job: as given, and the tokenised roles as addresses and lengths."""

    count: int
    columns: Mapping[str, Column]
    texts: Mapping[str, Texts]
    references: References | None

    def rows(self, roles: Sequence[str], start: int, stop: int) -> Rows:
        """The texts of some roles and rows, for a kernel; roles not asked for look absent."""
        from gistmark_engine.kernels.records import Rows

        pool, at = self.pool
        first = {role: at[role] + start if role in roles and role in at else NULL for role in CUT_ROLES}
        if self.references and "references" in roles:
            shift = at["references"]
            bounds = self.references.first[start:stop] + shift, self.references.last[start:stop] + shift
        else:
            bounds = (np.zeros(stop - start, np.int64),) * 2
        texts = pool.start, pool.stop, pool.pieces.address, pool.pieces.length
        return Rows(*texts, first["summary"], first["source"], *bounds)

    @cached_property
    def pool(self) -> tuple[Texts, dict[str, int]]:
        """All texts in one, and where in it those of each role begin."""
        parts = dict(self.texts)
        if self.references:
            parts["references"] = self.references.texts
        at = accumulate((len(texts.start) for texts in parts.values()), initial=0)
        return join(list(parts.values())), dict(zip(parts, at, strict=False))

    def null(self, start: int, stop: int) -> dict[str, NDArray[np.bool_]]:
        """By role, which rows have no text; a role that is absent has none anywhere."""
        given = {role: texts.null for role, texts in self.texts.items()}
        if self.references:
            given["references"] = self.references.null
        roles = (*CUT_ROLES, "references")
        return {role: given[role][start:stop] if role in given else np.ones(stop - start, np.bool_) for role in roles}

    @property
    def size(self) -> int:
        """Bytes of text in all rows, or some more, one more a text: a bound that takes no time."""
        texts = [*self.texts.values(), *([self.references.texts] if self.references else [])]
        return self.count + sum(len(each.start) + int(np.abs(each.pieces.length).sum()) for each in texts)

    def weights(self) -> NDArray[np.int64]:
        """Bytes of text in each row, one more a text."""
        total = np.ones(self.count, np.int64)
        for texts in self.texts.values():
            total += _sizes(texts)
        if self.references:
            sums = before(_sizes(self.references.texts))
            total += sums[self.references.last] - sums[self.references.first]
        return total

    def strings(self, roles: Sequence[str]) -> dict[str, pa.Array]:
        """The columns of some roles as one Arrow array each, as a metric on raw text reads them."""
        return {role: _whole(self.columns[role].values) for role in roles if role in self.columns}


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array; chunks that have a dictionary each are spelled out first."""
    if not isinstance(values, pa.ChunkedArray):
        return values
    return (values.cast(_spelled(values.type)) if values.num_chunks > 1 else values).combine_chunks()


def _spelled(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries, at any depth of lists."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_large_list(kind):
        return pa.large_list(_spelled(kind.value_type))
    return pa.list_(_spelled(kind.value_type)) if pa.types.is_list(kind) else kind


def _sizes(texts: Texts) -> NDArray[np.int64]:
    """Bytes of each text, one more each; null texts have one."""
    if len(texts.pieces.length) == len(texts.start) and not texts.null.any():
        return np.abs(texts.pieces.length) + 1
    sums = before(np.abs(texts.pieces.length))
    sizes: NDArray[np.int64] = sums[np.maximum(texts.stop, 0)] - sums[np.maximum(texts.start, 0)] + 1
    return sizes


def read_inputs(columns: Mapping[str, Column], metrics: Sequence[Metric]) -> Inputs:
    """Check that the columns suit the metrics, and find where their texts lie."""
    for metric in metrics:
        for role in metric.inputs:
            if role not in columns and role not in metric.optional:
                raise InputError(f"no column in the role {role!r}", metric=metric.name)
    wanted = {role: column for role, column in columns.items() if any(role in metric.inputs for metric in metrics)}
    lengths = {role: len(column.values) for role, column in wanted.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns differ in length: {lengths}")
    cut = {role for metric in metrics if metric.tokenizer for role in metric.inputs}
    _check_kinds({role: column for role, column in wanted.items() if role in cut})
    texts = {role: read_texts(wanted[role]) for role in CUT_ROLES if role in wanted and role in cut}
    references = read_references(wanted["references"]) if "references" in wanted and "references" in cut else None
    count = next(iter(lengths.values()), 0)
    return Inputs(count, wanted, texts, references)


def _check_kinds(columns: Mapping[str, Column]) -> None:
    """Tokens can only be compared with tokens, integers with integers."""
    kinds = {role: column.kind for role, column in columns.items()}
    if "tokens" not in kinds.values():
        return
    if set(kinds.values()) != {"tokens"}:
        raise InputError(f"either all texts are given as tokens or none is: {kinds}")
    elements = {role: element_type(column.values.type) for role, column in columns.items()}
    named = {role: kind for role, kind in elements.items() if not pa.types.is_null(kind)}
    if len({pa.types.is_integer(kind) for kind in named.values()}) > 1:
        raise InputError(f"tokens are integers in all columns or in none: { {r: str(k) for r, k in named.items()} }")
