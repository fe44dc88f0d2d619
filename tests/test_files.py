"""Reading and writing tables: against the standard library's readers, on hostile text, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
from pathlib import Path

import polars as pl
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gistmark import files
from gistmark_engine.errors import InputError, OptionError

TEXT = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ROW = st.fixed_dictionaries({"summary": TEXT, "references": st.none() | st.lists(TEXT, max_size=3)})
ROWS = st.lists(ROW, min_size=1)
SCHEMA = {"summary": pl.String, "references": pl.List(pl.String)}
ENDINGS = [".parquet", ".pq", ".arrow", ".feather", ".jsonl", ".ndjson", ".csv", ".jsonl.gz", ".csv.gz"]
HOSTILE = [
    {"summary": 'a "quoted", comma\r\nand lines\n', "references": ["x", "", None, "[1]", "é\u0301 漢字 \U0001f600"]},
    {"summary": "", "references": []},
    {"summary": None, "references": None},
    {"summary": "\u2028 \x00 \t", "references": ["\\", '"', "a,b\nc"]},
]
GOOD = b'{"summary": "a b", "references": ["a", "b"], "source": "x"}\n'

moderate = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def table(rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    frame = table(HOSTILE)
    files.write(frame, tmp_path / f"t{ending}")
    assert files.load(tmp_path / f"t{ending}").equals(frame)
    assert files.read(str(tmp_path / f"t{ending}")).collect().equals(frame)


@moderate
@given(ROWS)
def test_json_lines_agree_with_json(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    read = files.load(path)
    assert read.to_dicts() == rows
    files.write(read, path)
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]] == rows


@moderate
@given(ROWS)
def test_csv_agrees_with_csv(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    path = tmp_path / "t.csv"
    files.write(table(rows), path)
    with path.open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    assert [record["summary"] for record in records] == [row["summary"] or "" for row in rows]
    cells = [record["references"] for record in records]
    assert [json.loads(cell) if cell else None for cell in cells] == [row["references"] for row in rows]
    if any(row["references"] is not None for row in rows):
        assert files.load(path).to_dicts() == rows


def test_csv_written_by_others_is_read(tmp_path: Path) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerows([["id", "summary", "references"], ["007", "a", json.dumps(["x", None])], ["1e5", "", "[]"]])
    frame = files.load(file(tmp_path / "t.csv", stream.getvalue().encode("utf-8-sig")))
    assert frame.to_dicts() == [
        {"id": "007", "summary": "a", "references": ["x", None]},
        {"id": "1e5", "summary": None, "references": []},
    ]


def test_plain_references_in_csv_stay_strings(tmp_path: Path) -> None:
    frame = files.load(file(tmp_path / "t.csv", b"references\n[Verse 1] a song\n"))
    assert frame["references"].to_list() == ["[Verse 1] a song"]


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv"])
def test_a_glob_reads_files_in_the_order_of_their_names(tmp_path: Path, ending: str) -> None:
    for name in "cab":
        files.write(table([{"summary": name, "references": [name]}] * 2), tmp_path / f"{name}{ending}")
    assert files.load(tmp_path / f"*{ending}")["summary"].to_list() == list("aabbcc")


def test_standard_input_is_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD * 3)))
    assert files.load("-").height == 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD + b"x\n")))
    with pytest.raises(InputError, match=r"^standard input, line 2: not JSON"):
        files.load("-")


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv"])
def test_batches_are_the_table_in_order(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"summary": [str(row) for row in range(5000)]})
    files.write(frame, tmp_path / f"t{ending}")
    batches = list(files.open_source(tmp_path / f"t{ending}").batches(300))
    assert max(batch.height for batch in batches) <= 300
    assert pl.concat(batches).equals(frame)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_signatures_travel_in_the_schema(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    files.write(table(HOSTILE), path, signatures=["rouge|stem:no", "é"])
    schema = pq.read_schema(path) if ending == ".parquet" else pyarrow.ipc.open_file(str(path)).schema
    assert json.loads(schema.metadata[b"gistmark_signatures"]) == ["rouge|stem:no", "é"]
    assert files.signatures(path) == ["rouge|stem:no", "é"]


def test_enums_structs_and_dates_survive(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "risk": pl.Series(["low", None], dtype=pl.Enum(["low", "high"])),
            "meta": [{"a": 1}, None],
            "day": pl.Series(["2020-02-29", None]).str.to_date(),
        }
    )
    for ending in (".parquet", ".arrow"):
        files.write(frame, tmp_path / f"t{ending}")
        assert files.load(tmp_path / f"t{ending}").equals(frame)
        assert files.load(tmp_path / f"t{ending}").schema == frame.schema
    files.write(frame, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == 'risk,meta,day\nlow,"{""a"": 1}",2020-02-29\n,,\n'


def fail_midway(path: Path, failure: type[BaseException]) -> None:
    with files.sink(path, table([])) as put:
        put(table(HOSTILE))
        assert len(list(path.parent.iterdir())) == 2
        raise failure


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, ending: str, failure: type[BaseException]
) -> None:
    path = file(tmp_path / f"t{ending}", b"old")
    with pytest.raises(failure):
        fail_midway(path, failure)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"old"


def test_an_output_has_the_usual_permissions_and_follows_links(tmp_path: Path) -> None:
    files.write(table(HOSTILE), tmp_path / "t.csv")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "t.csv").stat().st_mode) == 0o666 & ~umask
    (tmp_path / "link.csv").symlink_to(tmp_path / "t.csv")
    files.write(table([]), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "t.csv").read_text() == "summary,references\n"


def test_outputs_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"directory .*absent does not exist"):
        files.check_output(tmp_path / "absent" / "t.parquet")
    with pytest.raises(OptionError, match="is a directory"):
        files.check_output(tmp_path)
    with pytest.raises(OptionError, match=r"unknown file ending '\.xlsx'"):
        files.check_output(tmp_path / "t.xlsx")
    with pytest.raises(OptionError, match=r"plain or as \.gz"):
        files.check_output(tmp_path / "t.csv.zst")
    if os.geteuid():
        tmp_path.chmod(0o500)
        with pytest.raises(OptionError, match="cannot be written"):
            files.check_output(tmp_path / "t.parquet")
