"""Embeddings that outlive a job, in one file of bounded size."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gistmark.models.stage import Stage
from gistmark_engine.errors import OptionError

_OURS = 0x67697374
"""Marks the file as one of these, "gist" in ASCII."""
_SETUP = (
    "PRAGMA auto_vacuum=FULL",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    f"PRAGMA application_id={_OURS}",
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, used INTEGER NOT NULL, vectors BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS by_use ON vectors (used)",
)
_OLDEST = "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used LIMIT 16)"

_log = logging.getLogger("gistmark.models")


class Kept:
    """Unit vectors by model, layer, precision and word pieces; several processes and threads may share the file.

    limit  bytes that the file may have; what was used longest ago goes first

    Raises `OptionError` where the file cannot be used. If it fails later (a full disk), the job goes on without it.
    """

    def __init__(self, path: str | Path, limit: int, stage: Stage, windows: bool) -> None:
        config, checkpoint = stage.models[0].config, stage.checkpoint
        commit = getattr(config, "_commit_hash", None) or checkpoint.digest
        parts = (checkpoint.name, commit, config.num_hidden_layers, checkpoint.precision, stage.pieces.limit, windows)
        self._model, self._path, self._limit = repr(parts).encode(), path, limit
        self._lock, self._failed = threading.Lock(), False
        self._found: list[bytes] = []
        self._connection = _connected(Path(path))

    def fetch(self, text: bytes, vectors: Any) -> bool:
        """Fill the tensor `vectors` with those kept for a text; False if there are none."""
        import torch

        if self._failed:
            return False
        key, row = self._key(text), None
        with self._guarded():
            row = self._connection.execute("SELECT vectors FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None or len(row[0]) != vectors.nbytes:
            return False
        vectors.copy_(torch.frombuffer(bytearray(row[0]), dtype=vectors.dtype).view(vectors.shape))
        self._found.append(key)
        return True

    def store(self, texts: Iterable[tuple[bytes, Any]]) -> None:
        """Keep the vectors of texts, note which were fetched since the last call, and drop what is too much."""
        if self._failed:
            return
        now = time.time_ns()
        rows = ((self._key(text), now, np.ascontiguousarray(vectors.cpu().numpy())) for text, vectors in texts)
        with self._guarded(), self._connection:
            found, self._found = self._found, []
            self._connection.executemany("UPDATE vectors SET used = ? WHERE key = ?", ((now, key) for key in found))
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            while self._size() > self._limit and self._connection.execute(_OLDEST).rowcount:
                pass

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _size(self) -> int:
        """Bytes in use."""
        pages, free, size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One thread at a time; what goes wrong with the file is said once, and ends its use."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if not self._failed:
                    _log.warning("cache %s: %s; the job goes on without it", self._path, error)
                self._failed = True

    def _key(self, text: bytes) -> bytes:
        return hashlib.sha256(self._model + text).digest()


def _connected(path: Path) -> sqlite3.Connection:
    """A connection to the file, made if it is not there but its folder is."""
    if not path.parent.is_dir():
        raise OptionError(f"cache {path}: directory {path.parent} does not exist")
    try:
        connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
        # in this order: a process that makes the file at the same time marks it before it makes tables
        queries = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id")
        entries, mark = (connection.execute(query).fetchone()[0] for query in queries)
        if mark != _OURS and entries:
            raise OptionError(f"cache {path} is another program's database; name another file")
        for statement in (*_SETUP, "BEGIN IMMEDIATE", "ROLLBACK"):  # the last two tell whether it can be written
            connection.execute(statement)
    except sqlite3.Error as error:
        raise OptionError(f"cache {path} cannot be used: {error}; name another file") from error
    return connection
