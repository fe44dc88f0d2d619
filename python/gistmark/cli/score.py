"""`gistmark score`: a file of pairs in, the same file with scores out, the end table on the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.cli import engines, judging, pairs, partwise
from gistmark.cli import options as metric_options
from gistmark.cli.job import run
from gistmark.cli.options import positive
from gistmark.cli.table import render
from gistmark.files import Source, check_output, open_source
from gistmark.files.formats import STANDARD
from gistmark.near import near
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import ROLES, Metric

DEFAULT_BY = "system"


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser(
        "score",
        help="score a file of summaries",
        description="Score summaries against references and sources. Columns are found by name: summary, references, "
        "source; the end table is grouped by the column 'system' if there is one.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="where the scored table goes; - writes JSON lines, FOLDER/ writes parts"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the parts that a stopped job left in FOLDER/")
    engines.add_to(parser)
    metric_options.add_to(parser, "rouge, datastats, abstraction as columns allow")
    parser.add_argument("--by", metavar="COLUMN", help="group the end table by this column")
    parser.add_argument(
        "--threads", metavar="N", type=positive, help="default: all cores, on another engine one a part"
    )
    parser.add_argument("--batch-rows", metavar="N", type=positive, help="rows in memory at a time; default: 8192")
    parser.add_argument(
        "--max-length",
        metavar="N",
        type=positive,
        help="the most characters of a text; default: no limit",
    )
    parser.add_argument("--long", choices=("refuse", "truncate"), help="what becomes of a longer one; default: refuse")
    parser.add_argument(
        "--on-error", choices=("fail", "skip"), default="fail", help="skip drops and counts unreadable JSON lines"
    )
    parser.add_argument(
        "--budget", metavar="LIMIT", help="for all judges together: calls=N, tokens=N or both, by comma"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="count the calls that judges would make, and ask nothing"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress, no end table")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    _check(options)
    columns = pairs.columns_of(options)
    text = [columns.get(role, role) for role in ROLES]
    source = open_source(engines.reachable(options, options.pairs), text=text, on_error=options.on_error)
    _tell_skipped(source)
    schema = source.frame.collect_schema()
    by = _group(options.by, schema)
    metrics = metric_options.chosen(options, lambda: pairs.default_names(schema.names(), columns))
    if options.max_length:
        metrics = [metric.limited(options.max_length, options.long or "refuse") for metric in metrics]
    if options.budget:
        judging.limit(metrics, options.budget)
    if options.dry_run:
        return _rehearse(source, metrics, columns)
    summary = _score(options, source, metrics, columns, by)
    if not options.quiet:
        print(render(summary, by), file=sys.stderr if options.output == STANDARD else sys.stdout)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, and options that need one in parts."""
    if options.output == "":
        raise OptionError("--output needs a path, or - for standard output; this one is empty")
    if options.long and not options.max_length:
        raise OptionError("--long says what becomes of a text longer than --max-length; give that too")
    if _in_parts(options):
        return
    if options.resume or options.engine != engines.LOCAL:
        raise OptionError("--resume and --engine need parts: an --output that ends with a slash")
    if options.output and options.output != STANDARD:
        check_output(options.output)


def _in_parts(options: argparse.Namespace) -> bool:
    return bool(options.output) and options.output.endswith("/")


def _score(
    options: argparse.Namespace, source: Source, metrics: list[Metric], columns: dict[str, str], by: str | None
) -> pl.DataFrame:
    """Score the source, show how far it is, and return the end table."""
    with _progress(source, options.quiet) as bar:
        how: dict[str, Any] = {"by": by, "batch": options.batch_rows, "threads": options.threads, "advance": bar.update}
        if not _in_parts(options):
            return run(source, metrics, columns, output=options.output, **how)
        folder = Path(engines.reachable(options, options.output))
        each = engines.each(options, source)
        return partwise.run(source, metrics, columns, folder=folder, resume=options.resume, each=each, **how)


def _rehearse(source: Source, metrics: list[Metric], columns: dict[str, str]) -> int:
    """Print what the judges would ask, and ask nothing."""
    rehearsal = judging.rehearse(metrics)
    run(source, rehearsal.metrics, columns, by=None, output=None, batch=None, threads=1, advance=lambda _: None)
    print(rehearsal.report())
    return 0


def _group(wanted: str | None, schema: pl.Schema) -> str | None:
    """The column of the end table's groups: the one asked for, else `system` if there is one."""
    column = wanted or (DEFAULT_BY if DEFAULT_BY in schema else None)
    if column is None:
        return None
    if column not in schema:
        there = ", ".join(schema)
        raise InputError(f"there is no such column to group by{near(column, schema)}; there are {there}", column=column)
    if schema[column].is_nested():
        raise InputError(f"{schema[column]} cannot group the end table; name another with --by", column=column)
    return column


def _tell_skipped(source: Source) -> None:
    """Say how many lines were dropped, and why the first one was; data that goes missing is never quiet."""
    if source.skipped:
        count = len(source.skipped)
        lines = "1 line" if count == 1 else f"{count} lines"
        print(f"gistmark: skipped {lines}; the first: {source.skipped[0]}", file=sys.stderr)


def _progress(source: Source, quiet: bool) -> Any:
    """A bar on standard error if that is a terminal."""
    from tqdm import tqdm  # the command line alone shows progress

    shown = sys.stderr.isatty() and not quiet
    return tqdm(total=source.rows() if shown else None, unit=" pairs", disable=not shown, file=sys.stderr, leave=False)
