"""What README and docs hold, and a directory in which what they say can be tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl

from gistmark import files
from gistmark.studies.nuggets import NUGGETS
from gistmark_datasets import scitldr_sample

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
SAMPLE = "datasets/gistmark_datasets/data/scitldr_test.parquet"
PAIRS = '{"summary": "a cat", "references": ["a cat sat"], "source": "a cat sat here"}\n'


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of every block of code, in order."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[str]:
    """The lines of a block that call gistmark, continued ones joined."""
    return [line for line in block.replace("\\\n", " ").splitlines() if "gistmark " in line]


def make_clone(root: Path) -> Path:
    """A directory with the sample where a clone has it, files of pairs and annotations, and `gistmark` in `bin`."""
    (root / SAMPLE).parent.mkdir(parents=True)
    shutil.copy(scitldr_sample(), root / SAMPLE)
    pairs = pl.read_parquet(scitldr_sample()).head(60)
    files.write(pairs, root / "pairs.parquet")
    (root / "parts").mkdir()
    files.write(pairs, root / "parts" / "one.parquet")
    judged = pairs.select("doc_id", "system", "summary", *(pl.lit(1).alias(name) for name in NUGGETS))
    files.write(judged.with_columns(correctness=pl.lit(1)), root / "judged.csv")
    (root / "pairs.jsonl").write_text(PAIRS)
    (root / "bin").mkdir()
    (root / "bin" / "gistmark").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gistmark.cli "$@"\n')
    (root / "bin" / "gistmark").chmod(0o755)
    return root


def shell(clone: Path, command: str) -> str:
    """What a command prints in a process of its own; it has to succeed."""
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
