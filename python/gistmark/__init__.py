"""Exact text-summary metrics at column speed.

    import gistmark as gm, polars as pl

    gm.score("pairs.parquet")                                              # a table in, the table with scores out
    frame.with_columns(gm.rouge("summary", "references")).unnest("rouge")  # inside any Polars query

Importing this compiles nothing and loads no model; both happen when a metric first runs.
"""

from gistmark import metrics
from gistmark.catalogue import catalogue, signature
from gistmark.expressions import abstraction, bleu, chrf, chrfpp, datastats, meteor, rouge, scores, ter
from gistmark.marks import sentences, tokens
from gistmark.score import score, score_batch
from gistmark.summarise import summarise
from gistmark_engine.errors import GistmarkError, InputError, MissingExtra, OptionError
from gistmark_engine.version import __version__

__all__ = [
    "GistmarkError",
    "InputError",
    "MissingExtra",
    "OptionError",
    "__version__",
    "abstraction",
    "bleu",
    "catalogue",
    "chrf",
    "chrfpp",
    "datastats",
    "meteor",
    "metrics",
    "rouge",
    "score",
    "score_batch",
    "scores",
    "sentences",
    "signature",
    "summarise",
    "ter",
    "tokens",
]
