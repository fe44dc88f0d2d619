"""A read-only installation and a read-only home: scoring works, says once what it costs, and names what must be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine/gistmark_engine", "bindings/gistmark_bindings", "python/gistmark", "datasets/gistmark_datasets")
WRITABLE = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
"""Root writes whatever the permissions say, but not on a file system that is mounted read-only."""

JUDGE = """
import gistmark as gm
gm.score({"summary": ["a"], "source": ["b"]}, [gm.metrics.judge(gm.judges.Fake())])
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds a copy of the packages and a home, none of which can be written."""
    place = tmp_path_factory.mktemp("read-only")
    (place / "home").mkdir()
    for package in PACKAGES:
        shutil.copytree(ROOT / package, place / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (place, *place.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return place


def run(place: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Python with these packages and this home alone."""
    environment = {name: value for name, value in os.environ.items() if name not in WRITABLE}
    environment |= {"HOME": str(place / "home"), "PYTHONPATH": str(place)}
    command = ["unshare", "--mount", "sh", "-c", MOUNTED, str(place)] if os.geteuid() == 0 else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root, who writes everywhere, may mount nothing read-only here")
    return subprocess.run(
        [*command, sys.executable, *arguments],
        input=stdin,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_scoring_needs_nothing_that_can_be_written(place: Path) -> None:
    command = ("-m", "gistmark.cli", "score", "-", "--metrics", "rouge", "--set", "rouge.types=1")
    done = run(place, *command, stdin='{"summary": "a b", "references": "a c"}\n')
    assert done.returncode == 0, done.stderr
    assert "rouge1_f1 mean            0.5000" in done.stdout
    assert done.stderr.count("\n") == 1
    assert f"cannot be kept in {place / 'home' / '.cache'}" in done.stderr
    assert not list((place / "home").iterdir())


def test_replies_that_cannot_be_kept_are_refused_by_path(place: Path) -> None:
    done = run(place, "-c", JUDGE)
    assert done.returncode == 1
    path = place / "home" / ".local" / "share" / "gistmark" / "judges.sqlite"
    assert f"InputError: replies cannot be kept in '{path}'" in done.stderr
    assert "name another file as cache" in done.stderr
