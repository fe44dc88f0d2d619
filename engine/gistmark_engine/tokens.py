"""Tokens: the central data type. The texts of some rows as token ids that agree within a row."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.characters import no_characters
from gistmark_engine.kernels.records import Cut, Groups, Rows, Rules
from gistmark_engine.metric import Block, Tokenizer
from gistmark_engine.prepare import prepare, wants_python
from gistmark_engine.tokenizers import rule_of
from gistmark_engine.tokenizers.rule import GIVEN
from gistmark_engine.tokenizers.snowball import stem_words

if TYPE_CHECKING:
    from gistmark_engine.kernels.overlap import Pairs

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Nulls = Mapping[str, Flags | None]

_thread = threading.local()


@dataclass(frozen=True, slots=True)
class Tokens:
    """Some rows cut by one tokenizer.

    groups  rows that share references and source: group g has the rows members[offsets[g]:offsets[g + 1]]
    cut     ids and the spans of all texts, see `kernels.records.Cut`
    null    by role, which rows have no text in it, None for no row
    words   what each id spells, where the tokenizer says `words`: ids then agree over all rows
    """

    groups: Groups
    cut: Cut
    null: Nulls
    words: Sequence[str] = ()

    @property
    def rows(self) -> int:
        return len(self.cut.summary)

    @property
    def vocabulary(self) -> int:
        """An upper bound of every id."""
        return int(self.cut.vocabulary.max(initial=0))

    def null_rows(self, *roles: str) -> Flags | None:
        """Rows that are null in one of the roles, None for no row."""
        null = [flags for role in roles if (flags := self.null[role]) is not None]
        return np.logical_or.reduce(null) if null else None

    def without_null(self, out: Block, *roles: str) -> Block:
        """The same array [fields, rows] with NaN, which means null, where a row is null in one of the roles."""
        null = self.null_rows(*roles)
        if null is not None:
            out[:, null] = np.nan
        return out

    def reference_pairs(self) -> Pairs:
        """Every summary with every reference of its group, see `kernels.pairs.reference_pairs`."""
        from gistmark_engine.kernels.pairs import reference_pairs

        cut = self.cut
        return self.pairs(*reference_pairs(cut.summary, cut.reference, cut.reference_offsets, self.groups))

    def pairs(self, target: Ints, base: Ints) -> Pairs:
        """Pairs of texts of these tokens, given by their spans; pairs with one base should stand together."""
        from gistmark_engine.kernels.overlap import Pairs

        return Pairs(self.cut.ids, target, base, self.vocabulary)


def tokenise(rows: Rows, tokenizer: Tokenizer, *, given: bool, null: Nulls) -> Tokens | None:
    """Cut all texts of `rows`; None where a text is not UTF-8. `given`: the pieces are tokens already."""
    if given or not wants_python(tokenizer):
        return _read(rows, tokenizer, given, null)
    try:
        prepared = prepare(rows, tokenizer)
    except UnicodeDecodeError:
        return None
    return _read(prepared.rows, tokenizer, prepared.given, null)


def _read(rows: Rows, tokenizer: Tokenizer, given: bool, null: Nulls) -> Tokens | None:
    """The tokens of rows whose texts are as the kernels are to see them."""
    from gistmark_engine.kernels.group import group_rows
    from gistmark_engine.kernels.tokenise import tokenise_rows

    groups, rules = group_rows(rows), _rules(tokenizer, given)
    if tokenizer.words or isinstance(tokenizer.stem, str):
        return _read_words(rows, groups, rules, tokenizer.stem, null)
    if not given and rule_of(tokenizer).characters:
        from gistmark_engine.kernels.characters import cut_characters

        cut, valid = cut_characters(rows, groups, rules, _numbers())
    else:
        cut, valid = tokenise_rows(rows, groups, rules)
    return Tokens(groups, cut, null) if valid else None


def _read_words(rows: Rows, groups: Groups, rules: Rules, stem: bool | str, null: Nulls) -> Tokens | None:
    """Tokens whose ids agree over all rows, with what they spell: words, or their stems in a language."""
    from gistmark_engine.kernels.wordlist import cut_words

    cut, valid, spelling, offsets = cut_words(rows, groups, rules)
    if not valid:
        return None
    try:
        words = [spelling[a:b].tobytes().decode() for a, b in pairwise(offsets.tolist())]
    except UnicodeDecodeError:
        return None
    if not isinstance(stem, str):
        return Tokens(groups, cut, null, words)
    number: dict[str, int] = {}
    ids = np.fromiter((number.setdefault(text, len(number)) for text in stem_words(words, stem)), np.int32, len(words))
    stems = cut._replace(ids=ids[cut.ids], vocabulary=np.full_like(cut.vocabulary, len(number)))
    return Tokens(groups, stems, null, list(number))


def _numbers() -> NDArray[np.int32]:
    """What `cut_characters` numbers characters in, one for each thread: pages that are never touched cost nothing."""
    if not hasattr(_thread, "numbers"):
        _thread.numbers = np.zeros(sys.maxunicode + 1, np.int32)
    numbers: NDArray[np.int32] = _thread.numbers
    return numbers


def _rules(tokenizer: Tokenizer, given: bool) -> Rules:
    tables = no_characters() if given else rule_of(tokenizer).tables()
    return Rules(
        GIVEN if given else rule_of(tokenizer).code,
        tokenizer.sentences,
        tokenizer.whole,
        tables.classes,
        tables.lower,
        _memo() if tokenizer.stem is True else None,
    )


def _memo() -> NDArray[np.uint64]:
    """The stems of tokens met before, one for each thread."""
    if not hasattr(_thread, "memo"):
        from gistmark_engine.kernels.memo import make_memo

        _thread.memo = make_memo()
    memo: NDArray[np.uint64] = _thread.memo
    return memo
