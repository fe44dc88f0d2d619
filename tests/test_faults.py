"""Tables that cannot be read: the fault is named with its file and line or row, before work starts where it can be."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from gistmark import files
from gistmark_engine.errors import InputError, OptionError

GOOD = b'{"summary": "a b", "references": ["a", "b"], "source": "x"}\n'


def file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


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
    assert "line 3: " in str(source.skipped[0])


def test_a_bad_line_far_down_is_found_before_the_first_row_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 5001: not JSON"):
        files.open_source(file(tmp_path / "t.jsonl", GOOD * 5000 + b"{\n" + GOOD))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("1", '"x"', r"column 'id' holds type text \(found 'x'\) where earlier lines hold type number"),
        ('"x"', "1.5", "column 'id' holds type number .* hold type text"),
        ("true", "1", "column 'id' holds type number .* hold type boolean"),
        ("1", "[1]", "column 'id' holds type list .* hold type number"),
        ('"x"', '{"a": 1}', "column 'id' holds type object .* hold type text"),
        ("[1]", '["x"]', r"column 'id\[\]' holds type text .* hold type number"),
        ('{"a": {"b": 1}}', '{"a": {"b": "x"}}', "column 'id.a.b' holds type text .* hold type number"),
        ("null", '["x", 1]', r"column 'id\[\]' holds type number .* hold type text"),
    ],
)
def test_columns_that_are_not_scored_keep_their_values(tmp_path: Path, first: str, second: str, message: str) -> None:
    """Polars would make both values one type: 1 beside "x" would come back as "1"."""
    rows = [f'{{"summary": "a", "id": {value}}}\n' for value in (first, "null", second, first)]
    path = file(tmp_path / "t.jsonl", "".join(rows).encode())
    with pytest.raises(InputError, match=f"line 3: {message}"):
        files.load(path)
    source = files.open_source(path, on_error="skip")
    assert source.load().height == 3
    assert source.skipped[0].where.endswith("line 3")
    apart = [file(tmp_path / f"{k}.jsonl", f'{{"id": {value}}}\n'.encode()) for k, value in enumerate((first, second))]
    if first != "null":
        with pytest.raises(InputError, match=f"column 'id': .* in .*{apart[1].name} but .* in .*{apart[0].name}"):
            files.open_source(tmp_path / "[01].jsonl")


def test_numbers_may_be_whole_or_not_and_objects_may_lack_keys(tmp_path: Path) -> None:
    path = file(
        tmp_path / "t.jsonl", b'{"id": 1, "a": {"x": 1}}\n{"id": 1.5, "a": {"y": ["z"]}}\n{"id": null, "a": {}}\n'
    )
    assert files.load(path)["id"].to_list() == [1.0, 1.5, None]
    assert files.load(path)["a"].to_list()[1] == {"x": None, "y": ["z"]}
    with pytest.raises(InputError, match="line 1: column 'id' holds type number"):
        files.open_source(path, text=["id"])


def test_keys_and_nulls_that_come_late_are_kept(tmp_path: Path) -> None:
    path = file(tmp_path / "t.jsonl", b'{"summary": null}\n' * 3000 + b'{"summary": "a", "late": 1}\n')
    assert files.load(path).tail(1).to_dicts() == [{"summary": "a", "late": 1}]


def test_columns_keep_their_order(tmp_path: Path) -> None:
    names = [f"column {9 - at % 10}{at}" for at in range(40)]
    files.write(pl.DataFrame({name: ["a"] * 3000 for name in names}), tmp_path / "t.jsonl")
    assert files.load(tmp_path / "t.jsonl").columns == names


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
        (b'id,references\n1,"[""a""]"\n2,plain\n', r"column 'references', row 1: not a JSON list .*'plain'.*line 3"),
        (b'id,references\n1,"[""a""]"\n2,"[""a"""\n', "column 'references', row 1: not a JSON list"),
        (b'id,references\n1,"[""a""]"\n2,"[1]"\n', "column 'references', row 1: not a JSON list"),
        (
            b"references\n" + b"plain\n" * 3000 + b'"[""a""]"\n',
            r"column 'references', row 3000: a JSON list among texts \(found '\[\"a\"\]'\) .*line 3002",
        ),
        (b"id,summary,id,b,b\n1,a,2,c,d\n", "column 'id': .*t\\.csv, line 1: 2 columns are called so"),
    ],
)
def test_faults_of_csv_are_placed(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        files.load(file(tmp_path / "t.csv", content))


def test_lists_are_told_from_texts_by_the_whole_column_of_csv(tmp_path: Path) -> None:
    """A summary may be a JSON list by chance; only references are lists by their first cell."""
    content = b'summary,tags,references\n"[""a""]",,\nb,"[""x""]","[1] a"\n"[""c""]","[""y""]",[2]\n'
    assert files.load(file(tmp_path / "t.csv", content)).to_dict(as_series=False) == {
        "summary": ['["a"]', "b", '["c"]'],
        "tags": [None, ["x"], ["y"]],
        "references": [None, "[1] a", "[2]"],
    }
    (tmp_path / "t.csv").unlink()
    file(tmp_path / "a.csv", b'gold\n"[""a""]"\n')
    file(tmp_path / "b.csv", b"gold\nplain\n")
    with pytest.raises(InputError, match=r"column 'gold', row 0: not a JSON list .*b\.csv, line 2"):
        files.open_source(tmp_path / "*.csv", references="gold").load()


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
    with pytest.raises(InputError, match="is a directory without a Parquet file"):
        files.read(tmp_path)
    with pytest.raises(OptionError, match=r"unknown file ending '\.json'; one JSON object a line is \.jsonl"):
        files.read(file(tmp_path / "t.json", b"{}"))
    file(tmp_path / "t.csv", b"a\n1\n")
    file(tmp_path / "t.jsonl", b"{}\n")
    with pytest.raises(OptionError, match="several formats: csv, jsonl"):
        files.read(tmp_path / "t.[cj]s*[!n]")


def test_files_of_one_glob_must_agree(tmp_path: Path) -> None:
    file(tmp_path / "a.jsonl", b'{"references": ["a"]}\n')
    file(tmp_path / "b.jsonl", b'{"references": "a"}\n')
    with pytest.raises(InputError, match=r"column 'references': String in .*b\.jsonl but List\(String\) in .*a\.jsonl"):
        files.read(tmp_path / "*.jsonl")
