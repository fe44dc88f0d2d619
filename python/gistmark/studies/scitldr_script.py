"""SciTLDR's released script: ROUGE-1 chooses the TLDR, and full stops after a space end sentences."""

from __future__ import annotations

import polars as pl

from gistmark import metrics
from gistmark.score import score

SCRIPT = metrics.rouge(("1", "2", "Lsum"), multi="argmax_rouge1", prefix="script_")
FIELDS = ("script_rouge1_f1", "script_rouge2_f1", "script_rougeLsum_f1")
DECIMALS = 5
"""What ROUGE-1.5.5 prints and the script reads back: two TLDRs of equal ROUGE-1 are equal, and the first is taken."""


def script_scores(pairs: pl.DataFrame, threads: int | None) -> pl.DataFrame:
    """`FIELDS` in percent, a row a pair: F1 against each TLDR, to five decimals, of the one with the highest ROUGE-1.

    pairs  summary, and references as lists of strings
    """
    rows = pairs.select("summary", "references").with_row_index("row").explode("references")
    lines = rows.with_columns(one_sentence_a_line("summary"), one_sentence_a_line("references"))
    each = score(lines, [SCRIPT], threads=threads).with_columns(pl.col(FIELDS).round(DECIMALS))
    chosen = pl.col(FIELDS).get(pl.col(FIELDS[0]).arg_max())
    return each.group_by("row", maintain_order=True).agg(chosen * 100).select(FIELDS)


def one_sentence_a_line(column: str) -> pl.Expr:
    """A text as the script hands it to ROUGE-1.5.5: one line, cut after every full stop that follows a space."""
    return pl.col(column).str.replace_all("\n", " ", literal=True).str.replace_all(" .", " .\n", literal=True)
