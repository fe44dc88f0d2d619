"""Tokens: the central data type. The texts of some rows as token ids that agree within a row."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.arrow import NULL, References, Texts
from gistmark_engine.characters import no_characters
from gistmark_engine.metric import Tokenizer
from gistmark_engine.tokenizers import rule_of
from gistmark_engine.tokenizers.rule import GIVEN

if TYPE_CHECKING:
    from gistmark_engine.kernels.overlap import Pairs
    from gistmark_engine.kernels.records import Cut, Groups, Rows, Rules, TextArrays

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_thread = threading.local()


@dataclass(frozen=True, slots=True)
class Tokens:
    """Some rows cut by one tokenizer.

    groups  rows that share references and source: group g has the rows members[offsets[g]:offsets[g + 1]]
    cut     ids and the spans of all texts, see `kernels.records.Cut`
    null    by role, which rows have no text in it
    """

    groups: Groups
    cut: Cut
    null: Mapping[str, Flags]

    @property
    def rows(self) -> int:
        return len(self.cut.summary)

    @property
    def vocabulary(self) -> int:
        """An upper bound of every id."""
        return int(max(self.cut.shared.max(initial=0), self.cut.whole.max(initial=0)))

    def null_rows(self, *roles: str) -> Flags:
        """Rows that are null in one of the roles."""
        null = np.zeros(self.rows, np.bool_)
        for role in roles:
            null |= self.null[role]
        return null

    def pairs(self, target: Ints, base: Ints) -> Pairs:
        """Pairs of texts of these tokens, given by their spans; pairs with one base should stand together."""
        from gistmark_engine.kernels.overlap import Pairs

        return Pairs(self.cut.ids, target, base, self.vocabulary)

    def reference_pairs(self) -> tuple[Ints, Ints]:
        """(row, reference) of every summary with every reference of its group, in order of group, reference, row."""
        from gistmark_engine.kernels.pairs import reference_pairs

        pairs: tuple[Ints, Ints] = reference_pairs(self.groups, self.cut.reference_offsets)
        return pairs

    def source_pairs(self) -> tuple[Ints, Ints]:
        """(row, group) of every summary with its source, in order of group and row."""
        sizes = np.diff(self.groups.offsets)
        return self.groups.members, np.repeat(np.arange(len(sizes)), sizes)


def make_rows(texts: Mapping[str, Texts], references: References | None, start: int, stop: int) -> Rows:
    """The texts of rows start..stop as the kernels read them; absent roles are null."""
    from gistmark_engine.kernels.records import Rows

    first, last = (references.first, references.last) if references else (np.zeros(stop, np.int64),) * 2
    return Rows(
        _arrays(texts.get("summary"), start, stop),
        _arrays(texts.get("source"), start, stop),
        _arrays(references.texts, 0, len(references.texts.start)) if references else _arrays(None, 0, 0),
        first[start:stop],
        last[start:stop],
    )


def _arrays(texts: Texts | None, start: int, stop: int) -> TextArrays:
    from gistmark_engine.kernels.records import TextArrays

    if texts is None:
        absent, nothing = np.full(stop - start, NULL, np.int64), np.zeros(0, np.int64)
        return TextArrays(absent, absent, nothing, nothing)
    return TextArrays(texts.start[start:stop], texts.stop[start:stop], texts.pieces.address, texts.pieces.length)


def tokenise(rows: Rows, tokenizer: Tokenizer, *, given: bool, null: Mapping[str, Flags]) -> Tokens | None:
    """Cut all texts of `rows`; None where a text is not UTF-8. `given`: the pieces are tokens already."""
    from gistmark_engine.kernels.group import group_rows
    from gistmark_engine.kernels.tokenise import tokenise_rows

    groups = group_rows(rows)
    cut, valid = tokenise_rows(rows, groups, _rules(tokenizer, given))
    return Tokens(groups, cut, null) if valid else None


def _rules(tokenizer: Tokenizer, given: bool) -> Rules:
    from gistmark_engine.kernels.memo import make_memo
    from gistmark_engine.kernels.records import Rules

    rule = rule_of(tokenizer)
    tables = no_characters() if given else rule.tables()
    if tokenizer.stem and not hasattr(_thread, "memo"):
        _thread.memo = make_memo()
    return Rules(
        GIVEN if given else rule.code,
        tokenizer.sentences,
        tokenizer.whole,
        tables.classes,
        tables.lower,
        _thread.memo if tokenizer.stem else None,
    )
