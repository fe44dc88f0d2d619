"""Scoring into a folder of parts: each there whole or not at all, whatever happens; resumed, never mixed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

import gistmark as gm
from gistmark import files
from gistmark.cli import job
from gistmark.files import input as inputs
from gistmark.files import parts
from gistmark_datasets import scitldr_sample

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., subprocess.Popen[bytes]]
METRICS = ("--metrics", "rouge,datastats")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of two batches, read a little more than one at a time."""
    monkeypatch.setattr(parts, "ROWS", 66)
    monkeypatch.setattr(inputs, "STEP", 40)
    monkeypatch.setattr(job, "ROWS", 33)


def pairs(rows: int = 300) -> pl.DataFrame:
    return pl.read_parquet(scitldr_sample()).head(rows)


def scored(folder: Path) -> pl.DataFrame:
    return pl.scan_parquet(folder / "**/*.parquet").collect()


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv"])
def test_parts_hold_what_one_file_would(cli: Run, tmp_path: Path, ending: str) -> None:
    files.write(pairs(), tmp_path / f"in{ending}")
    assert cli("score", tmp_path / f"in{ending}", *METRICS, "--output", tmp_path / "one.parquet")[0] == 0
    code, out, err = cli("score", tmp_path / f"in{ending}", *METRICS, "--output", f"{tmp_path}/parts/")
    assert (code, err) == (0, "")
    assert out == cli("score", tmp_path / f"in{ending}", *METRICS)[1]
    assert names(tmp_path / "parts") == [f"in-0000{part}.parquet" for part in range(5)]
    assert scored(tmp_path / "parts").equals(pl.read_parquet(tmp_path / "one.parquet"))
    signatures = list(gm.signature(["rouge", "datastats"]).values())
    assert files.signatures(tmp_path / "parts" / "in-00004.parquet") == signatures


@pytest.mark.usefixtures("small")
def test_a_partitioned_folder_keeps_its_folders_and_gains_their_values(cli: Run, tmp_path: Path) -> None:
    for (system,), group in pairs().group_by("system"):
        (tmp_path / "in" / f"system={system}").mkdir(parents=True)
        files.write(group.drop("system"), tmp_path / "in" / f"system={system}" / "x.parquet")
    code, out, _ = cli("score", tmp_path / "in", *METRICS, "--output", f"{tmp_path}/out/")
    assert code == 0
    assert out.splitlines()[0].split() == ["lead1", "oracle", "title"]
    assert names(tmp_path / "out")[0] == "system=lead1/x-00000.parquet"
    whole = gm.score(pairs(), ["rouge", "datastats"]).sort("system", "doc_id")
    assert scored(tmp_path / "out").select(whole.columns).sort("system", "doc_id").equals(whole)


def test_a_file_without_rows_makes_a_part_without_rows(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(0), tmp_path / "in.parquet")
    assert cli("score", tmp_path / "in.parquet", "--output", f"{tmp_path}/out/")[0] == 0
    assert scored(tmp_path / "out").equals(gm.score(pairs(0)))


@pytest.mark.usefixtures("small")
def test_a_resumed_job_makes_only_what_is_missing(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(), tmp_path / "in.parquet")
    command = ("score", tmp_path / "in.parquet", *METRICS, "--output", f"{tmp_path}/out/")
    _, table, _ = cli(*command)
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    times = {path: path.stat().st_mtime_ns for path in before}
    for part in (1, 2, 4):
        (tmp_path / "out" / f"in-0000{part}.parquet").unlink()
    (tmp_path / "out" / ".in-00001.parquet.1234abcd.part").write_bytes(b"half")
    assert cli(*command)[0] == 2
    assert cli(*command, "--resume") == (0, table, "")
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    kept = [path for path in before if path.stat().st_mtime_ns == times[path]]
    assert sorted(path.name for path in kept) == ["in-00000.parquet", "in-00003.parquet"]


@pytest.mark.usefixtures("small")
def test_parts_of_different_jobs_are_not_mixed(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(), tmp_path / "in.parquet")
    base = ("score", tmp_path / "in.parquet", "--output", f"{tmp_path}/out/")
    cli(*base, *METRICS)
    (tmp_path / "out" / "in-00003.parquet").unlink()
    kept = names(tmp_path / "out")
    refusals = {
        "this job scores by rouge": ("--metrics", "rouge"),
        "types:1,Lsum": (*METRICS, "--set", "rouge.types=1,Lsum"),
        "an option of the job": (*METRICS, "--references", "source"),
    }
    for message, options in refusals.items():
        code, _, err = cli(*base, *options, "--resume")
        assert (code, message in err, err.count("\n")) == (2, True, 1), err
    files.write(pairs(3), tmp_path / "out" / "a.parquet")
    assert "a.parquet is no part of this job" in cli(*base, *METRICS, "--resume")[2]
    (tmp_path / "out" / "a.parquet").unlink()
    files.write(pairs(299), tmp_path / "in.parquet")
    assert "has changed since" in cli(*base, *METRICS, "--resume")[2]
    assert names(tmp_path / "out") == kept


