"""Embeddings that outlive a job, in one file."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gistmark.models.stage import Stage
from gistmark_engine.errors import InputError

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vectors BLOB NOT NULL)"


class Kept:
    """Unit vectors by model, layer, precision and word pieces; several processes and threads may share the file."""

    def __init__(self, path: str | Path, stage: Stage, windows: bool) -> None:
        config, checkpoint = stage.models[0].config, stage.checkpoint
        commit = getattr(config, "_commit_hash", None) or checkpoint.digest
        parts = (checkpoint.name, commit, config.num_hidden_layers, checkpoint.precision, stage.pieces.limit, windows)
        self._model = repr(parts).encode()
        self._lock = threading.Lock()
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
            for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _TABLE):
                self._connection.execute(statement)
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"embeddings cannot be kept in {str(path)!r}: {error}; name another file as cache"
            ) from error

    def fetch(self, text: bytes, vectors: Any) -> bool:
        """Fill the tensor `vectors` with those kept for a text; False if there are none."""
        import torch

        with self._lock:
            row = self._connection.execute("SELECT vectors FROM vectors WHERE key = ?", (self._key(text),)).fetchone()
        if row is None or len(row[0]) != vectors.nbytes:
            return False
        vectors.copy_(torch.frombuffer(bytearray(row[0]), dtype=vectors.dtype).view(vectors.shape))
        return True

    def store(self, texts: Iterable[tuple[bytes, Any]]) -> None:
        """Keep the vectors of texts."""
        rows = [(self._key(text), np.ascontiguousarray(vectors.cpu().numpy()).tobytes()) for text, vectors in texts]
        with self._lock, self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _key(self, text: bytes) -> bytes:
        return hashlib.sha256(self._model + text).digest()
