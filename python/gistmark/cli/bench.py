"""`gistmark bench`: peers on your own file, whether they agree and how much longer they take."""

from __future__ import annotations

import argparse
import sys
import typing
from typing import Any

import polars as pl

from gistmark import tables
from gistmark.cli import options as metric_options
from gistmark.cli import output, pairs, target
from gistmark.cli.options import parse
from gistmark.near import near
from gistmark_engine.errors import OptionError

if typing.TYPE_CHECKING:
    from gistmark.bench import Result
    from gistmark.bench.peer import Peer

LIMIT = 1000


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser(
        "bench",
        help="compare values and speed with other libraries",
        description="Score the first rows of a file with other libraries too. Values are compared first, bit for bit, and "
        "every row that differs is named; then both sides are timed in turns (CPU time of one thread, or time on the wall of "
        "several). Exit code 1 where rows differ.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument(
        "--against", metavar="A,B", required=True, help="rouge_score, rouge_score_rs, summeval and others"
    )
    parser.add_argument("--set", metavar="METRIC.OPTION=VALUE", action="append", default=[], help="may be repeated")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--limit", metavar="ROWS", type=int, default=LIMIT, help="default: %(default)s; 0 for all")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="where every value that differs is written as a table")
    output.add_to(parser, text=True)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from gistmark.bench import as_page, compare, render  # peers are needed for this command alone

    target.check(options.output, options.pairs, pairs.files(options))
    peers = _peers(options.against, options.set)
    if options.limit < 0:
        raise OptionError(f"--limit takes a number of rows, not {options.limit}")
    frame = pairs.read_pairs(options)
    used = frame.head(options.limit) if options.limit else frame
    results = compare(used, peers, rounds=options.rounds, threads=options.threads)
    if not options.quiet:
        text = render(results) if options.format == "text" else tables.page(as_page(results), options.format)
        print(text, file=target.beside(options.output))
    least = min((result.rows for result in results), default=used.height)
    if least < used.height:
        print(f"gistmark: {used.height - least} of {used.height} rows lack a text and are left out", file=sys.stderr)
    if used.height < frame.height:
        print(f"gistmark: compared the first {used.height} of {frame.height} rows; see --limit", file=sys.stderr)
    if options.output:
        _write(results, options.output)
    return 1 if any(result.differences for result in results) else 0


def _write(results: list[Result], path: str) -> None:
    from gistmark.files import write

    schema = {"peer": pl.String, "row": pl.Int64, "field": pl.String, "gistmark": pl.Float64, "other": pl.Float64}
    rows = [(d.peer, d.row, d.field, d.gistmark, d.other) for result in results for d in result.differences]
    write(pl.DataFrame(rows, schema=schema, orient="row"), path)


def _peers(against: str, assignments: list[str]) -> list[Peer]:
    """The peers named, with those of the options that belong to their metrics."""
    from gistmark.bench import PEERS

    names = list(dict.fromkeys(metric_options.names(against)))
    for name in names:
        if name not in PEERS:
            raise OptionError(f"unknown peer {name!r}{near(name, PEERS)}; there are {', '.join(PEERS)}")
    given = [_assignment(text) for text in assignments]
    metrics = {name: PEERS[name]().metric.name for name in names}
    for metric, option, _ in given:
        if metric not in metrics.values():
            raise OptionError(f"--set {metric}.{option}: no peer named computes {metric!r}")
    return [_peer(name, {option: text for metric, option, text in given if metric == metrics[name]}) for name in names]


def _assignment(text: str) -> tuple[str, str, str]:
    target, equals, value = text.partition("=")
    metric, dot, option = target.strip().partition(".")
    if not (equals and dot and metric and option):
        raise OptionError(f"--set takes metric.option=value, not {text!r}")
    return metric, option, value.strip()


def _peer(name: str, settings: dict[str, str]) -> Peer:
    from gistmark.bench import PEERS

    kinds = {key: kind for key, kind in typing.get_type_hints(PEERS[name]).items() if key != "return"}
    for option in settings:
        if option not in kinds:
            known = f"; it takes {', '.join(kinds)}" if kinds else "; it takes none"
            raise OptionError(f"{name} cannot be compared with another {option!r}{known}")
    return PEERS[name](**{option: parse(text, kinds[option], f"{name}.{option}") for option, text in settings.items()})
