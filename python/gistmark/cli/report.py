"""`gistmark report`: scored files and study folders as one page to look at."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.cli import pairs, target
from gistmark.files import formats, load, signatures
from gistmark.files.leftovers import temporary
from gistmark.near import near
from gistmark_engine.errors import InputError, OptionError

DEFAULT_BY = "system"


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser(
        "report",
        help="look at scored files and studies as one page",
        description="Make one HTML page, which loads nothing, of files that gistmark score has written and of folders "
        "that gistmark study has written: scores by system with intervals, distributions, correlations, what has no "
        "score and why, and the rows themselves beside their sources.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "scored", nargs="+", help="scored Parquet, Arrow IPC, JSON lines or CSV files, or study folders"
    )
    parser.add_argument(
        "--output", metavar="FILE", required=True, help="the page, such as report.html; - for standard output"
    )
    parser.add_argument("--by", metavar="COLUMN", help="the column that tells systems apart; default: system")
    parser.add_argument("--title", metavar="TEXT", help="default: the names of the files")
    parser.add_argument("--rows", metavar="N", type=int, help="rows to leaf through; default: 1000")
    pairs.add_roles(parser)
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from gistmark.report import ROWS, page  # needs the extra

    rows = ROWS if options.rows is None else options.rows
    if rows < 0:
        raise OptionError(f"--rows takes a number of rows, not {rows}")
    folders = [text for text in options.scored if Path(text).is_dir()]
    paths = [path for text in options.scored if text not in folders for path in formats.expand(text)]
    kept = [path for folder in folders for path in Path(folder).iterdir() if path.suffix != ".html"]
    if twice := next((path for k, path in enumerate(paths) if path.exists() and path in paths[:k]), None):
        raise OptionError(f"{twice} is named twice; a report has each row once")
    target.check(options.output, None, [*paths, *kept], table=False)
    scored = _read(paths, options) if paths else None
    found = dict.fromkeys(text for path in paths for text in signatures(path))
    title = options.title or ", ".join(Path(text).stem for text in options.scored)
    made = page(scored, folders, title=title, by=_group(options.by, scored), rows=rows, signatures=list(found)).encode()
    if options.output == formats.STANDARD:
        sys.stdout.buffer.write(made)
    else:
        _write(made, Path(options.output).resolve())
    if not options.quiet:
        print(f"{options.output}: {len(made) / 1e6:.1f} MB", file=target.beside(options.output))
    return 0


def _write(made: bytes, path: Path) -> None:
    """Write a page whole or not at all."""
    with temporary(path) as unfinished:
        unfinished.write_bytes(made)
        os.replace(unfinished, path)


def _read(paths: list[Path], options: argparse.Namespace) -> pl.DataFrame:
    """All files as one table, its columns called as their roles; several files without systems are told apart by name."""
    tables = [_numeric(load(path), path) for path in paths]
    if len(tables) > 1 and not any(DEFAULT_BY in table.columns for table in tables):
        tables = [
            table.with_columns(pl.lit(path.stem).alias(DEFAULT_BY)) for table, path in zip(tables, paths, strict=True)
        ]
    return pairs.renamed(_together(tables, paths), pairs.columns_of(options))


def _numeric(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    """A file's table with its scores as numbers, which a text format may hold as text."""
    from gistmark.report.columns import recognised, typed

    try:
        return typed(table, recognised(table, signatures(path)))
    except InputError as error:
        raise InputError(f"{error.problem} in {path}", column=error.column, row=error.row, value=error.value) from None


def _together(tables: list[pl.DataFrame], paths: list[Path]) -> pl.DataFrame:
    """The tables below each other: a text among lists of texts is a list of one, a number among texts a text; InputError
    naming file and column for what has no common type."""
    lists = {name for table in tables for name, dtype in table.schema.items() if dtype == pl.List(pl.String)}
    alike = [
        table.with_columns(
            pl.when(pl.col(name).is_not_null()).then(pl.concat_list(name)).alias(name)
            for name in lists
            if table.schema.get(name) == pl.String
        )
        for table in tables
    ]
    try:
        return pl.concat(alike, how="diagonal_relaxed")
    except pl.exceptions.PolarsError as error:
        raise _clash(alike, paths) or InputError(f"the files do not fit together: {error}") from error


def _clash(tables: list[pl.DataFrame], paths: list[Path]) -> InputError | None:
    """The first column whose types in two of the files do not go together."""
    first: dict[str, tuple[Path, pl.DataFrame]] = {}
    for path, table in zip(paths, tables, strict=True):
        for name in table.columns:
            where, known = first.setdefault(name, (path, table.select(name)))
            try:
                pl.concat([known, table.select(name)], how="vertical_relaxed")
            except pl.exceptions.PolarsError:
                return InputError(f"{table.schema[name]} in {path} but {known.schema[name]} in {where}", column=name)
    return None


def _group(wanted: str | None, scored: pl.DataFrame | None) -> str | None:
    if wanted is None or scored is None or wanted in scored.columns:
        return wanted or DEFAULT_BY
    there = ", ".join(scored.columns)
    raise InputError(f"there is no such column{near(wanted, scored.columns)}; there are {there}", column=wanted)
