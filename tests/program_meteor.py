"""The released METEOR 1.5, run as it is: the jar that the package pycocoevalcap carries with its data."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

WEIGHTS = {"exact": "1.0", "stem": "0.6", "synonym": "0.8", "paraphrase": "0.6"}


def folder() -> Path:
    """The folder of the release; the test is skipped without it or without Java."""
    spec = importlib.util.find_spec("pycocoevalcap")
    places = spec.submodule_search_locations if spec else None
    if not places:
        pytest.skip("METEOR 1.5 comes with the package pycocoevalcap, which is not installed")
    if not shutil.which("java"):
        pytest.skip("running METEOR 1.5 takes Java")
    return Path(places[0]) / "meteor"


def program_scores(
    summaries: Sequence[str], references: Sequence[Sequence[str]], stages: Sequence[str], *options: str
) -> list[float]:
    """The program's score of every row. Line breaks, which its lines cannot hold, become spaces."""
    chosen = ["-m", " ".join(stages), "-w", " ".join(WEIGHTS[stage] for stage in stages), *options]
    command = [
        "java",
        "-Xmx2G",
        "-Dfile.encoding=UTF-8",
        "-jar",
        "meteor-1.5.jar",
        "-",
        "-",
        "-stdio",
        "-l",
        "en",
        "-norm",
    ]
    with subprocess.Popen(
        [*command, *chosen], cwd=folder(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, encoding="utf-8",
    ) as program:  # fmt: skip
        scores = []
        for summary, many in zip(summaries, references, strict=True):
            texts = " ||| ".join(" ".join(text.split("\n")) for text in (*many, summary))
            scores.append(float(_ask(program, f"SING ||| {_ask(program, f'SCORE ||| {texts}')}")))
        program.stdin.close()  # type: ignore[union-attr]
    return scores


def _ask(program: subprocess.Popen[str], line: str) -> str:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(line + "\n")
    program.stdin.flush()
    return program.stdout.readline().strip()


def program_lines(lines: Sequence[str], tool: str, *options: str) -> list[str]:
    """What one of the program's tools prints for each line."""
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", "meteor-1.5.jar", tool, *options]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, cwd=folder(), input=text, capture_output=True, encoding="utf-8", check=True)
    return done.stdout.split("\n")[: len(lines)]
