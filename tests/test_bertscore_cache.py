"""Embeddings of references that outlive a job, in one file."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bertscores import count_tokens, encoder, ours, real
from tiny import need

import gistmark as gm
from gistmark_engine.errors import OptionError

small = pytest.fixture(scope="module")(encoder)
TEXT = 50 * 64 * 4
"""Bytes of a text's vectors."""


def opened(path: Path, limit: int = 10**9) -> Any:
    """The file, as a job opens it."""
    kept = importlib.import_module("gistmark.models.kept")
    config = SimpleNamespace(num_hidden_layers=1)
    checkpoint = SimpleNamespace(name="model", digest="0", precision="float32")
    stage = SimpleNamespace(
        models=[SimpleNamespace(config=config)], checkpoint=checkpoint, pieces=SimpleNamespace(limit=9)
    )
    return kept.Kept(path, limit, stage, windows=False)


def vectors(value: float) -> Any:
    return importlib.import_module("torch").full((50, 64), float(value))


def fetched(kept: Any, text: bytes) -> float | None:
    """The value kept for a text."""
    found = vectors(-1)
    return float(found[0, 0]) if kept.fetch(text, found) else None


def test_references_kept_on_disk_are_not_encoded_again(small: str, tmp_path: Path) -> None:
    data, path = real(20), tmp_path / "kept.sqlite"
    metric = gm.metrics.bertscore(small, layer=2, device="cpu", cache=path)
    first, second = count_tokens(metric, data), count_tokens(metric, data)
    only_summaries = count_tokens(gm.metrics.bertscore(small, layer=2, device="cpu"), data | {"references": ["a"] * 20})
    assert second < only_summaries < first
    np.testing.assert_array_equal(ours(data, small, layer=2, cache=path), ours(data, small, layer=2, cache=path))
    np.testing.assert_allclose(ours(data, small, layer=2, cache=path), ours(data, small, layer=2), atol=1e-6)
    np.testing.assert_allclose(ours(data, small, layer=1, cache=path), ours(data, small, layer=1), atol=1e-6)


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    need("torch")
    kept = opened(tmp_path / "kept.sqlite", limit=200 * TEXT)
    for number in range(400):
        kept.store([(f"{number}".encode(), vectors(number))])
        assert fetched(kept, b"7") == (7 if number >= 7 else None)
    assert [fetched(kept, text) for text in (b"399", b"300", b"8", b"200")] == [399, 300, None, None]
    kept.close()
    assert os.path.getsize(tmp_path / "kept.sqlite") < 220 * TEXT
    small = opened(tmp_path / "kept.sqlite", limit=20 * TEXT)
    small.store([])
    small.close()
    assert os.path.getsize(tmp_path / "kept.sqlite") < 25 * TEXT


def fill(path: Path, who: int) -> None:
    kept = opened(path, limit=300 * TEXT)
    for number in range(150):
        kept.store([(f"{who} {number}".encode(), vectors(number)), (b"shared", vectors(-2))])
        assert fetched(kept, b"shared") == -2
    assert fetched(kept, f"{who} 149".encode()) == 149


def test_processes_share_a_file_that_one_of_them_makes(tmp_path: Path) -> None:
    need("torch")
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=fill, args=(tmp_path / "kept.sqlite", who)) for who in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    (state,) = sqlite3.connect(tmp_path / "kept.sqlite").execute("PRAGMA integrity_check").fetchone()
    assert state == "ok"


def test_a_file_that_fails_on_the_way_is_given_up(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = importlib.import_module("gistmark.models.kept")
    full = (*kept._SETUP, "PRAGMA max_page_count=12")
    monkeypatch.setattr(kept, "_SETUP", full)
    data, path = real(20), tmp_path / "kept.sqlite"
    with caplog.at_level(logging.WARNING):
        found = ours(data, small, layer=2, cache=path)
    np.testing.assert_array_equal(found, ours(data, small, layer=2))
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"cache {path}: database or disk is full; the job goes on without it"]


def test_a_file_that_cannot_be_used_is_refused(small: str, tmp_path: Path) -> None:
    text, other = tmp_path / "text.txt", tmp_path / "other.sqlite"
    text.write_text("not a database at all, but long enough to be told from an empty one" * 20)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    for path, said in (
        (tmp_path / "deep" / "kept.sqlite", "cache .*: directory .*deep does not exist"),
        (tmp_path, "cache .* cannot be used: unable to open database file; name another file"),
        (text, "cache .*text.txt cannot be used: file is not a database; name another file"),
        (other, "cache .*other.sqlite is another program's database; name another file"),
    ):
        with pytest.raises(OptionError, match=said):
            ours(real(2), small, layer=2, cache=path)
    assert sqlite3.connect(other).execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
    with pytest.raises(OptionError, match="bertscore: cache_gb must be above 0, not 0"):
        gm.metrics.bertscore(small, layer=2, cache_gb=0)
