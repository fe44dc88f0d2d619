"""Every reply that was paid for, on disk as it arrived."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gistmark.files import check_place
from gistmark.judges.contract import Reply, Token
from gistmark_engine.errors import InputError

if TYPE_CHECKING:
    import sqlite3

_TABLES = (
    """
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY, template TEXT NOT NULL, model TEXT NOT NULL, seed INTEGER NOT NULL, attempt INTEGER NOT NULL,
    status TEXT NOT NULL, reply BLOB NOT NULL, arrived TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)
""",
    "CREATE TABLE IF NOT EXISTS jobs (metric TEXT, model TEXT, counts TEXT, ended TEXT DEFAULT CURRENT_TIMESTAMP)",
)
_PUT = "INSERT OR REPLACE INTO replies (key, template, model, seed, attempt, status, reply) VALUES (?,?,?,?,?,?,?)"
_MEMORY = ":memory:"
_LOG = "INSERT INTO jobs (metric, model, counts) VALUES (?,?,?)"


def default_path() -> Path:
    """`judges.sqlite` in gistmark's folder below `XDG_DATA_HOME` or `~/.local/share`.

    Data, not cache: clearing the compiled kernels must not throw away replies that cost money.
    """
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "gistmark" / "judges.sqlite"


class Cache:
    """Raw replies by key, in one SQLite file that several processes and threads may share.

    A reply is committed before the next one is looked at, so a process killed at any moment loses none it had. What a
    reply *means* is not stored: it is parsed again on every run, and one that does not parse is no result.

    path  None: `default_path()`, whose folder is made; ":memory:": for this process alone. The folder of any other file
          must be there (`OptionError`)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        place = str(default_path() if path is None else path)
        if place not in (_MEMORY, str(default_path())):
            check_place(place, "cache")
        self._begin(place)

    def _begin(self, path: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get(self, key: bytes) -> Reply | None:
        """The reply stored under `key`."""
        with self._lock:
            row = self._open().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return _decoded(row[0]) if row else None

    def put(self, key: bytes, reply: Reply, template: str, model: str, seed: int, attempt: int, status: str) -> None:
        """Store `reply` beside what it answers and how it parsed; it replaces an earlier reply to the same call."""
        with self._lock:
            self._open().execute(_PUT, (key, template, model, seed, attempt, status, _encoded(reply)))

    def counts(self) -> Mapping[str, int]:
        """How many stored replies have which status."""
        with self._lock:
            return dict(self._open().execute("SELECT status, count(*) FROM replies GROUP BY status").fetchall())

    def log(self, metric: str, model: str, counts: Mapping[str, int]) -> None:
        """Store what came of a job: its questions by final status, the calls it made and the cached ones."""
        if counts:
            with self._lock:
                self._open().execute(_LOG, (metric, model, json.dumps(counts)))

    def jobs(self) -> list[tuple[str, str, dict[str, int]]]:
        """Metric, model and counts of every job that ended, the earliest first."""
        with self._lock:
            found = self._open().execute("SELECT metric, model, counts FROM jobs ORDER BY rowid").fetchall()
        return [(metric, model, json.loads(counts)) for metric, model, counts in found]

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        """This process's connection: SQLite forbids a forked child its parent's."""
        if self._connection is None or self._process != os.getpid():
            self._connection, self._process = _connected(self.path), os.getpid()
        return self._connection

    def __getstate__(self) -> dict[str, str]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, str]) -> None:
        self._begin(state["path"])


def _connected(path: str) -> sqlite3.Connection:
    """A connection to the file at `path`, made if it is not there. WAL: a commit waits for no disk, and survives a kill."""
    import sqlite3  # loads when a reply is first looked up, not with every `import gistmark`

    try:
        if path == str(default_path()):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", *_TABLES):
            connection.execute(statement)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"replies cannot be kept in {path!r}: {error}; name another file as cache") from error
    return connection


def _encoded(reply: Reply) -> bytes:
    scores = [[token.text, dict(token.top)] for token in reply.scores]
    return json.dumps([reply.text, reply.finish, reply.tokens, scores]).encode()


def _decoded(stored: bytes) -> Reply:
    text, finish, tokens, scores = json.loads(stored)
    return Reply(
        text, finish, tokens=tuple(tokens) if tokens else None, scores=tuple(Token(part, top) for part, top in scores)
    )
