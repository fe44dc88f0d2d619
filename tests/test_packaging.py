"""What is shipped: the wheel's contents, an install from it, and the files at the root."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gistmark_engine.version import __version__

ROOT = Path(__file__).parents[1]
PACKAGES = {"gistmark_engine", "gistmark_bindings", "gistmark", "gistmark_datasets"}
ROOMS = ("engine", "bindings", "python", "datasets")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == PACKAGES | {f"gistmark-{__version__}.dist-info"}
    shipped = {name for name in names if name.split("/")[0] in PACKAGES}
    tracked = subprocess.run(["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode == 0:
        assert {path.split("/", 1)[1] for path in tracked.stdout.splitlines()} <= shipped
    assert all(f"{package}/py.typed" in shipped for package in PACKAGES)
    assert "gistmark_datasets/data/scitldr_test.parquet" in shipped


def test_the_wheel_carries_its_licences(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    info = f"gistmark-{__version__}.dist-info"
    assert b"Apache License" in archive.read(f"{info}/licenses/LICENSE")
    assert b"SciTLDR" in archive.read(f"{info}/licenses/datasets/gistmark_datasets/data/NOTICE")
    assert b"gistmark = gistmark.cli:main" in archive.read(f"{info}/entry_points.txt")
    assert b"License-Expression: Apache-2.0" in archive.read(f"{info}/METADATA")


def test_an_unpacked_wheel_scores_its_sample(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = (
        "import gistmark, gistmark_datasets, sys; from gistmark.cli import main; "
        "assert gistmark.__file__.startswith(sys.argv[1]), gistmark.__file__; "
        "sys.exit(main(['score', str(gistmark_datasets.scitldr_sample()), '--metrics', 'rouge']))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "site")],
        env=environment | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "rouge1_f1 mean" in done.stdout


def test_the_room_datasets_does_not_hide_the_package_of_that_name(tmp_path: Path) -> None:
    package = tmp_path / "datasets"
    package.mkdir()
    (package / "__init__.py").write_text("real = True\n")
    done = subprocess.run(
        [sys.executable, "-c", "import datasets; assert datasets.real; import gistmark_datasets"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*(str(ROOT / room) for room in ROOMS), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not any((ROOT / room / "__init__.py").exists() for room in ROOMS)


def test_version_and_licence_are_the_same_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert "\nlicense: Apache-2.0\n" in citation
    assert f"\n## {__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_check_script_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
