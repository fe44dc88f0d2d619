"""`gistmark compare`: systems of a scored file against a baseline, with intervals and p-values."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import polars as pl

from gistmark.catalogue import catalogue
from gistmark.cli import options as metric_options
from gistmark.cli import output, target
from gistmark.cli.table import compared
from gistmark.corrections import CORRECTIONS, FAMILIES
from gistmark.files import formats
from gistmark.numbers import numbers
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Metric


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser(
        "compare",
        help="systems against a baseline, with p-values",
        description="Compare the systems of a file that `gistmark score` wrote with one of them: differences with bootstrap "
        "intervals, and whether chance explains them.",
        allow_abbrev=False,
    )
    parser.add_argument("scored", help="Parquet, JSON lines, CSV, Arrow IPC, a quoted glob, or - for JSON lines")
    parser.add_argument("--output", metavar="FILE", help="where the comparison goes as a table; - writes JSON lines")
    metric_options.add_to(parser, "those whose columns are there")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        action="append",
        default=[],
        help="the column of the systems (default: system); of several the last, the others make groups",
    )
    parser.add_argument("--baseline", metavar="SYSTEM", help="default: the first to appear")
    parser.add_argument(
        "--pair",
        metavar="COLUMN",
        action="append",
        help="says which text a row is of; may be repeated; default: doc_id, id or source",
    )
    parser.add_argument(
        "--method", choices=("bootstrap", "randomisation"), default="bootstrap", help="default: %(default)s"
    )
    parser.add_argument(
        "--correction",
        choices=(*CORRECTIONS, "none"),
        default="holm",
        help="of p for many comparisons: Holm's, or Benjamini and Hochberg's; default: %(default)s",
    )
    parser.add_argument(
        "--family",
        choices=FAMILIES,
        default="field",
        help="what is corrected together: the systems compared in one field, or all p; default: %(default)s",
    )
    parser.add_argument("--replicates", metavar="N", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--confidence", metavar="N", type=float, default=0.95, help="default: %(default)s")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: %(default)s")
    output.add_to(parser, text=True)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from gistmark.comparison import compare
    from gistmark.files import open_source, write

    target.check(options.output, options.scored, formats.named(options.scored))
    frame = open_source(options.scored).load()
    metrics = metric_options.chosen(options, lambda: _there(frame.columns))
    found = compare(
        _typed(frame, metrics),
        metrics,
        options.by or "system",
        options.baseline,
        pair=options.pair,
        method=options.method,
        replicates=options.replicates,
        confidence=options.confidence,
        seed=options.seed,
        correction=None if options.correction == "none" else options.correction,
        family=options.family,
    )
    if options.output is not None:
        write(found, options.output)
    if not options.quiet:
        stream = target.beside(options.output)
        print(_shown(found, options.by or ["system"], metrics, options, stream), file=stream)
    return 0


def _shown(
    found: pl.DataFrame, by: Sequence[str], metrics: Sequence[Metric], options: argparse.Namespace, stream: TextIO
) -> str:
    """The comparison in the form asked for; as text without what is equal for all systems, unless metrics were named."""
    legend = output.legend(options.correction, options.family, options.method, options.replicates)
    if options.format == "text":
        told, left = (found, []) if options.metrics or options.config else _told(found, by)
        return output.emphasised("\n".join([compared(told, by), "", *left, legend]), stream)
    return output.wide(found, by, metrics, options.format, [output.MARKED, legend])


def _told(found: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The rows of those numbers in which a system differs from its baseline, and a line that names the others.

    A number is equal where every difference and its bounds are 0: what depends on sources and references alone, say. Where
    all are, or there is nothing but baselines, all rows stay.
    """
    groups = found.select(by[:-1]).n_unique() if by[:-1] else 1
    same = pl.col("difference").eq(0) & pl.all_horizontal(
        pl.col("difference_low", "difference_high").fill_null(0).eq(0)
    )
    equal = same.sum().over("metric", "field", "statistic").eq(pl.len().over("metric", "field", "statistic") - groups)
    told, left = found.filter(~equal), found.filter(equal)
    if told.is_empty() or left.is_empty():
        return found, []
    partly = set(told["field"])
    names = dict.fromkeys(
        f"{field} {statistic}" if field in partly else field
        for field, statistic in left.select("field", "statistic").iter_rows()
    )
    return told, [f"Equal for all systems and left out, unless --metrics names their metric: {', '.join(names)}."]


def _there(columns: Sequence[str]) -> Iterable[str]:
    """The metrics all of whose columns are there."""
    names = [name for name, metric in catalogue().items() if set(metric.columns) <= set(columns)]
    if not names:
        raise InputError(f"no metric's columns are all there, name it with --metrics; there are {', '.join(columns)}")
    return names


def _typed(frame: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    """Numbers and truth values that a text format holds as text."""
    fields = {name: spec.dtype for metric in metrics for name, spec in metric.columns.items()}
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String and name in fields]
    return frame.with_columns(
        frame[name] == "true" if fields[name] == "bool" else numbers(frame[name])
        for name in texts
        if fields[name] in ("float64", "int64", "bool")
    )
