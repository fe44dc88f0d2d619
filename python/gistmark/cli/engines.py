"""Who scores the parts of a job: this process, or the workers of Ray or Spark."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator, Sequence

from gistmark.cli.options import positive
from gistmark.cli.partwise import Each, Scorer
from gistmark.files import Source
from gistmark.files.formats import STANDARD
from gistmark.files.parts import Part
from gistmark_bindings.stage import holds
from gistmark_engine.errors import OptionError

LOCAL = "local"


def add_to(parser: argparse.ArgumentParser) -> None:
    """The options that choose the engine."""
    parser.add_argument(
        "--engine", choices=(LOCAL, "ray", "spark"), default=LOCAL, help="who scores the parts of FOLDER/"
    )
    parser.add_argument(
        "--actors", metavar="N", type=positive, default=1, help="on Ray: processes that hold models and ask judges"
    )
    parser.add_argument("--gpus", metavar="N", type=_share, default=0.0, help="on Ray: GPUs of each of them")


def _share(text: str) -> float:
    """An argument that is a number of at least 0."""
    try:
        if 0 <= float(text) < math.inf:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 0")


def reachable(options: argparse.Namespace, path: str) -> str:
    """A path as workers elsewhere can open it: whole, since they stand in folders of their own."""
    return path if options.engine == LOCAL or path == STANDARD or "://" in path else os.path.abspath(path)


def each(options: argparse.Namespace, source: Source) -> Each | None:
    """What hands the parts out; None for this process."""
    if options.engine == LOCAL:
        return None
    if options.budget:
        raise OptionError(
            f"--budget counts in one process; with --engine {options.engine} every worker would have its own"
        )
    if source.kind not in ("parquet", "ipc"):
        raise OptionError(f"--engine {options.engine} shares out Parquet or Arrow IPC files, not {source.kind}")
    return _spark if options.engine == "spark" else _ray(options.actors, options.gpus)


def _ray(actors: int, gpus: float) -> Each:
    def run(scorer: Scorer, parts: Sequence[Part]) -> Iterator[int]:
        from gistmark_bindings import ray

        held = any(holds(metric) for metric in scorer.metrics)
        return ray.each(scorer, parts, actors=actors if held else 0, gpus=gpus)

    return run


def _spark(scorer: Scorer, parts: Sequence[Part]) -> Iterator[int]:
    from gistmark_bindings import spark

    return spark.each(scorer, parts)
