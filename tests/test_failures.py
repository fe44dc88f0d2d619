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
HERE = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
"""For a Python that runs in another folder."""
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
    done = f"gistmark: interrupted; {len(left)} of 30 parts are done, and the same command"
    assert err.decode() == f"{done} with --resume goes on from there\n"


@linux
@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    ("options", "how"),
    [
        (["--output", "out/"], "; 0 of 1 parts are done, and the same command with --resume goes on from there"),
        (["--output", "out/", "--resume"], "; 0 of 1 parts are done, and the same command goes on from there"),
        (["-", "--output", "out/"], "; 0 of 1 parts are done"),
        (["--output", "out.parquet"], ""),
    ],
)
def test_an_interrupt_says_how_to_go_on_where_that_goes(
    tmp_path: Path, kind: signal.Signals, code: int, options: list[str], how: str
) -> None:
    files.write(PAIRS, tmp_path / "in.jsonl")
    (tmp_path / "command.py").write_text(f"""
import os, sys, time
from gistmark.cli import job, main

def scored(*rest):
    os.kill(os.getpid(), {int(kind)})
    time.sleep(30)

job.scored_batches = scored
sys.exit(main(["score", *sys.argv[1:], "--metrics", "rouge"]))
""")
    command = [sys.executable, "command.py", *([] if "-" in options else ["in.jsonl"]), *options]
    given = (tmp_path / "in.jsonl").read_bytes()
    done = subprocess.run(command, cwd=tmp_path, env=HERE, input=given, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr.decode()) == (code, f"gistmark: interrupted{how}\n")


@linux
@pytest.mark.parametrize("kept", ["kept.sqlite", "no"])
def test_an_interrupt_says_where_a_judges_replies_are(tmp_path: Path, kept: str) -> None:
    files.write(PAIRS.head(9), tmp_path / "in.parquet")
    (tmp_path / "command.py").write_text("""
import os, signal, sys, time
import gistmark as gm
from gistmark.cli import main, options

def reply(messages, asked=[]):
    asked.append(messages)
    if len(asked) > 3:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
    return '{"overall": 4}'

cache = False if sys.argv[1] == "no" else sys.argv[1]
options.chosen = lambda *_: [gm.metrics.judge(gm.judges.Fake(reply), dimensions=["overall"], cache=cache)]
sys.exit(main(["score", "in.parquet", "--output", "out.parquet"]))
""")
    command = [sys.executable, "command.py", kept]
    done = subprocess.run(command, cwd=tmp_path, env=HERE, capture_output=True, timeout=60)
    how = f"; judge: replies are kept in {kept}, and are not asked for again" if kept != "no" else ""
    assert (done.returncode, done.stderr.decode()) == (130, f"gistmark: interrupted{how}\n")


SCRIPT = "import sys\nfrom gistmark.cli import main\nsys.exit(main())\n"


@linux
@pytest.mark.parametrize("module", ["polars", "tomllib"])
@pytest.mark.parametrize("command", [["-m", "gistmark"], ["-m", "gistmark.cli"], ["bin/gistmark"]])
def test_an_interrupt_while_modules_are_imported_is_one_line(tmp_path: Path, command: list[str], module: str) -> None:
    """Of the package or of the command line alone: the module that is imported gets it."""
    done = interrupted_by(module, tmp_path, [*command, "score", "in.parquet"])
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"gistmark: interrupted\n")


@linux
def test_an_interrupt_while_another_program_imports_the_package_is_its_own(tmp_path: Path) -> None:
    own = "try:\n    import gistmark\nexcept KeyboardInterrupt:\n    print('mine')\n"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__main__.py").write_text(own)
    for command in (["-c", own], ["-m", "own", "gistmark"]):
        done = interrupted_by("polars", tmp_path, command)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"mine\n", b"")


def interrupted_by(module: str, folder: Path, command: list[str]) -> subprocess.CompletedProcess[bytes]:
    """A Python of its own, and what came of it: it finds a `module` that sends it SIGINT."""
    (folder / f"{module}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)\n"
    )
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "gistmark").write_text(SCRIPT)
    environment = HERE | {"PYTHONPATH": f"{folder}{os.pathsep}{HERE['PYTHONPATH']}"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, timeout=60)


BAD_MOMENTS = {
    "finaliser": "class Finalised:\n    def __del__(self):\n        kill()\n\ndef moment():\n    Finalised()",
    "way out": "def moment():\n    try:\n        kill()\n    finally:\n        raise RuntimeError('release unlocked lock')",
    "kernel": "def moment():\n    with put_off():\n        kill()",
    "import": "def moment():\n    Path('half.py').write_text('__import__(\"__main__\").kill()')\n    import half",
    "kernel after import": "def moment():\n    Path('half.py').write_text('__import__(\"__main__\").kill()')\n    import half\n"
    "    with put_off():\n        time.sleep(0.2)",
}


@linux
@pytest.mark.parametrize("moment", BAD_MOMENTS)
@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_at_a_bad_moment_comes_later(tmp_path: Path, kind: signal.Signals, code: int, moment: str) -> None:
    """Where Python, a kernel or a module half imported would lose what a handler raises, the command goes on, and ends soon."""
    (tmp_path / "command.py").write_text(f"""
import os, sys, time
from pathlib import Path
from gistmark import cli
from gistmark_engine.signals import put_off

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
    command = [sys.executable, tmp_path / "command.py"]
    done = subprocess.run(command, cwd=tmp_path, env=HERE, capture_output=True, timeout=60)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr
    assert done.stdout == (b"went on" if moment in ("kernel", "import", "kernel after import") else b"")
