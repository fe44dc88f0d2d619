"""The command line: what it computes and where it writes."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import gistmark as gm
from gistmark import files
from gistmark.cli import job, main, options, warmup
from gistmark.cli.table import render
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import OptionError
from gistmark_engine.jit import cache_directory

SAMPLE = str(scitldr_sample())
GOOD = '{"summary": "a cat", "references": ["a cat sat", "cats"], "source": "a cat sat here"}\n'

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(scope="session")
def scored() -> pl.DataFrame:
    return gm.score(pl.read_parquet(SAMPLE))


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv", ".csv.gz"])
def test_the_output_is_what_score_returns(cli: Run, tmp_path: Path, scored: pl.DataFrame, ending: str) -> None:
    path = tmp_path / f"scored{ending}"
    assert cli("score", SAMPLE, "--output", path, "--quiet") == (0, "", "")
    written = files.load(path)
    if ending.startswith(".csv"):
        flags = pl.selectors.by_dtype(pl.Boolean)
        written = written.with_columns(pl.col(scored.select(flags).columns).str.to_lowercase() == "true")
        written = written.cast(scored.schema)
    elif ending == ".jsonl":
        written = written.cast(scored.schema)
    assert written.columns == scored.columns
    assert written.equals(scored)


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_batches_change_nothing(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    pairs = pl.read_parquet(SAMPLE).head(20)
    files.write(pairs, tmp_path / "pairs.parquet")
    monkeypatch.setattr(job, "ROWS", rows)
    assert cli("score", tmp_path / "pairs.parquet", "--output", tmp_path / "o.parquet", "--threads", 2)[0] == 0
    assert pl.read_parquet(tmp_path / "o.parquet").equals(gm.score(pairs))


@pytest.mark.parametrize("parts", [False, True])
def test_texts_without_tokens_are_named_once_by_their_place_in_the_file(cli: Run, tmp_path: Path, parts: bool) -> None:
    """However many batches there are: the first such row, and how many more."""
    summaries = ["a cat"] * 11
    summaries[5] = summaries[6] = summaries[10] = "кот"
    files.write(pl.DataFrame({"summary": summaries, "references": ["a"] * 11}), tmp_path / "pairs.parquet")
    output = f"{tmp_path}/out/" if parts else tmp_path / "out.parquet"
    with pytest.warns(UserWarning, match="column 'summary', row 5 and 2 more: the text has letters") as caught:
        code, _, _ = cli(
            "score", tmp_path / "pairs.parquet", "--metrics", "rouge", "--batch-rows", 2, "--output", output
        )
    assert (code, len(caught)) == (0, 1)


def test_the_table_holds_means_by_system(cli: Run, scored: pl.DataFrame) -> None:
    code, out, err = cli("score", SAMPLE)
    assert (code, err) == (0, "")
    lines = {" ".join(line.split()[:2]): line.split()[2:] for line in out.splitlines() if line.startswith("  ")}
    means = scored.group_by("system", maintain_order=True).agg(pl.col("rouge2_f1", "coverage").mean())
    assert out.splitlines()[0].split() == means["system"].to_list() == ["lead1", "oracle", "title"]
    assert lines["rouge2_f1 mean"] == [f"{value:.4f}" for value in means["rouge2_f1"]]
    assert lines["coverage mean"] == [f"{value:.4f}" for value in means["coverage"]]
    assert "ar1 mean" not in lines
    assert out.splitlines()[-3:] == list(gm.signature(["rouge", "datastats", "abstraction"]).values())


def test_the_table_counts_values_and_nulls(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(GOOD * 3 + '{"summary": null, "references": ["a"], "source": "b", "team": "x"}\n')
    _, out, _ = cli("score", path, "--metrics", "rouge")
    assert [line.split() for line in out.splitlines() if line.strip().startswith("n")] == [["n", "3"], ["n_null", "1"]]
    _, out, _ = cli("score", path, "--metrics", "rouge", "--by", "team")
    assert out.splitlines()[0].split() == ["(null)", "x"]
    assert [line.split() for line in out.splitlines() if " n_null" in line] == [["n_null", "0", "1"]]


def test_groups_side_by_side_start_a_new_block_after_eight() -> None:
    frame = pl.DataFrame({"summary": ["a"] * 9, "references": ["a"] * 9, "team": [f"team {row}" for row in range(9)]})
    text = render(gm.summarise(gm.score(frame, ["rouge"]), ["rouge"], "team"), ["team"])
    assert [block.splitlines()[0].split()[-1] for block in text.split("\n\n")[:2]] == ["7", "8"]
    assert "score" not in text.splitlines()[0]


def test_metrics_default_to_those_whose_columns_are_there(cli: Run, tmp_path: Path) -> None:
    files.write(pl.read_parquet(SAMPLE).head(9).drop("references"), tmp_path / "t.parquet")
    cli("score", tmp_path / "t.parquet", "--output", tmp_path / "o.parquet")
    assert [signature.split("|")[0] for signature in files.signatures(tmp_path / "o.parquet")] == [
        "datastats",
        "abstraction",
    ]


def test_columns_are_named_by_option(cli: Run, tmp_path: Path, scored: pl.DataFrame) -> None:
    names = {"summary": "decoded", "references": "gold", "source": "article"}
    files.write(pl.read_parquet(SAMPLE).rename(names), tmp_path / "t.parquet")
    arguments = [text for role, column in names.items() for text in (f"--{role}", column)]
    assert cli("score", tmp_path / "t.parquet", *arguments, "--output", tmp_path / "o.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "o.parquet").equals(scored.rename(names))


def test_options_reach_the_metric(cli: Run, tmp_path: Path) -> None:
    settings = ["--set", "rouge.stem=true", "--set", "rouge.types=1,Lsum"]
    assert cli("score", SAMPLE, "--metrics", "rouge", *settings, "--output", tmp_path / "a.parquet")[0] == 0
    (tmp_path / "m.toml").write_text('[rouge]\nstem = true\ntypes = ["1", "Lsum"]\n')
    assert cli("score", SAMPLE, "--config", tmp_path / "m.toml", "--output", tmp_path / "b.parquet")[0] == 0
    wanted = gm.score(pl.read_parquet(SAMPLE), [gm.metrics.rouge(types=("1", "Lsum"), stem=True)])
    for name in ("a.parquet", "b.parquet"):
        assert pl.read_parquet(tmp_path / name).equals(wanted)
        assert files.signatures(tmp_path / name) == [gm.metrics.rouge(types=("1", "Lsum"), stem=True).signature]


def test_a_config_holds_variants_of_one_metric(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('[[rouge]]\n[[rouge]]\nstem = true\nprefix = "stem_"\n')
    plain, stemmed = options.from_file(str(tmp_path / "m.toml"))
    assert plain.signature == gm.metrics.rouge().signature
    assert stemmed.signature == gm.metrics.rouge(stem=True, prefix="stem_").signature


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("yes", bool, True),
        ("False", bool, False),
        ("3", int, 3),
        ("0.5", float, 0.5),
        ("none", int | None, None),
        ("500", int | None, 500),
        ("1, 2,L", tuple[str, ...], ("1", "2", "L")),
        ("0.8,1.2", tuple[float, ...], (0.8, 1.2)),
        ("a,b", list[str] | None, ("a", "b")),
    ],
)
def test_texts_are_typed(text: str, kind: Any, value: object) -> None:
    parsed = options.parse(text, kind, "x")
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("text", "kind"), [("maybe", bool), ("1.5", int), ("x", float | None), ("x", Callable[[], int])]
)
def test_texts_of_the_wrong_type_are_refused(text: str, kind: Any) -> None:
    with pytest.raises(OptionError, match=r"rouge\.stem (takes|cannot)"):
        options.parse(text, kind, "rouge.stem")


def test_standard_input_and_output_are_json_lines(cli_process: Start) -> None:
    process = cli_process(
        "score", "-", "--output", "-", "--metrics", "rouge", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    out, err = process.communicate((GOOD * 3).encode())
    assert process.returncode == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["summary"] for row in rows] == ["a cat"] * 3
    assert all(0 < row["rouge1_f1"] <= 1 for row in rows)
    assert b"rouge1_f1 mean" in err


WRITING = {
    "data": ["score", SAMPLE, "--output", "-", "--quiet"],
    "a table": ["score", SAMPLE, "--metrics", "rouge"],
    "a list": ["metrics"],
}


@pytest.mark.parametrize("case", WRITING)
def test_a_closed_pipe_ends_a_command_in_silence(cli_process: Start, case: str) -> None:
    read, write = os.pipe()
    os.close(read)
    process = cli_process(*WRITING[case], stdout=write)
    os.close(write)
    assert process.communicate()[1] == b""
    assert process.returncode == 141


def test_another_pipe_that_breaks_is_said() -> None:
    broken = "from gistmark.cli import main, metrics\ndef fail(): raise BrokenPipeError(32, 'a worker has gone')\n"
    code = f"import sys\n{broken}metrics.catalogue = fail\nsys.exit(main(['metrics']))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "gistmark: [Errno 32] a worker has gone\n")


def test_a_full_disk_is_said(cli_process: Start) -> None:
    with open("/dev/full", "wb") as full:
        process = cli_process("metrics", stdout=full)
        said = process.communicate()[1].decode()
        assert said.startswith("gistmark: [Errno 28] No space left on device; make room where the output goes and in ")
    assert process.returncode == 1


def test_progress_is_for_terminals_alone(cli_process: Start) -> None:
    piped = cli_process("score", SAMPLE, "--metrics", "rouge", stdout=subprocess.DEVNULL)
    assert piped.communicate()[1] == b""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    shown = cli_process("score", SAMPLE, "--metrics", "rouge", stdout=subprocess.DEVNULL, stderr=theirs)
    assert shown.wait() == 0
    assert select.select([ours], [], [], 0)[0]
    assert b" pairs" in os.read(ours, 100_000)
    os.close(theirs)
    os.close(ours)


def test_metrics_are_listed(cli: Run) -> None:
    code, out, _ = cli("metrics")
    assert code == 0
    assert all(f"\n{name}\n" in f"\n{out}" for name in gm.catalogue())
    listed = {entry["name"]: entry for entry in json.loads(cli("metrics", "--json")[1])}
    for name, metric in gm.catalogue().items():
        assert listed[name]["signature"] == metric.signature
        assert list(listed[name]["fields"]) == list(metric.fields)
        assert list(listed[name]["options"]) == list(options.options_of(name))


def test_metrics_are_listed_by_name(cli: Run) -> None:
    assert (
        cli("metrics", "bleu")[1]
        == next(part for part in cli("metrics")[1].split("\n\n") if part.startswith("bleu\n")) + "\n"
    )
    assert [entry["name"] for entry in json.loads(cli("metrics", "ter", "rouge", "--json")[1])] == ["ter", "rouge"]


def test_listing_metrics_loads_no_compiler() -> None:
    code = "import sys; from gistmark.cli import main; main(['metrics']); sys.exit('numba' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.DEVNULL)


def test_a_warm_up_says_where_kernels_are_kept(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "compile_kernels", lambda: None)
    assert cli("warmup") == (0, f"kernels compiled in 0.0 s, kept in {cache_directory()}\n", "")


def test_kernels_are_cleared(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    one = "import gistmark as gm, polars as pl; pl.DataFrame({'x': [[1.0]]}).select(gm.monotonicity('x', 'increase'))"
    subprocess.run([sys.executable, "-c", one], env=environment, check=True)
    kept = len(list(tmp_path.rglob("*.nb?")))
    assert kept > 0
    clear = [sys.executable, "-m", "gistmark.cli", "cache", "clear"]
    cleared = subprocess.run(clear, env=environment, capture_output=True, text=True, check=True)
    assert cleared.stdout == f"removed {kept} files from {tmp_path / 'gistmark'}\n"
    assert list(tmp_path.rglob("*.nb?")) == []


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"gistmark {gm.__version__}\n"
