"""How the tests of the engine call it: roles in, plain lists out, and the tokens it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from gistmark_engine.columns import Column, Kind
from gistmark_engine.metric import Batch, Citation, Field, Metric, Tokenizer
from gistmark_engine.plan import score_columns

Values = Sequence[Any] | pa.Array | pa.ChunkedArray


def arrow(metrics: Metric | Sequence[Metric], kind: Kind = "text", threads: int = 1, **roles: Values) -> pa.RecordBatch:
    """The fields as Arrow; lists of texts become Arrow arrays first."""
    columns = {role: Column(_array(values), role, kind) for role, values in roles.items()}
    wanted = [metrics] if isinstance(metrics, Metric) else metrics
    scored = score_columns(columns, wanted, threads=threads)
    return pa.RecordBatch.from_arrays(list(scored.values()), names=list(scored))


def scores(
    metrics: Metric | Sequence[Metric], kind: Kind = "text", threads: int = 1, **roles: Values
) -> dict[str, list[Any]]:
    """The fields as lists by column name."""
    return arrow(metrics, kind, threads, **roles).to_pydict()


def row(metric: Metric, kind: Kind = "text", **roles: Any) -> dict[str, Any]:
    """The fields of one row; `references` may be one text or a list."""
    return {name: values[0] for name, values in scores(metric, kind, **{k: [v] for k, v in roles.items()}).items()}


def same_bytes(one: pa.RecordBatch, other: pa.RecordBatch) -> bool:
    """Whether two tables agree in names, types and every bit of every number."""
    return one.schema == other.schema and all(
        _bits(a) == _bits(b) for a, b in zip(one.columns, other.columns, strict=True)
    )


def cut(tokenizer: str, summary: Values, source: Values, kind: Kind = "text", **options: bool) -> list[list[list[int]]]:
    """For each row the ids of the summary's tokens and of the source's.

    A source of several rows numbers all its tokens; that of a single row only those the summary has, -1 for the others.
    """
    rows: list[list[list[int]]] = []

    def keep(batch: Batch) -> Mapping[str, np.ndarray]:
        tokens = batch.tokenised
        spans: list[Any] = [None] * batch.rows
        for g in range(len(tokens.groups.offsets) - 1):
            for member in tokens.groups.members[tokens.groups.offsets[g] : tokens.groups.offsets[g + 1]]:
                spans[member] = (tokens.cut.summary[member], tokens.cut.source[g])
        rows.extend([tokens.cut.ids[a:b].tolist() for a, b in pair] for pair in spans)
        return {"probe": np.zeros(batch.rows)}

    rule = Tokenizer(tokenizer, whole=True, **options)
    probe = Metric("probe", ("summary", "source"), {"probe": Field()}, keep, Citation(""), rule)
    arrow(probe, kind, summary=summary, source=source)
    return rows


class Reading(NamedTuple):
    """A row whose ids are known: its texts as they are handed over, and their tokens."""

    summary: Any
    source: Any
    own: Sequence[Any]
    theirs: Sequence[Any]


def misread(tokenizer: str, rows: Sequence[Reading], kind: Kind = "text") -> list[Any]:
    """The rows whose ids do not say which tokens are equal.

    Every row is read by itself and again as one of two with the same source: the engine reads these in different orders.
    """
    element = (
        pa.int64() if any(isinstance(token, int) for row in rows for token in (*row.own, *row.theirs)) else pa.string()
    )
    texts = pa.string() if kind == "text" else pa.list_(element)
    wrong = []
    for times in (1, 2):
        summary = pa.array([row.summary for row in rows for _ in range(times)], texts)
        source = pa.array([row.source for row in rows for _ in range(times)], texts)
        for k, (own, theirs) in enumerate(cut(tokenizer, summary, source, kind)):
            if not _fits(rows[k // times], own, theirs):
                wrong.append((rows[k // times], own, theirs))
    return wrong


def _fits(row: Reading, own: list[int], theirs: list[int]) -> bool:
    """Whether ids and tokens go one to one; -1 aside, which is for tokens of the source that the summary lacks."""
    if (len(own), len(theirs)) != (len(row.own), len(row.theirs)) or min(own, default=0) < 0:
        return False
    pairs = set(zip(own, row.own, strict=True)) | set(zip(theirs, row.theirs, strict=True))
    kept = [(number, token) for number, token in pairs if number >= 0]
    lost = {token for number, token in pairs if number < 0}
    one_to_one = len(kept) == len({number for number, _ in kept}) == len({token for _, token in kept})
    return one_to_one and not lost & {token for _, token in kept}


def _array(values: Values) -> pa.Array | pa.ChunkedArray:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    nested = any(isinstance(value, list | tuple) for value in values)
    empty = not any(value is not None for value in values)
    return pa.array(values, pa.string()) if empty or not nested else pa.array(values)


def _bits(array: pa.Array) -> tuple[Any, ...]:
    """Validity and, where valid, the bytes of every element."""
    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    if pa.types.is_floating(plain.type):
        filled = plain.fill_null(0.0).to_numpy(zero_copy_only=False)
        return plain.is_null().to_pylist(), filled.tobytes()
    return (plain.to_pylist(),)
