"""A published data set as the pairs of a command, read by its loader."""

from __future__ import annotations

import argparse
import inspect
import typing
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import polars as pl

from gistmark.cli.options import parse
from gistmark.files import OnError, Source
from gistmark.files.formats import STANDARD
from gistmark.files.input import Input
from gistmark.near import near
from gistmark_engine.errors import InputError, OptionError

BY_COMMAND = ("path", "on_error")
"""Parameters of loaders that are not given as --dataset-option."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """The options that name a loader and what it is told."""
    parser.add_argument(
        "--dataset", metavar="NAME", help="read PAIRS as published: arxiv, scitldr, summeval and others"
    )
    parser.add_argument(
        "--dataset-option", metavar="OPTION=VALUE", action="append", default=[], help="of the loader; may be repeated"
    )


def open_dataset(options: argparse.Namespace, on_error: OnError = "fail") -> Source:
    """The data set that `options` name. Raises `OptionError` for an unknown one, `InputError` for files it cannot read."""
    from gistmark_datasets import LOADERS, DatasetError

    name = options.dataset
    if name not in LOADERS:
        raise OptionError(f"unknown data set {name!r}{near(name, LOADERS)}; there are {', '.join(LOADERS)}")
    if options.pairs == STANDARD:
        raise OptionError("a data set is read from files, not from standard input")
    settings = _settings(name, LOADERS[name], options.dataset_option)
    try:
        frame = LOADERS[name](options.pairs, on_error=on_error, **settings)
    except DatasetError as error:
        raise InputError(str(error)) from error
    return Source([Input(frame)], lambda error: InputError(str(error)))


def _settings(name: str, loader: Callable[..., pl.LazyFrame], assignments: Sequence[str]) -> dict[str, Any]:
    """The loader's options, typed by its signature."""
    hints = typing.get_type_hints(loader, localns={"PathLike": PathLike})
    kinds = {key: hints[key] for key in inspect.signature(loader).parameters if key not in BY_COMMAND}
    settings: dict[str, Any] = {}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        option = option.strip()
        if not equals or option not in kinds:
            there = ", ".join(kinds)
            raise OptionError(f"--dataset-option takes OPTION=VALUE for {name}, of {there}, not {assignment!r}")
        settings[option] = parse(value.strip(), kinds[option], f"{name}.{option}")
    return settings
