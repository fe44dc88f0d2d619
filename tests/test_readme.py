"""README says what is true: its examples run, its figures are printed, its tables agree with the records."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gistmark as gm
from gistmark.files.sink import KEY

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SAMPLE = "datasets/gistmark_datasets/data/scitldr_test.parquet"
PAIRS = '{"summary": "a cat", "references": ["a cat sat"], "source": "a cat sat here"}\n'


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sample where a clone has it, a file of pairs, and `gistmark` in `bin`."""
    root = tmp_path_factory.mktemp("clone")
    (root / SAMPLE).parent.mkdir(parents=True)
    shutil.copy(ROOT / SAMPLE, root / SAMPLE)
    (root / "pairs.jsonl").write_text(PAIRS)
    (root / "bin").mkdir()
    (root / "bin" / "gistmark").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gistmark.cli "$@"\n')
    (root / "bin" / "gistmark").chmod(0o755)
    return root


def shell(clone: Path, command: str) -> str:
    environment = os.environ | {
        "PATH": f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    if "cache clear" in command:
        environment["NUMBA_CACHE_DIR"] = str(clone / "cache")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_command_lines_run(clone: Path) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if "gistmark " in line]
    assert len(lines) >= 5
    for line in lines:
        shell(clone, line)


@pytest.mark.parametrize("block", blocks("python"))
def test_python_examples_run(clone: Path, block: str) -> None:
    (clone / "example.py").write_text(block)
    assert shell(clone, f'"{sys.executable}" example.py')


def test_the_table_shown_is_the_table_printed(clone: Path) -> None:
    printed = {tuple(line.split()) for line in shell(clone, f"gistmark score {SAMPLE}").splitlines()}
    shown = [line for block in blocks("text") for line in block.splitlines()]
    assert len(shown) > 5
    assert [line for line in shown if tuple(line.split()) not in printed] == []


def test_the_make_targets_named_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"`?make (\w+)", README)
    assert {"score", "test", "lint"} == set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_table_of_metrics_agrees_with_the_records() -> None:
    section = README.split("## Metrics\n")[1].split("## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    listed: dict[str, tuple[str, set[str]]] = {}
    name = ""
    for cells in rows[2:]:
        name = cells[0].strip("`") or name
        reads, fields = listed.setdefault(name, (cells[1], set()))
        fields |= {field for field in re.findall(r"`(\w+)`", cells[2]) if field not in ("L", "Lsum")}
    assert set(listed) == set(gm.catalogue())
    for name, metric in gm.catalogue().items():
        reads, fields = listed[name]
        inputs = [f"{role} (optional)" if role in metric.optional else role for role in metric.inputs]
        assert reads == ", ".join(inputs)
        assert fields <= set(metric.fields)


def test_names_that_code_depends_on_are_spelled_as_there() -> None:
    assert f"`{KEY.decode()}`" in README
    columns = {column for metric in gm.catalogue().values() for column in metric.columns}
    named = set(re.findall(r"`(\w+_status)`", README))
    assert named
    assert named <= columns
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert all(f"`{extra}`" in README for extra in extras if extra != "dev")
