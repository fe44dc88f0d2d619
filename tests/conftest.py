"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data, specification and golden cases beside the repository, or where GISTMARK_SHARED says."""
    folder = Path(os.environ.get("GISTMARK_SHARED") or Path(__file__).parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set GISTMARK_SHARED to the folder that holds it")
    return folder
