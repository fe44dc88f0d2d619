"""Exact text-summary metrics at column speed.

    import gistmark as gm, polars as pl

    gm.score("pairs.parquet")                                              # a table in, the table with scores out
    frame.with_columns(gm.rouge("summary", "references")).unnest("rouge")  # inside any Polars query

Importing this compiles nothing and loads no model; both happen when a metric first runs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gistmark import metrics
from gistmark.catalogue import catalogue, signature
from gistmark.expressions import (
    abstraction,
    bertscore,
    blanc_help,
    blanc_tune,
    bleu,
    chrf,
    chrfpp,
    datastats,
    factcc,
    meteor,
    rouge,
    scores,
    summac,
    summaqa,
    supert,
    syntax,
    ter,
)
from gistmark.marks import sentences, tokens
from gistmark.score import score, score_batch
from gistmark.statistics import (
    cohen,
    fleiss,
    kendall,
    krippendorff,
    mean_interval,
    monotonicity,
    pearson,
    spearman,
)
from gistmark.summarise import summarise
from gistmark_engine.errors import GistmarkError, InputError, MissingExtra, OptionError
from gistmark_engine.version import __version__

if TYPE_CHECKING:
    from gistmark import judges

__all__ = [
    "GistmarkError",
    "InputError",
    "MissingExtra",
    "OptionError",
    "__version__",
    "abstraction",
    "bertscore",
    "blanc_help",
    "blanc_tune",
    "bleu",
    "catalogue",
    "chrf",
    "chrfpp",
    "cohen",
    "datastats",
    "factcc",
    "fleiss",
    "judges",
    "kendall",
    "krippendorff",
    "mean_interval",
    "meteor",
    "metrics",
    "monotonicity",
    "pearson",
    "rouge",
    "score",
    "score_batch",
    "scores",
    "sentences",
    "signature",
    "spearman",
    "summac",
    "summaqa",
    "summarise",
    "supert",
    "syntax",
    "ter",
    "tokens",
]


def __getattr__(name: str) -> Any:
    """`gistmark.judges`, imported when it is first asked for."""
    if name == "judges":
        return import_module("gistmark.judges")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
