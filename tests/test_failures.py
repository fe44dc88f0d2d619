"""When the disk is full, the user interrupts, or a worker gets a signal: one line, an exit code, a clean folder."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from gistmark import files
from gistmark_datasets import scitldr_sample

Start = Callable[..., subprocess.Popen[bytes]]

PAIRS = pl.read_parquet(scitldr_sample())
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and signals as Linux has them")


def small_disk() -> None:
    """No file may grow beyond 200 kB: a write fails as it does on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


@linux
@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.jsonl.gz", "out.csv", "parts/"])
def test_a_full_disk_is_one_line_and_leaves_no_file(cli_process: Start, tmp_path: Path, output: str) -> None:
    files.write(pl.concat([PAIRS] * 3), tmp_path / "in.parquet")
    options = ("--metrics", "datastats", "--output", f"{tmp_path}/{output}")
    process = cli_process("score", tmp_path / "in.parquet", *options, stdout=subprocess.PIPE, preexec_fn=small_disk)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err.count(b"\n")) == (1, b"", 1), err
    assert b"too large" in err
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["in.parquet"]


@linux
@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_whole_parts_alone(
    cli_process: Start, tmp_path: Path, kind: signal.Signals, code: int
) -> None:
    (tmp_path / "in").mkdir()
    for name in range(30):
        files.write(PAIRS, tmp_path / "in" / f"{name:02}.parquet")
    process = cli_process("score", tmp_path / "in", "--output", f"{tmp_path}/out/", stdout=subprocess.DEVNULL)
    while not list((tmp_path / "out").glob("*.parquet")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(kind)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (code, False)
    left = sorted(os.listdir(tmp_path / "out"))
    assert 0 < len(left) < 30
    assert left == [f"{name:02}-00000.parquet" for name in range(len(left))]
    assert all(pl.read_parquet(tmp_path / "out" / name).height == PAIRS.height for name in left)


BAD_MOMENTS = {
    "finaliser": "class Finalised:\n    def __del__(self):\n        kill()\n\ndef moment():\n    Finalised()",
    "way out": "def moment():\n    try:\n        kill()\n    finally:\n        raise RuntimeError('release unlocked lock')",
    "numba": "def _numba_unpickle():\n    kill()\n\nmoment = _numba_unpickle",
    "import": "def moment():\n    Path('half.py').write_text('__import__(\"__main__\").kill()')\n    import half",
    "named tuple": "moment = eval('lambda: (os.kill(os.getpid(), kind), sys.stdout.write(\"went on\"))')",
}


@linux
@pytest.mark.parametrize("moment", BAD_MOMENTS)
@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_at_a_bad_moment_comes_later(tmp_path: Path, kind: signal.Signals, code: int, moment: str) -> None:
    """Where Python, Numba or a module half imported would lose what a handler raises, the command goes on, and ends soon."""
    (tmp_path / "command.py").write_text(f"""
import os, sys, time
from pathlib import Path
from gistmark import cli

kind = {int(kind)}

def kill():
    os.kill(os.getpid(), kind)
    sys.stdout.write("went on")

{BAD_MOMENTS[moment]}

def run(arguments):
    moment()
    time.sleep(30)

cli._run = run
sys.exit(cli.main([]))
""")
    done = subprocess.run([sys.executable, tmp_path / "command.py"], cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr
    assert done.stdout == (b"went on" if moment in ("numba", "import", "named tuple") else b"")
