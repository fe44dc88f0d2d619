"""Kernels on disk: all of them after a warm-up, none where nothing can be written, one set for many processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
NOT_COMPILED = """
import importlib, pkgutil
import gistmark_engine.kernels as kernels
from gistmark.cli.warmup import compile_kernels
if WARM:
    compile_kernels()
names = [f"gistmark_engine.kernels.{info.name}" for info in pkgutil.iter_modules(kernels.__path__)]
loops = [loop for name in names for loop in vars(importlib.import_module(name)).values()]
made = [loop for loop in loops if type(getattr(loop, "_cache", None)).__name__ == "_Cache"]
print(*sorted({loop.py_func.__name__ for loop in made if not loop.signatures}))
"""
KEPT = "from gistmark_engine.jit import cache_writable; print(cache_writable(), cache_writable())"
ONE = """
import gistmark as gm, polars as pl
print(pl.DataFrame({"x": [[1.0, 2.0, 0.0]]}).select(gm.monotonicity("x", "increase").struct["monotonicity"]).item())
"""
UNUSED = {"stem_tokens"}
"""Kernels for tests alone."""


def python(code: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_warm_up_compiles_every_kernel() -> None:
    out, err = python("WARM = True" + NOT_COMPILED).communicate()
    assert err == ""
    assert set(out.split()) <= UNUSED
    cold, _ = python("WARM = False" + NOT_COMPILED).communicate()
    assert {"ter_rows", "correlate"} <= set(cold.split())


@pytest.mark.parametrize("place", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_where_nothing_can_be_written_there_is_one_warning(place: str) -> None:
    unset = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
    out, err = python(KEPT, **(unset | {place: "/dev/null/x"})).communicate()
    assert out == "False False\n"
    assert err.count("compiled kernels cannot be kept in /dev/null/x") == 1
    assert "Set NUMBA_CACHE_DIR" in err


def test_two_processes_compile_at_once(tmp_path: Path) -> None:
    both = [python(ONE, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert [process.communicate() for process in both] == [("0.5\n", "")] * 2
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}
    assert kept
    assert python(ONE, NUMBA_CACHE_DIR=str(tmp_path)).communicate() == ("0.5\n", "")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")} == kept
