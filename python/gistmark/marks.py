"""Marks on columns whose texts the caller has already cut into tokens or sentences."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from gistmark_engine.columns import Kind


@dataclass(frozen=True, slots=True)
class Marked:
    """A column and what its values are; made by `tokens` and `sentences`."""

    column: str | pl.Expr
    kind: Kind = "text"

    @property
    def expr(self) -> pl.Expr:
        """The column as an expression."""
        return pl.col(self.column) if isinstance(self.column, str) else self.column


Input = str | pl.Expr | Marked


def tokens(column: str | pl.Expr) -> Marked:
    """Texts given as lists of tokens (strings or integers), compared as they are: no tokenizer, no stemming.

    In the references role a row holds one such list, or a list of them, one a reference.
    """
    return Marked(column, "tokens")


def sentences(column: str | pl.Expr) -> Marked:
    """Texts given as lists of sentences.

    In the references role a row holds one such list, or a list of them, one a reference.
    """
    return Marked(column, "sentences")


def marked(column: Input) -> Marked:
    """`column` as a mark; a bare name or expression holds plain text."""
    return column if isinstance(column, Marked) else Marked(column)
