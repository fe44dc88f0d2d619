"""Exact text-summary metrics at column speed.

    import gistmark as gm, polars as pl

    gm.score("pairs.parquet")                                              # a table in, the table with scores out
    frame.with_columns(gm.rouge("summary", "references")).unnest("rouge")  # inside any Polars query

Importing this compiles nothing and loads no model; both happen when a metric first runs.
"""

from gistmark import starting  # noqa: F401

# isort: split
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
    entities,
    factcc,
    meteor,
    readability,
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
from gistmark_engine.errors import GistmarkError, InputError, MissingExtra, OptionError
from gistmark_engine.version import __version__

if TYPE_CHECKING:
    from gistmark import evaluate, judges, plot
    from gistmark.comparison import compare
    from gistmark.engines import duckdb, ray, spark
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
    from gistmark.summary import summarise

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
    "compare",
    "datastats",
    "duckdb",
    "entities",
    "evaluate",
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
    "plot",
    "ray",
    "readability",
    "rouge",
    "score",
    "score_batch",
    "scores",
    "sentences",
    "signature",
    "spark",
    "spearman",
    "summac",
    "summaqa",
    "summarise",
    "supert",
    "syntax",
    "ter",
    "tokens",
]


_LATER = {
    **dict.fromkeys(("evaluate", "judges", "plot"), "gistmark"),
    **dict.fromkeys(("duckdb", "ray", "spark"), "gistmark.engines"),
    **dict.fromkeys(
        ("cohen", "fleiss", "kendall", "krippendorff", "mean_interval", "monotonicity", "pearson", "spearman"),
        "gistmark.statistics",
    ),
    "compare": "gistmark.comparison",
    "summarise": "gistmark.summary",
}
"""What not every program uses, and where it is."""


def __getattr__(name: str) -> Any:
    """What is imported when it is first asked for: a module, or what a module defines."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = import_module(_LATER[name])
    return vars(place)[name] if name in vars(place) else import_module(f"{_LATER[name]}.{name}")


def __dir__() -> list[str]:
    """All names, those that are imported later too."""
    return sorted({*globals(), *__all__})
