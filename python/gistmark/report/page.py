"""The page: sections from modules beside this one, put together by a Jinja template, with nothing to load."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gistmark.report import charts
from gistmark.report.citations import bibtex
from gistmark.report.columns import OTHER, Column, by_metric, recognised, typed
from gistmark.report.correlation import correlations
from gistmark.report.faults import faults
from gistmark.report.groups import grouped, groups_of, pairing
from gistmark.report.overview import overview, replicates
from gistmark.report.rows import ROW, browsable, payload
from gistmark.report.studies import section
from gistmark_engine.errors import InputError
from gistmark_engine.version import __version__

ROWS = 1000
"""Rows that a page can be leafed through, unless told otherwise: some megabytes of text."""

RISK = ("ar_risk", ("extractive", "balanced", "moderate", "high"), (0.8, 1.2, 2.0))


def page(
    scored: pl.DataFrame | None,
    studies: Sequence[str | Path] = (),
    *,
    title: str = "gistmark report",
    by: str | None = "system",
    rows: int = ROWS,
    signatures: Sequence[str] = (),
) -> str:
    """One HTML document that loads nothing, the same to the byte for the same input.

    scored      a table as `gistmark.score` returns it; None: the page shows studies alone
    studies     folders that `gistmark study` has written
    by          the column that tells systems apart; None, or a column that is not there: all rows are one group
    rows        how many rows the page can show beside their texts, evenly taken over documents
    signatures  of the metrics, shown and used to tell variants by prefix; Parquet and Arrow IPC files carry them
    """
    parts: dict[str, Any] = {} if scored is None else _scored(scored, by, rows, signatures)
    environment = Environment(
        loader=PackageLoader("gistmark.report", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"number": number, "spread": spread, "coefficient": coefficient}
    script = _read("page.js")
    return environment.get_template("page.html.j2").render(
        title=title,
        version=__version__,
        style=Markup(_read("page.css")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        studies=[section(Path(folder)) for folder in studies],
        scored=parts,
    )


def _scored(frame: pl.DataFrame, by: str | None, limit: int, signatures: Sequence[str]) -> dict[str, Any]:
    """What the template shows of a scored table."""
    columns = recognised(frame, signatures)
    if all(column.owner == OTHER for column in columns):
        raise InputError("the table holds no scores; score it first, with gistmark score")
    frame = typed(frame, columns)
    by = by if by in frame.columns else None
    frame = frame if by is None else grouped(frame, by)
    pair = pairing(frame, by)
    chosen = browsable(frame.with_row_index(ROW), limit, pair)
    owners = [owner for owner in by_metric(columns) if owner != OTHER]
    return {
        "rows": frame.height,
        "groups": {name: part.height for name, part in groups_of(frame, by).items()},
        "by": by,
        "pair": pair,
        "replicates": replicates(frame.height),
        "tables": overview(frame, columns, by, pair),
        "distributions": dict(_distributions(frame, columns, by)),
        "correlations": correlations(frame, columns),
        "scatter": _scatter(frame, columns, signatures),
        "risks": _risks(frame, by),
        "faults": faults(frame, columns, by),
        "browsable": chosen.height,
        "data": _json(payload(chosen, columns, by, pair)),
        "signatures": signatures,
        "bibtex": bibtex(owners),
    }


def _distributions(frame: pl.DataFrame, columns: Sequence[Column], by: str | None) -> Iterator[tuple[str, Any]]:
    """The pictures by metric and field."""
    groups = groups_of(frame, by)
    for metric, of_metric in by_metric(columns).items():
        drawn = {one.name: charts.distribution(groups, one) for one in of_metric if one.statistic}
        if shown := {name: picture for name, picture in drawn.items() if picture}:
            yield metric, shown


def _scatter(frame: pl.DataFrame, columns: Sequence[Column], signatures: Sequence[str]) -> Markup | None:
    """ROUGE against the abstraction ratio that decides the class, where both are there."""
    signed = next((text for text in signatures if text.startswith("abstraction|")), "risk_from:ar2")
    kind = signed.partition("risk_from:ar")[2][:1]
    name, levels, cuts = RISK
    x, y = f"ar{kind}", f"rouge{kind}_f1"
    if not {x, y, name} <= {column.name for column in columns}:
        return None
    return charts.scatter(frame, x, y, name, levels, cuts)


def _risks(frame: pl.DataFrame, by: str | None) -> dict[str, list[tuple[str, float]]]:
    """The share of every screening class by group."""
    name, levels, _ = RISK
    if name not in frame.columns:
        return {}
    groups = {group: rows[name].cast(pl.String).drop_nulls() for group, rows in groups_of(frame, by).items()}
    return {
        group: [(level, float((classes == level).sum()) / max(len(classes), 1)) for level in levels]
        for group, classes in groups.items()
    }


def number(value: float | None) -> str:
    """Three decimals, fewer where the number is large; a dash for null."""
    if value is None:
        return "–"
    size = abs(value)
    if size < 0.0005:
        return "0.000"
    return f"{value:.3f}" if size < 10 else f"{value:.1f}" if size < 10_000 else f"{value:.3g}"


def coefficient(value: float | None) -> str:
    """Two decimals; a dash for null."""
    return "–" if value is None else f"{value:.2f}".replace("-0.00", "0.00")


def spread(cell: Any) -> str:
    """An interval in brackets."""
    return "" if cell.low is None or cell.high is None else f"[{number(cell.low)}, {number(cell.high)}]"


def _json(data: Mapping[str, Any]) -> Markup:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _read(name: str) -> str:
    return files("gistmark.report").joinpath(name).read_text(encoding="utf-8")
