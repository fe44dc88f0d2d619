"""Tables of one's own, and tables and files with faults, which are named by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from published import ARXIV, lines, only, text

import gistmark_datasets as datasets
from gistmark_datasets import DatasetError


def test_any_table_with_its_columns_named(tmp_path: Path) -> None:
    rows = [{"id": k, "doc": "A b.", "gold": "A.", "out": "B.", "who": "m", "note": {"k": k}} for k in range(2)]
    names = {"doc_id": "id", "source": "doc", "references": "gold", "summary": "out", "system": "who"}
    frame = datasets.generic(lines(tmp_path / "t.jsonl", rows), **names)
    assert only(frame) == {
        "corpus": "generic", "split": None, "doc_id": "0", "system": "m", "source": "A b.", "summary": "B.",
        "references": ["A."], "meta": {"note": {"k": 0}},
    }  # fmt: skip
    cells = text(tmp_path / "t.csv", 'references,summary,human\n"[""a"", ""b""]",c,"{""x"": 1}"\n')
    row = only(datasets.generic(cells))
    assert (row["references"], row["human"], row["doc_id"]) == (["a", "b"], {"x": 1}, "t-1")
    assert "source" not in row


def test_what_json_cannot_say_is_text_or_refused(tmp_path: Path) -> None:
    table = pl.DataFrame({"summary": ["a", "b"], "day": ["2020-02-29", None], "score": [0.5, float("nan")]})
    table.with_columns(pl.col("day").str.to_date()).write_parquet(tmp_path / "t.parquet")
    assert only(datasets.generic(tmp_path / "t.parquet").head(1))["meta"] == {"day": "2020-02-29", "score": 0.5}
    with pytest.raises(DatasetError, match=r"t\.parquet, row 1: NaN or an infinity"):
        datasets.generic(tmp_path / "t.parquet").collect()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"summary": "a", "references": "b"}, {"summary": "a", "references": ["b"]}],
            "line 2: 'references' must be one",
        ),
        (
            [{"summary": "a", "references": ["b"]}, {"summary": "a", "references": "b"}],
            "line 2: 'references' must be a l",
        ),
        ([{"summary": "a"}, {"summary": "a", "references": "b"}], "line 2: there is 'references', which the first row"),
        ([{"summary": "a"}, {"references": "b"}], "line 2: there is"),
        ([{"summary": 5}], "line 1: 'summary' must be a text"),
        ([{"summary": "a", "human": "high"}], "line 1: 'human' must be a JSON object of scores"),
        ([{"text": "a"}], "line 1: there is no 'source', 'summary' or 'references'"),
    ],
)
def test_tables_that_change_on_the_way_are_refused(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        datasets.generic(lines(tmp_path / "t.jsonl", rows)).collect()


FAULTS = [
    ("{", "not JSON: Expecting property name"),
    ("[1]", "not a JSON object"),
    ('{"article_id": NaN}', "NaN is no JSON number"),
    ('{"article_id": "1", "article_id": "2"}', "key 'article_id' occurs twice in one object"),
    ('{"article_id": "\\ud800"}', "half a surrogate pair"),
    ("{}", "there is no 'article_text'; there are no keys"),
    (
        json.dumps(ARXIV | {"article_text": "a", "abstract_text": 5}),
        r"'abstract_text' must be a list of texts \(found 5\)",
    ),
    (json.dumps(ARXIV | {"article_text": ["a", None]}), "'article_text' must be a list of texts"),
    (json.dumps({**ARXIV, "article_id": None}), "'article_id' must be a text or a whole number"),
]


@pytest.mark.parametrize(("line", "message"), FAULTS)
def test_bad_lines_are_named_or_skipped_and_counted(tmp_path: Path, line: str, message: str) -> None:
    good = json.dumps(ARXIV)
    path = text(tmp_path / "test.txt", f"{good}\n\n{line}\n{good}\n{line}\n")
    with pytest.raises(DatasetError, match=rf"test\.txt, line 3: {message}"):
        datasets.arxiv(path).collect()
    with pytest.warns(UserWarning, match=r"arxiv: skipped 2 entries: 2 × .* \(first: .*test\.txt, line 3\)"):
        assert datasets.arxiv(path, on_error="skip").collect().height == 2


def test_what_was_skipped_is_counted_by_reason(tmp_path: Path) -> None:
    good = json.dumps(ARXIV)
    path = text(
        tmp_path / "test.txt", "\n".join(["nonsense", good, " {", good, '{"a": 1} x', '{"a": 1, x', "[1]", "[2, 3]"])
    )
    with pytest.warns(UserWarning, match="arxiv: skipped 6 entries") as caught:
        datasets.arxiv(path, on_error="skip").collect()
    parts = str(caught[0].message).split(": ", 2)[2].split("; ")
    assert [part.split(" (first")[0] for part in parts] == [
        "1 × not JSON: Expecting value",
        "2 × not JSON: Expecting property name enclosed in double quotes",
        "1 × not JSON: Extra data",
        "2 × not a JSON object",
    ]


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such file or folder"):
        datasets.arxiv(tmp_path / "absent.txt")
    with pytest.raises(DatasetError, match=r"the folder holds no \*\.txt or"):
        datasets.arxiv(tmp_path)
    with pytest.raises(DatasetError, match=r"empty\.txt: the file is empty"):
        datasets.arxiv(text(tmp_path / "empty.txt", "\n")).collect()
    (tmp_path / "latin.txt").write_bytes(b'{"\xe9": 1}\n')
    with pytest.raises(DatasetError, match="invalid UTF-8 at byte 3"):
        datasets.arxiv(tmp_path / "latin.txt").collect()
    with pytest.raises(DatasetError, match=r"test\.json: not JSON: .*, line 2, character 1"):
        datasets.elife(text(tmp_path / "test.json", "[\n")).collect()
    whole = gzip.compress(json.dumps(ARXIV).encode() * 50)
    for damaged in (whole[:-20], whole[:40] + b"\xff\xff\xff" + whole[43:]):
        (tmp_path / "test.jsonl.gz").write_bytes(damaged)
        with pytest.raises(DatasetError, match=r"test\.jsonl\.gz: cannot be read"):
            datasets.arxiv(tmp_path / "test.jsonl.gz").collect()
    with pytest.raises(DatasetError, match="not a readable Parquet file"):
        datasets.xsum(text(tmp_path / "t.parquet", "nothing")).collect()
    with pytest.raises(DatasetError, match="line 1: two columns called 'id'"):
        datasets.xsum(text(tmp_path / "t.csv", "id,id\n1,2\n")).collect()
    with pytest.raises(DatasetError, match="line 2: 1 cells under a header of 3"):
        datasets.xsum(text(tmp_path / "u.csv", "id,document,summary\n1\n")).collect()
    with pytest.raises(DatasetError, match="line 3: 'summary' must be a list of texts"):
        datasets.xsum(text(tmp_path / "v.csv", "id,document,summary\n1,a,b\n2,c,\n")).collect()
    with pytest.raises(DatasetError, match=r"there is no block \[SN\]FIRST-SENTENCE"):
        datasets.xsum(text(tmp_path / "1.summary", "just text")).collect()
    with pytest.raises(DatasetError, match="there is no line @highlight"):
        datasets.cnndm(text(tmp_path / "1.story", "a mail to x@highlight.com")).collect()
