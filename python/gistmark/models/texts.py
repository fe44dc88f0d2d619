"""The columns of a batch as a neural metric reads them: each distinct text once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gistmark.models.ragged import Ints, bounds_of, places
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Batch


@dataclass(frozen=True, slots=True)
class Texts:
    """A role's texts: one a row, or any number of references.

    values  large_string array of all texts in order, nulls among the references left out
    bounds  int64 (rows + 1,): row k has values[bounds[k]:bounds[k + 1]]; one each outside the references
    null    bool (rows,): rows without a text
    role    what errors speak of
    """

    values: pa.Array
    bounds: Ints
    null: NDArray[np.bool_]
    role: str

    def take(self, rows: Ints) -> Texts:
        """Some rows, in the order given."""
        counts = np.diff(self.bounds)[rows]
        values = self.values.take(pa.array(places(self.bounds[rows], counts)))
        return Texts(values, bounds_of(counts), self.null[rows], self.role)

    @property
    def sizes(self) -> Ints:
        """int64 (rows,): bytes of each row's texts."""
        lengths = np.asarray(pc.binary_length(self.values).fill_null(0), np.int64)
        return np.diff(bounds_of(lengths)[self.bounds])

    def distinct(self, *others: Texts) -> tuple[list[str], Ints]:
        """The distinct texts, those of further roles included, in order of appearance; and int64 (all texts,), role after
        role, which of them each text is. Null counts as "". Raises `InputError` for text that is not UTF-8."""
        roles = (self, *others)
        encoded = pa.concat_arrays([one.values for one in roles]).fill_null("").dictionary_encode()
        try:
            return encoded.dictionary.to_pylist(), np.asarray(encoded.indices, np.int64)
        except UnicodeDecodeError:
            raise next(filter(None, (one._broken() for one in roles))) from None

    def _broken(self) -> InputError | None:
        """An error about the first row whose text is not UTF-8."""
        raw = self.values.cast(pa.large_binary()).to_pylist()
        for at, value in enumerate(raw):
            if value is not None and _is_broken(value):
                row = int(np.searchsorted(self.bounds, at, side="right")) - 1
                return InputError("text is not valid UTF-8", column=self.role, row=row, value=value)
        return None


def read(batch: Batch, role: str) -> Texts:
    """The texts of a role. Raises `InputError` for a column that holds no text."""
    column = batch.texts[role]
    listed = _is_list(column.type)
    if not _is_text(column.type.value_type if listed and role == "references" else column.type):
        raise InputError(f"a neural metric reads text, and this column is {column.type}", column=role)
    if not listed:
        null = np.asarray(column.is_null())
        values = column.cast(pa.large_string())
        if role == "references":
            return Texts(values.drop_null(), bounds_of((~null).astype(np.int64)), null, role)
        return Texts(values, np.arange(len(null) + 1, dtype=np.int64), null, role)
    counts = np.asarray(pc.list_value_length(column).fill_null(0), np.int64)
    flat = column.flatten().cast(pa.large_string())
    there = np.asarray(flat.is_valid())
    bounds = bounds_of(there.astype(np.int64))[bounds_of(counts)]
    return Texts(flat.drop_null(), bounds, np.diff(bounds) == 0, role)


def _is_broken(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return False


def _is_list(kind: pa.DataType) -> bool:
    kinds = pa.ListType | pa.LargeListType | pa.FixedSizeListType | pa.ListViewType | pa.LargeListViewType
    return isinstance(kind, kinds)


def _is_text(kind: pa.DataType) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return any(test(inner) for test in tests)