@pytest.mark.usefixtures("small")
def test_other_files_in_a_folder_of_parts_are_left_alone_and_told_of(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(), tmp_path / "in.parquet")
    command = ("score", tmp_path / "in.parquet", *METRICS, "--output", f"{tmp_path}/out/")
    _, table, _ = cli(*command)
    (tmp_path / "out" / "in-00003.parquet").unlink()
    usual = (
        "_SUCCESS",
        ".DS_Store",
        ".in-00003.parquet.part",
        ".other.parquet.1234abcd.part",
        "_log/0.json",
        ".git/config",
    )
    for name in usual:
        (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "out" / name).write_bytes(b"")
    assert cli(*command, "--resume") == (0, table, "")
    (tmp_path / "out" / "logs").mkdir()
    for name in ("run.log", "logs/ray.txt"):
        (tmp_path / "out" / name).write_text("hello")
    said = f"^output {tmp_path}/out/ holds what is no part, and is left alone: logs/ray.txt and 1 more$"
    with pytest.warns(UserWarning, match=said):
        assert cli(*command, "--resume") == (0, table, "")
    assert {*usual, "run.log", "logs/ray.txt", "in-00003.parquet"} <= set(names(tmp_path / "out"))
    assert cli("score", tmp_path / "out", "--metrics", "ter")[0] == 0


@pytest.mark.parametrize("output", ["out/one.parquet", "out/"])
def test_batches_of_another_size_give_the_same(cli: Run, tmp_path: Path, output: str) -> None:
    files.write(pairs(), tmp_path / "in.parquet")
    (tmp_path / "out").mkdir()
    command = ("score", tmp_path / "in.parquet", *METRICS)
    _, table, _ = cli(*command)
    assert cli(*command, "--batch-rows", 7, "--output", f"{tmp_path}/{output}") == (0, table, "")
    assert scored(tmp_path / "out").equals(gm.score(pairs(), ["rouge", "datastats"]))


def test_parts_of_unlike_files_are_refused_before_work(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(5), tmp_path / "a.parquet")
    files.write(pairs(5).with_columns(pl.lit(1).alias("human")), tmp_path / "b.parquet")
    code, _, err = cli("score", tmp_path / "*.parquet", "--output", f"{tmp_path}/out/")
    assert code == 2
    assert "column 'human': Int32 in" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [["--resume"], ["--engine", "ray"], ["--output", "x.parquet", "--engine", "spark"]])
def test_parts_need_a_folder(cli: Run, options: list[str]) -> None:
    code, _, err = cli("score", scitldr_sample(), *options)
    assert (code, "ends with a slash" in err) == (2, True)


def test_a_row_that_cannot_be_scored_leaves_the_parts_before_it(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "ROWS", 2)
    monkeypatch.setattr(job, "ROWS", 2)
    trees = ["(S (NN a))"] * 5 + ["(S (NN a)"]
    files.write(pl.DataFrame({"summary": trees}), tmp_path / "in.parquet")
    options = ("--metrics", "syntax", "--set", "syntax.backend=const", "--output", f"{tmp_path}/out/")
    code, _, err = cli("score", tmp_path / "in.parquet", *options)
    assert code == 2
    assert "row 5" in err
    assert names(tmp_path / "out") == ["in-00000.parquet", "in-00001.parquet"]


def test_a_job_killed_ten_times_goes_on_to_the_same_result(cli_process: Start, tmp_path: Path) -> None:
    """The parts that are visible at a kill are whole and stay as they are; nothing else is visible."""
    (tmp_path / "in").mkdir()
    for file in range(60):
        files.write(pairs(900).slice(10 * file), tmp_path / "in" / f"{file:02}.parquet")

    def start(folder: str, *more: str) -> subprocess.Popen[bytes]:
        options = (*METRICS, "--output", f"{tmp_path}/{folder}/", *more)
        return cli_process("score", tmp_path / "in", *options, stdout=subprocess.PIPE)

    def seen() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / "killed").glob("*.parquet")}

    table, _ = start("whole").communicate(timeout=200)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    moments = random.Random(0)
    for _ in range(10):
        wanted = len(seen()) + moments.randrange(4)
        process = start("killed", "--resume")
        while len(seen()) < wanted and process.poll() is None:
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.03))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        assert seen().items() <= whole.items()
    assert 10 <= len(seen()) < len(whole)
    assert start("killed", "--resume").communicate(timeout=200)[0] == table
    assert {path.name: path.read_bytes() for path in (tmp_path / "killed").iterdir()} == whole


def test_urls_are_read_where_they_lie(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(20), tmp_path / "in.parquet")
    assert cli("score", f"file://{tmp_path}/in.parquet", "--output", f"{tmp_path}/out/")[0] == 0
    assert scored(tmp_path / "out").equals(gm.score(pairs(20)))
    code, _, err = cli("score", f"file://{tmp_path}/absent.parquet")
    assert (code, err.count("\n")) == (2, 1)
    assert "absent.parquet" in err
    assert "only Parquet is read" in cli("score", "s3://bucket/in.csv")[2]


@pytest.mark.usefixtures("small")
def test_parts_are_read_by_other_readers(cli: Run, tmp_path: Path) -> None:
    files.write(pairs(), tmp_path / "in.parquet")
    cli("score", tmp_path / "in.parquet", "--output", f"{tmp_path}/out/")
    assert pq.read_table(tmp_path / "out").num_rows == 300
    assert not [name for name in os.listdir(tmp_path / "out") if not name.endswith(".parquet")]
