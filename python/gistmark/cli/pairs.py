"""The pairs of a study, read whole, their columns called as their roles."""

from __future__ import annotations

import argparse

import polars as pl

from gistmark.files import open_source
from gistmark.near import near
from gistmark_engine.errors import InputError
from gistmark_engine.metric import ROLES


def add_to(parser: argparse.ArgumentParser) -> None:
    """The options that name file and columns."""
    parser.add_argument("pairs", help="Parquet, JSON lines, CSV, Arrow IPC, a quoted glob, or - for JSON lines")
    for role in ROLES:
        parser.add_argument(f"--{role}", metavar="COLUMN", help=f"the column that holds the {role}, if not {role!r}")


def read_pairs(options: argparse.Namespace) -> pl.DataFrame:
    """The table; a column named for a role takes the place of one that is called as the role."""
    columns = {role: column for role in ROLES if (column := getattr(options, role)) is not None}
    frame = open_source(options.pairs, text=[columns.get(role, role) for role in ROLES]).load()
    for role, column in columns.items():
        if column not in frame.columns:
            hint, there = near(column, frame.columns), ", ".join(frame.columns)
            raise InputError(f"there is no such column for the {role} role{hint}; there are {there}", column=column)
    replaced = [role for role in columns if role in frame.columns and role not in columns.values()]
    return frame.drop(replaced).rename({column: role for role, column in columns.items()})
