"""The end table for programs: one JSON object whose shape has a version (docs/json.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from gistmark_engine.metric import Metric
from gistmark_engine.version import __version__

SCHEMA = "gistmark.score/1"
"""Name and version of the shape; the version grows with every change that could break a reader, not with new keys."""


def as_json(
    found: pl.DataFrame, by: Sequence[str], metrics: Sequence[Metric], *, skipped: int, output: str | None
) -> str:
    """A frame of `gistmark.summarise` as JSON."""
    lines = [
        {"group": {key: row[key] for key in by}}
        | {key: row[key] for key in found.columns if key not in (*by, "signature")}
        for row in found.iter_rows(named=True)
    ]
    whole = {
        "schema": SCHEMA,
        "gistmark": __version__,
        "skipped": skipped,
        "output": output,
        "by": list(by),
        "metrics": [{"name": metric.prefix + metric.name, "signature": metric.signature} for metric in metrics],
        "table": lines,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=str)
