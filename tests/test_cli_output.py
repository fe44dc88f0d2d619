"""What commands print: tables for papers, JSON for programs, help with examples, completion scripts."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gistmark as gm
from gistmark import files, tables
from gistmark.cli import _parser
from gistmark.cli.completion import SHELLS
from gistmark.cli.help import EXAMPLES, commands
from gistmark.cli.output import emphasised
from gistmark.studies import markdown
from gistmark_datasets import scitldr_sample

SAMPLE = str(scitldr_sample())
Run = Callable[..., tuple[int, str, str]]
CELL = st.text(alphabet="ab|\\ &%$#_{}~^<>é0.9-", max_size=8).map(str.strip)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    files.write(pl.read_parquet(SAMPLE).head(60), tmp_path / "pairs.parquet")
    return tmp_path / "pairs.parquet"


def means(pairs: Path) -> dict[str, float]:
    scored = gm.score(pl.read_parquet(pairs), ["rouge"])
    return dict(scored.group_by("system", maintain_order=True).agg(pl.col("rouge1_f1").mean()).rows())


def test_markdown_has_the_best_in_bold(cli: Run, pairs: Path) -> None:
    code, out, err = cli("score", pairs, "--metrics", "rouge", "--format", "markdown")
    assert (code, err) == (0, "")
    rows = {row.split(" | ")[0].strip("| "): row.split(" | ") for row in out.splitlines() if row.startswith("|")}
    at = rows["system"].index("rouge1_f1 mean")
    expected = means(pairs)
    best = max(expected.values())
    for system, value in expected.items():
        assert rows[system][at] == (f"**{value:.4f}**" if value == best else f"{value:.4f}")
    assert out.splitlines()[-1] == f"`{gm.metrics.rouge().signature}`"


def test_latex_compiles_in_form(cli: Run, pairs: Path) -> None:
    _, out, _ = cli("score", pairs, "--metrics", "rouge", "--format", "latex", "--intervals")
    assert out.count(r"\begin{tabular}{lrrrrrrrrr}") == out.count(r"\end{tabular}") == 1
    assert r"rouge1\_f1 mean" in out
    assert all(line.count("&") == 9 for line in out.splitlines() if line.endswith(r"\\"))
    assert out.count(r"\textbf{") == 9


def test_csv_is_the_frame(cli: Run, pairs: Path) -> None:
    _, out, _ = cli("score", pairs, "--metrics", "rouge", "--format", "csv")
    end = gm.summarise(gm.score(pl.read_parquet(pairs), ["rouge"]), ["rouge"], by="system")
    read = pl.read_csv(io.StringIO(out), schema=end.schema)
    assert read.equals(end)


def test_json_has_a_versioned_shape(cli: Run, pairs: Path, tmp_path: Path) -> None:
    _, out, _ = cli("score", pairs, "--metrics", "rouge", "--json", "--output", tmp_path / "o.parquet")
    found = json.loads(out)
    assert list(found) == ["schema", "gistmark", "skipped", "output", "by", "metrics", "table"]
    assert found["schema"] == "gistmark.score/1"
    assert found["metrics"] == [{"name": "rouge", "signature": gm.metrics.rouge().signature}]
    [line] = [one for one in found["table"] if one["field"] == "rouge1_f1" and one["group"] == {"system": "oracle"}]
    assert list(line) == [
        "group",
        "metric",
        "field",
        "statistic",
        "level",
        "value",
        "n",
        "n_null",
        "failure_rate",
        "marked",
    ]
    assert line["value"] == pytest.approx(means(pairs)["oracle"], rel=1e-12)


def test_json_stands_aside_for_data(cli: Run, pairs: Path) -> None:
    _, out, err = cli("score", pairs, "--metrics", "rouge", "--json", "--output", "-")
    assert len(out.splitlines()) == 60
    assert json.loads(err)["output"] == "-"


def test_differences_to_the_baseline_are_marked(cli: Run, tmp_path: Path) -> None:
    scored = gm.score(pl.read_parquet(SAMPLE).head(300), ["rouge"])
    files.write(scored, tmp_path / "s.parquet")
    arguments = ["compare", tmp_path / "s.parquet", "--metrics", "rouge", "--baseline", "lead1", "--format", "markdown"]
    _, out, _ = cli(*arguments)
    found = gm.compare(scored, ["rouge"], baseline="lead1").filter(field="rouge1_f1", system="oracle")
    mark = "‡" if found["p"].item() < 0.01 else "†" if found["p"].item() < 0.05 else ""
    assert mark
    assert f"**{found['value'].item():.4f}{mark} [" in out
    assert "Difference to the baseline: † p < 0.05, ‡ p < 0.01." in out


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_a_study_prints_as_asked_and_keeps_its_page(cli: Run, pairs: Path, tmp_path: Path, form: str) -> None:
    code, out, _ = cli("study", "scitldr", pairs, "--output", tmp_path / "s", "--format", form)
    page = (tmp_path / "s" / "table.md").read_text()
    assert code == 0
    assert out == {"markdown": page}.get(form, out)
    if form == "csv":
        [head, *lines] = csv.reader(io.StringIO(out))
        table = pl.read_parquet(tmp_path / "s" / "table.parquet")
        assert head == table.columns
        assert [line[0] for line in lines] == table["system"].to_list()


def test_quiet_is_quiet(cli: Run, pairs: Path, tmp_path: Path) -> None:
    assert cli("study", "scitldr", pairs, "--output", tmp_path / "s", "--quiet") == (0, "", "")
    assert cli("score", pairs, "--metrics", "rouge", "--quiet") == (0, "", "")


@settings(deadline=None)
@given(st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=4))
def test_any_cell_survives_the_page(rows: list[list[str]]) -> None:
    text = markdown.lines([["a", "b"], ["---", "---"], *rows])
    found = list(csv.reader(io.StringIO(tables.page(text, "csv"))))
    assert found == [["a", "b"], *rows]
    assert tables.page(text, "latex").count(r"\\" + "\n") == 1 + len(rows)


def test_best_is_of_fields_whose_direction_is_known() -> None:
    lines = [["a", "0.30", "12.0", "1"], ["b", "0.20†", "9.5", "2"]]
    table = tables.Table("", ["system", "rouge1_f1", "ter", "density"], lines)
    assert tables.marked(table).best == {(0, 1), (1, 2)}
    alone = tables.Table("", ["rouge1_f1"], [["0.3"], ["–"]])
    assert tables.marked(alone).best == frozenset()


def test_every_command_has_examples_that_parse() -> None:
    parser = _parser()
    assert {name for name, _ in commands(parser)} == set(EXAMPLES)
    for name, lines in EXAMPLES.items():
        for line in lines:
            words = shlex.split(line.split("|")[-1].split(">")[0])
            assert words[0] == "gistmark"
            assert " ".join(words[1:]).startswith(name)
            parser.parse_args(words[1:])


def test_help_shows_examples_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser().parse_args(["score", "--help"])
    assert "examples:\n" + "\n".join(f"  {line}" for line in EXAMPLES["score"]) in capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts_are_scripts(cli: Run, shell: str) -> None:
    code, out, _ = cli("completion", shell)
    assert code == 0
    assert "robustness" in out
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=out, text=True, check=True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_headings_are_bold_on_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "         lead1\nrouge\n  n  3"
    assert emphasised(text, Terminal()) == "         lead1\n\033[1mrouge\033[0m\n  n  3"
    assert emphasised(text, io.StringIO()) == text
    monkeypatch.setenv("NO_COLOR", "1")
    assert emphasised(text, Terminal()) == text


def test_a_null_group_stands_apart_from_the_text_none(cli: Run, tmp_path: Path) -> None:
    rows = [
        {"summary": "a cat", "references": ["a cat"], "system": None},
        {"summary": "x", "references": ["y"], "system": "None"},
    ]
    path = tmp_path / "n.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for form in ("text", "markdown", "latex"):
        _, out, _ = cli("score", path, "--metrics", "rouge", "--format", form)
        assert "(null)" in out, form
        assert "None" in out, form
        assert "1.0000" in out, form


def test_groups_that_look_like_nothing_or_move_the_cursor_are_named(cli: Run, tmp_path: Path) -> None:
    names = ["", "z", "\x1b[2J\nnext", "é"]
    frame = pl.DataFrame({"summary": ["a", "b", "c", "d"], "references": ["a", "b", "c", "d"], "system": names})
    frame.write_parquet(tmp_path / "p.parquet")
    for form in "text", "markdown", "latex":
        code, out, _ = cli("score", tmp_path / "p.parquet", "--metrics", "rouge", "--by", "system", "--format", form)
        assert code == 0
        assert "(empty)" in out, form
        assert "\x1b" not in out, form
        assert "all" not in out.split(), form
        assert "é" in out, form


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_standard_streams_may_be_closed(tmp_path: Path, closed: str) -> None:
    pl.DataFrame({"summary": ["a"], "references": ["a"]}).write_parquet(tmp_path / "p.parquet")
    output = tmp_path / "scored.parquet"
    command = [
        sys.executable,
        "-m",
        "gistmark",
        "score",
        str(tmp_path / "p.parquet"),
        "--output",
        str(output),
        "--quiet",
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *command], env=environment, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert pl.read_parquet(output)["rouge1_f1"].to_list() == [1.0]
