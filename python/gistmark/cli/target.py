"""Where the output of a command goes, refused before anything is read where it cannot go there."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from gistmark.files import check_output, check_place
from gistmark.files.formats import STANDARD, SUFFIXES
from gistmark_engine.errors import OptionError


def check(output: str | None, named: str | None, inputs: Iterable[Path], *, table: bool = True) -> None:
    """Refuse a file that cannot be written, that is one of the inputs, or that would be one the next time.

    output  None: nothing is written; -: standard output
    named   the path, glob or folder that means the `inputs`; None: none that a new file could fall into
    table   whether the file's ending says its format
    """
    if output in (None, STANDARD):
        return
    target = check_output(output) if table else check_place(output, "output")
    if target.exists() and (same := next((path for path in inputs if _same(path, target)), None)):
        raise OptionError(f"--output {output} would overwrite the input {same}; name another file")
    if named is not None and SUFFIXES.get(target.suffix) == "parquet":
        _check_outside(output, target, named)


def check_folder(output: str, named: str, inputs: Iterable[Path]) -> None:
    """Refuse a folder of parts that holds an input, or lies in the folder that is read."""
    folder = Path(output).resolve()
    if held := next((path for path in inputs if path.resolve().is_relative_to(folder)), None):
        raise OptionError(f"--output {output} holds the input {held}; name another folder")
    _check_outside(output, folder, named)


def beside(output: str | None) -> TextIO:
    """Where a command talks: standard output, or standard error where that takes the data."""
    return sys.stderr if output == STANDARD else sys.stdout


def _same(path: Path, target: Path) -> bool:
    """Whether both are one file, by links of either kind too."""
    return path.exists() and path.samefile(target)


def _check_outside(output: str, target: Path, named: str) -> None:
    if Path(named).is_dir() and target.is_relative_to(Path(named).resolve()):
        raise OptionError(f"--output {output} lies in {named}, which would be read with it the next time; go elsewhere")
