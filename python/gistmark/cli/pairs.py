"""The pairs of a command: what file and columns they are in, read as they come or whole."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import polars as pl

from gistmark.cli import dataset
from gistmark.files import OnError, Source, formats, open_source
from gistmark.files.source import TEXT_ROLES
from gistmark.near import near
from gistmark.roles import assign, default_metrics
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import ROLES


def add_to(parser: argparse.ArgumentParser) -> None:
    """The options that name file and columns."""
    parser.add_argument(
        "pairs",
        help="Parquet, JSON lines, CSV, Arrow IPC, a quoted glob, or - for JSON lines; with --dataset files as published",
    )
    dataset.add_to(parser)
    add_roles(parser)


def add_roles(parser: argparse.ArgumentParser) -> None:
    """The options that name columns."""
    for role in ROLES:
        parser.add_argument(f"--{role}", metavar="COLUMN", help=f"the column that holds the {role}, if not {role!r}")


def columns_of(options: argparse.Namespace) -> dict[str, str]:
    """Role → column for the columns that are named by option."""
    return {role: column for role in ROLES if (column := getattr(options, role)) is not None}


def default_names(names: Sequence[str], columns: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """The metrics scored where none is asked for: those whose columns are there."""
    return [metric.name for metric in default_metrics(assign(columns, names), names)]


def files(options: argparse.Namespace) -> list[Path]:
    """The files that are read, as far as they lie on this machine: all in the folder of a published data set."""
    path = Path(options.pairs)
    if not options.dataset:
        return formats.named(options.pairs)
    return list(path.rglob("*")) if path.is_dir() else [path]


def open_pairs(options: argparse.Namespace, on_error: OnError = "fail") -> Source:
    """The file, or the data set that `--dataset` names."""
    if options.dataset:
        return dataset.open_dataset(options, on_error)
    if options.dataset_option:
        raise OptionError("--dataset-option needs --dataset")
    columns = {role: getattr(options, role) or role for role in ROLES}
    text = [columns[role] for role in TEXT_ROLES]
    return open_source(options.pairs, text=text, references=columns["references"], on_error=on_error)


def read_pairs(options: argparse.Namespace) -> pl.DataFrame:
    """The table, which has rows; a column named for a role takes the place of one that is called as the role."""
    frame = renamed(open_pairs(options).load(), columns_of(options))
    if frame.is_empty():
        raise InputError(f"{options.pairs}: there is no row")
    return frame


def renamed(frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """The table with columns called as the roles they are named for."""
    for role, column in columns.items():
        if column not in frame.columns:
            hint, there = near(column, frame.columns), ", ".join(frame.columns)
            raise InputError(f"there is no such column for the {role} role{hint}; there are {there}", column=column)
    replaced = [role for role in columns if role in frame.columns and role not in columns.values()]
    return frame.drop(replaced).rename({column: role for role, column in columns.items()})
