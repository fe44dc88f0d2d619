"""README says what is true: its examples run, its figures are printed, its tables agree with the records."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from pages import DOCS, README, ROOT, SAMPLE, blocks, commands, make_clone, shell

import gistmark as gm
from gistmark.files.sink import KEY


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clone(tmp_path_factory.mktemp("clone"))


def test_command_lines_run(clone: Path) -> None:
    lines = [line for language, block in blocks(README) if language == "sh" for line in commands(block)]
    assert len(lines) >= 5
    for line in lines:
        shell(clone, line)


@pytest.mark.parametrize("block", [block for language, block in blocks(README) if language == "python"])
def test_python_examples_run(clone: Path, block: str) -> None:
    (clone / "example.py").write_text(block)
    assert shell(clone, f'"{sys.executable}" example.py')


def test_the_table_shown_is_the_table_printed(clone: Path) -> None:
    printed = {tuple(line.split()) for line in shell(clone, f"gistmark score {SAMPLE}").splitlines()}
    shown = [line for language, block in blocks(README) if language == "text" for line in block.splitlines()]
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
    pages = "".join([README, *DOCS.values()])
    assert f"`{KEY.decode()}`" in pages
    columns = {column for metric in gm.catalogue().values() for column in metric.columns}
    named = set(re.findall(r"`(\w+_status)`", pages))
    assert named
    assert named <= columns
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert all(f"`{extra}`" in README for extra in extras if extra != "dev")
