"""`gistmark score`: a file of pairs in, the same file with scores out, the end table on the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, TextIO

import polars as pl

from gistmark.cli import judging, output, pairs, summary
from gistmark.cli import options as metric_options
from gistmark.cli.job import run
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
    parser.add_argument("--output", metavar="FILE", help="where the scored table goes; - writes JSON lines")
    metric_options.add_to(parser, "rouge, datastats, abstraction as columns allow")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        action="append",
        default=[],
        help="group the end table by this column; may be repeated",
    )
    parser.add_argument(
        "--intervals", action="store_true", help="put 95%% bootstrap intervals beside the end table's numbers"
    )
    parser.add_argument("--threads", metavar="N", type=_positive, help="default: all cores")
    parser.add_argument(
        "--on-error", choices=("fail", "skip"), default="fail", help="skip drops and counts unreadable JSON lines"
    )
    parser.add_argument(
        "--budget", metavar="LIMIT", help="for all judges together: calls=N, tokens=N or both, by comma"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="count the calls that judges would make, and ask nothing"
    )
    shown = output.add_to(parser, text=True, quiet=False)
    shown.add_argument("--json", action="store_true", help="the end table as one JSON object (see docs/json.md)")
    shown.add_argument("--quiet", action="store_true", help="no progress, no end table")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.output == "":
        raise OptionError("--output needs a path, or - for standard output; this one is empty")
    if options.output and options.output != STANDARD:
        check_output(options.output)
    columns = pairs.columns_of(options)
    text = [columns.get(role, role) for role in ROLES]
    source = open_source(options.pairs, text=text, on_error=options.on_error)
    _tell_skipped(source)
    schema = source.frame.collect_schema()
    by = _group(options.by, schema)
    metrics = metric_options.chosen(options, lambda: pairs.default_names(schema.names(), columns))
    if options.budget:
        judging.limit(metrics, options.budget)
    if options.dry_run:
        return _rehearse(source, metrics, columns)
    with _progress(source, options.quiet) as bar:
        advance: Callable[[int], object] = bar.update
        found = run(
            source,
            metrics,
            columns,
            by=by,
            output=options.output,
            threads=options.threads,
            advance=advance,
            intervals="bootstrap" if options.intervals else None,
        )
    if not options.quiet:
        stream = sys.stderr if options.output == STANDARD else sys.stdout
        print(_shown(found, by, metrics, source, options, stream), file=stream)
    return 0


def _shown(
    found: pl.DataFrame,
    by: list[str],
    metrics: list[Metric],
    source: Source,
    options: argparse.Namespace,
    stream: TextIO,
) -> str:
    """The end table in the form asked for."""
    if options.json:
        return summary.as_json(found, by, metrics, skipped=len(source.skipped), output=options.output)
    if options.format == "text":
        return output.emphasised(render(found, by), stream)
    return output.wide(found, by, metrics, options.format)


def _rehearse(source: Source, metrics: list[Metric], columns: dict[str, str]) -> int:
    """Print what the judges would ask, and ask nothing."""
    rehearsal = judging.rehearse(metrics)
    run(source, rehearsal.metrics, columns, by=(), output=None, threads=1, advance=lambda _: None)
    print(rehearsal.report())
    return 0


def _positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)


def _group(wanted: list[str], schema: pl.Schema) -> list[str]:
    """The columns of the end table's groups: those asked for, else `system` if there is one."""
    columns = list(dict.fromkeys(wanted)) or [name for name in (DEFAULT_BY,) if name in schema]
    for column in columns:
        if column not in schema:
            hint, there = near(column, schema), ", ".join(schema)
            raise InputError(f"there is no such column to group by{hint}; there are {there}", column=column)
        if schema[column].is_nested():
            raise InputError(f"{schema[column]} cannot group the end table; name another with --by", column=column)
    return columns


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
