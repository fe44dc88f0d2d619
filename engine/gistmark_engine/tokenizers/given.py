"""Tokens that a Python function cuts: for tokenizers that live in other libraries or are too rare for a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.inputs import read_inputs
from gistmark_engine.metric import Batch, Tokenizer
from gistmark_engine.tokenizers.rule import Cut
from gistmark_engine.tokens import Tokens, tokenise

TOKENS = pa.list_(pa.large_string())


def cut_batch(batch: Batch, cut: Cut, cut_reference: Cut | None = None, *, words: bool = False) -> Tokens:
    """The tokens of a batch's summaries and references, which `cut_reference` may cut in a way of their own; `words`: with
    what they spell."""
    summaries = batch.texts["summary"].to_pylist()
    references = [
        one if one is None or isinstance(one, list) else [one] for one in batch.texts["references"].to_pylist()
    ]
    _check_texts("summary", [[one] for one in summaries])
    _check_texts("references", references)
    ours = iter(cut([text for text in summaries if text is not None]))
    theirs = iter((cut_reference or cut)([one for many in filter(None, references) for one in many if one is not None]))
    lists = [None if one is None else _cut(one, theirs) for one in references]
    columns = {
        "summary": Column(pa.array(_cut(summaries, ours), TOKENS), "summary", "tokens"),
        "references": Column(pa.array(lists, pa.list_(TOKENS)), "references", "tokens"),
    }
    inputs = read_inputs(columns, 0, batch.rows)
    rows = inputs.rows(("summary", "references"))
    tokens = tokenise(rows, Tokenizer("whitespace", words=words), given=True, null=inputs.null)
    if tokens is None:
        raise RuntimeError("a Python string is always UTF-8")
    return tokens


def _check_texts(role: str, rows: Sequence[Sequence[object] | None]) -> None:
    """Refuse what is no text."""
    for row, values in enumerate(rows):
        for value in values or ():
            if value is not None and not isinstance(value, str):
                problem = (
                    "this tokenizer cuts texts, not lists of tokens or sentences; join them, each text with spaces"
                )
                raise InputError(problem, column=role, row=row, value=value)


def _cut(texts: Sequence[str | None], given: Iterator[Sequence[str]]) -> list[Sequence[str] | None]:
    """The next tokens for every text that is there."""
    return [None if text is None else next(given) for text in texts]
