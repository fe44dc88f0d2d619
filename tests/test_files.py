"""Reading and writing tables: against the standard library's readers, on hostile text, and with every kind of fault."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import stat
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
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


FAULTS = [
    (b'{"summary": "a\n', "line 3: not JSON"),
    (b"hello\n", "line 3: not JSON"),
    (b'{"summary": "q"} xx\n', "line 3: not JSON: Extra data"),
    (b'{"summary": "q"} {"summary": "r"}\n', "line 3: not JSON: Extra data"),
    (b'{"score": NaN}\n', "line 3: not JSON: NaN"),
    (b"[1, 2]\n", "line 3: not a JSON object"),
    (b"5\n", "line 3: not a JSON object"),
    (b"null\n", "line 3: not a JSON object"),
    (b'{"summary": "a\xff"}\n', "line 3: invalid UTF-8 at byte 15"),
    (b'{"summary": "\\ud800"}\n', "line 3: half a surrogate pair"),
    (b'{"summary": 7}\n', "line 3: column 'summary' holds type number \\(found 7\\)"),
    (b'{"summary": ["a"]}\n', "line 3: column 'summary' holds type list of text"),
    (b'{"references": 5}\n', "line 3: column 'references' holds type number"),
    (b'{"references": "a"}\n', "line 3: column 'references' holds type text"),
    (b'{"references": {"a": 1}}\n', "line 3: column 'references' holds type object"),
    (b'{"references": ["a", 1]}\n', "line 3: column 'references' holds type list of mixed types"),
    (b'{"references": [["a"]]}\n', "line 3: column 'references' holds type list of list of text"),
]


@pytest.mark.parametrize(("line", "message"), FAULTS)
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_bad_line_is_named_or_skipped(tmp_path: Path, line: bytes, message: str, ending: str) -> None:
    content = GOOD + b"\n" + line + GOOD * 2
    path = file(tmp_path / f"t{ending}", gzip.compress(content) if ending.endswith(".gz") else content)
    with pytest.raises(InputError, match=message):
        files.load(path)
    source = files.open_source(path, on_error="skip")
    assert source.load().height == 3
    assert len(source.skipped) == 1
    assert "line 3: " in source.skipped[0]


def test_a_bad_line_far_down_is_found_before_the_first_row_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 5001: not JSON"):
        files.open_source(file(tmp_path / "t.jsonl", GOOD * 5000 + b"{\n" + GOOD))


def test_columns_that_hold_no_texts_may_mix(tmp_path: Path) -> None:
    path = file(tmp_path / "t.jsonl", b'{"summary": "a", "id": 1}\n{"summary": "b", "id": "x"}\n')
    assert files.load(path)["summary"].to_list() == ["a", "b"]
    with pytest.raises(InputError, match="line 1: column 'id' holds type number"):
        files.open_source(path, text=["id"])


def test_keys_and_nulls_that_come_late_are_kept(tmp_path: Path) -> None:
    path = file(tmp_path / "t.jsonl", b'{"summary": null}\n' * 3000 + b'{"summary": "a", "late": 1}\n')
    assert files.load(path).tail(1).to_dicts() == [{"summary": "a", "late": 1}]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert files.load(file(tmp_path / "t.jsonl", b"\xef\xbb\xbf" + GOOD)).columns == ["summary", "references", "source"]


@pytest.mark.parametrize("content", [b"\n \n", b"x\n", b'{"summary": 1}\n'])
def test_nothing_left_after_skipping_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"t\.jsonl: no line can be read($|; the first: .*t\.jsonl, line 1: )"):
        files.open_source(file(tmp_path / "t.jsonl", content), on_error="skip")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"summary,b\nx,y\na\xff,z\n", r"t\.csv, line 3: invalid UTF-8 at byte 2"),
        (b"summary,b\nx,y\n1,2,3\n", "row 1: .*line 3: 3 cells under a header of 2"),
        (b'summary,b\n"x,y\n', "line 2: not CSV: unexpected end of data"),
        (b'id,references\n1,"[""a""]"\n2,plain\n', r"column 'references', row 1: not a JSON list .*line 3.*'plain'"),
        (b'id,references\n1,"[""a""]"\n2,"[""a"""\n', "column 'references', row 1: not a JSON list"),
        (b'id,references\n1,"[""a""]"\n2,"[1]"\n', "column 'references', row 1: not a JSON list"),
    ],
)
def test_faults_of_csv_are_placed(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        files.load(file(tmp_path / "t.csv", content))


def invalid_strings() -> pa.Table:
    raw = pa.array([b"ok", b"a\xff", b"c"], pa.binary())
    return pa.table({"summary": pa.StringArray.from_buffers(3, raw.buffers()[1], raw.buffers()[2])})


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_invalid_utf8_in_arrow_files_is_placed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    if ending == ".parquet":
        pq.write_table(invalid_strings(), path)
    else:
        with pyarrow.ipc.new_file(str(path), invalid_strings().schema) as writer:
            writer.write_table(invalid_strings())
    with pytest.raises(InputError, match="column 'summary', row 1: invalid UTF-8"):
        files.load(path)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv"])
def test_an_empty_file_is_an_error(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InputError, match="the file is empty"):
        files.read(file(tmp_path / f"t{ending}", b""))


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_file_that_is_not_what_its_name_says_is_an_error(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InputError, match="not a readable"):
        files.load(file(tmp_path / f"t{ending}", b"this is no table at all, though it is long enough"))


def test_paths_that_name_no_table_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        files.read(tmp_path / "absent.parquet")
    with pytest.raises(InputError, match="no file matches"):
        files.read(tmp_path / "*.parquet")
    with pytest.raises(InputError, match="is a directory"):
        files.read(tmp_path)
    with pytest.raises(OptionError, match=r"unknown file ending '\.json'; one JSON object a line is \.jsonl"):
        files.read(file(tmp_path / "t.json", b"{}"))
    file(tmp_path / "t.csv", b"a\n1\n")
    file(tmp_path / "t.jsonl", b"{}\n")
    with pytest.raises(OptionError, match="several formats: csv, jsonl"):
        files.read(tmp_path / "t.[cj]s*[!n]")


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".jsonl", ".csv"])
def test_a_glob_reads_files_in_the_order_of_their_names(tmp_path: Path, ending: str) -> None:
    for name in "cab":
        files.write(table([{"summary": name, "references": [name]}] * 2), tmp_path / f"{name}{ending}")
    assert files.load(tmp_path / f"*{ending}")["summary"].to_list() == list("aabbcc")


def test_files_of_one_glob_must_agree(tmp_path: Path) -> None:
    file(tmp_path / "a.jsonl", b'{"references": ["a"]}\n')
    file(tmp_path / "b.jsonl", b'{"references": "a"}\n')
    with pytest.raises(InputError, match=r"column 'references': String in .*b\.jsonl but List\(String\) in .*a\.jsonl"):
        files.read(tmp_path / "*.jsonl")


def test_standard_input_is_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD * 3)))
    assert files.load("-").height == 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD + b"x\n")))
    with pytest.raises(InputError, match=r"stdin\.jsonl, line 2: not JSON"):
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
