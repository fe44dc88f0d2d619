"""What a killed process leaves half written: the next one that writes the same file removes that, and nothing else."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from gistmark import files
from gistmark.files import leftovers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="without flock nothing is removed")
FRAME = pl.DataFrame({"a": [1, 2]})
Writer = Callable[[Path], subprocess.Popen[str]]


@pytest.fixture
def writer() -> Iterator[Writer]:
    """Starts a process that is in the midst of writing a file, and ends it properly when told a line."""
    started: list[subprocess.Popen[str]] = []
    program = """
        import sys
        import polars as pl
        from gistmark import files

        frame = pl.DataFrame({"a": [3]})
        with files.sink(sys.argv[1], frame.clear()) as put:
            put(frame)
            print("writing", flush=True)
            sys.stdin.readline()
    """

    def start(target: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", textwrap.dedent(program), str(target)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def half(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".*.part"))


@pytest.mark.parametrize("name", ["out.parquet", "out.jsonl.gz", "[o]*ut.csv"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, writer: Writer, name: str) -> None:
    process = writer(tmp_path / name)
    process.kill()
    process.wait()
    assert len(half(tmp_path)) == 1
    files.write(FRAME, tmp_path / "other.parquet")
    assert len(half(tmp_path)) == 1
    files.write(FRAME, tmp_path / name)
    assert half(tmp_path) == []
    assert files.load(str(tmp_path / name).replace("[o]*", "?o?*")).height == 2


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path, writer: Writer) -> None:
    target = tmp_path / "out.parquet"
    process = writer(target)
    before = half(tmp_path)
    files.write(FRAME, target)
    leftovers.sweep(tmp_path, {"out.parquet"})
    assert half(tmp_path) == before
    assert pl.read_parquet(target).equals(FRAME)
    process.communicate("end\n")
    assert process.returncode == 0
    assert pl.read_parquet(target)["a"].to_list() == [3]
    assert half(tmp_path) == []


def test_only_files_called_as_ours_are_removed(tmp_path: Path) -> None:
    kept = [
        ".out.parquet.part",
        ".out.parquet.1234.part",
        ".out.parquet.1234abcdef.part",
        ".out.parquet.1234abcg.part",
        "out.parquet.1234abcd.part",
        ".b.parquet.1234abcd.part",
        ".out.parquet.1234abcd.part.gz",
    ]
    for name in kept:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / ".out.parquet.00000000.part").mkdir()
    (tmp_path / ".out.parquet.11111111.part").symlink_to(tmp_path / kept[0])
    (tmp_path / ".out.parquet.22222222.part").write_bytes(b"half")
    files.write(FRAME, tmp_path / "out.parquet")
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {*kept, "out.parquet", ".out.parquet.00000000.part", ".out.parquet.11111111.part"}


def test_without_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(leftovers.fcntl, "flock", refuse)
    (tmp_path / ".out.parquet.1234abcd.part").write_bytes(b"half")
    files.write(FRAME, tmp_path / "out.parquet")
    assert half(tmp_path) == [".out.parquet.1234abcd.part"]
    assert pl.read_parquet(tmp_path / "out.parquet").equals(FRAME)


def test_a_file_swept_away_before_it_is_locked_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, taken = leftovers.fcntl.flock, []

    def slow(handle: int, how: int) -> None:
        if not taken:
            taken.append(half(tmp_path))
            for name in half(tmp_path):
                (tmp_path / name).unlink()
        lock(handle, how)

    monkeypatch.setattr(leftovers.fcntl, "flock", slow)
    with leftovers.temporary(tmp_path / "out.parquet") as path:
        assert half(tmp_path) == [path.name]
    assert len(taken[0]) == 1
    assert half(tmp_path) == []
