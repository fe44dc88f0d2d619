"""`gistmark score`: a file of pairs in, the same file with scores out, the end table on the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from gistmark.cli import engines, judging, output, pairs, partwise, summary, target
from gistmark.cli import options as metric_options
from gistmark.cli.job import run
from gistmark.cli.options import positive
from gistmark.cli.progress import progress
from gistmark.cli.table import render
from gistmark.files import Source
from gistmark.files.skipped import tally
from gistmark.near import near
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric

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
    shown = output.add_to(parser, text=True, quiet=False)
    shown.add_argument("--json", action="store_true", help="the end table as one JSON object (see docs/json.md)")
    shown.add_argument("--quiet", action="store_true", help="no progress, no end table")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    _check(options)
    columns = pairs.columns_of(options)
    options.pairs = engines.reachable(options, options.pairs)
    source = pairs.open_pairs(options, options.on_error)
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
    found = _score(options, source, metrics, columns, by)
    if not options.quiet:
        stream = target.beside(options.output)
        print(_shown(found, by, metrics, source, options, stream), file=stream)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, and options that need one in parts."""
    if options.long and not options.max_length:
        raise OptionError("--long says what becomes of a text longer than --max-length; give that too")
    if options.engine != "ray" and (options.gpus or options.actors != 1):
        raise OptionError("--actors and --gpus are of --engine ray")
    if _in_parts(options):
        target.check_folder(options.output, options.pairs, pairs.files(options))
        return
    if options.resume or options.engine != engines.LOCAL:
        raise OptionError("--resume and --engine need parts: an --output that ends with a slash")
    target.check(options.output, options.pairs, pairs.files(options))


def _in_parts(options: argparse.Namespace) -> bool:
    return bool(options.output) and options.output.endswith("/")


def _score(
    options: argparse.Namespace, source: Source, metrics: list[Metric], columns: dict[str, str], by: Sequence[str]
) -> pl.DataFrame:
    """Score the source, show how far it is, and return the end table."""
    with judging.kept(metrics), progress(source, metrics, quiet=options.quiet) as advance:
        how: dict[str, Any] = {
            "by": by,
            "batch": options.batch_rows,
            "threads": options.threads,
            "advance": advance,
            "intervals": "bootstrap" if options.intervals else None,
        }
        if not _in_parts(options):
            return run(source, metrics, columns, output=options.output, **how)
        folder = Path(engines.reachable(options, options.output))
        each = engines.each(options, source)
        return partwise.run(source, metrics, columns, folder=folder, resume=options.resume, each=each, **how)


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
        return "\n".join([output.emphasised(render(found, by), stream), *judging.report(metrics)])
    return output.wide(found, by, metrics, options.format)


def _rehearse(source: Source, metrics: list[Metric], columns: dict[str, str]) -> int:
    """Print what the judges would ask, and ask nothing."""
    rehearsal = judging.rehearse(metrics)
    run(source, rehearsal.metrics, columns, by=(), output=None, batch=None, threads=1, advance=lambda _: None)
    print(rehearsal.report())
    return 0


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
    """Say how many lines were dropped, and why; data that goes missing is never quiet."""
    if source.skipped:
        print(f"gistmark: skipped {tally(source.skipped)}", file=sys.stderr)
