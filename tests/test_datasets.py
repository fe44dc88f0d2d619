"""Loaders of published data sets: every file form on small fixtures, real texts in every form, faults named by line."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import gistmark_datasets as datasets
from gistmark_datasets import DatasetError

ARXIV = {
    "article_id": "0704.0001",
    "article_text": ["we study cats .", "they sit on mats ."],
    "abstract_text": ["<S> cats sit . </S>", "<S> mats help . </S>"],
    "labels": None,
    "section_names": ["introduction", "results"],
    "sections": [["we study cats ."], ["they sit on mats ."]],
}
SCITLDR = {
    "source": ["We study cats.\n", "They sit on mats."],
    "source_labels": [0, 1],
    "rouge_scores": [0.2, 0.5],
    "paper_id": "SkxJ",
    "target": ["Cats sit on mats.", "A study of cats."],
    "title": "Cats",
    "ic": True,
}
ELIFE = {
    "id": "elife-00001-v1",
    "year": "2013",
    "title": "Cats",
    "sections": [["Cats are known.", "Mats too."], ["We watched."]],
    "headings": ["Introduction", "Methods"],
    "abstract": ["We study cats.", "They sit."],
    "summary": ["Cats like mats.", "We know why."],
    "keywords": ["cats", "mats"],
}
XSUM = "[SN]URL[SN]\nhttp://x/1\n\n[SN]TITLE[SN]\nCats\n\n[SN]FIRST-SENTENCE[SN]\nCats sit.\n\n[SN]RESTBODY[SN]\nOne.\n\nTwo.\n"
STORY = "(CNN) One.\n\nTwo.\n\n@highlight\n\nCats sit\n\n@highlight\n\nMats help\n"
SUMMEVAL = {
    "id": "dm-test-1",
    "model_id": "M1",
    "decoded": "Cats sit .",
    "filepath": "cnndm/dailymail/stories/1.story",
    "references": ["Cats sit on mats .", "Cats ."],
    "expert_annotations": [{"coherence": c, "consistency": 5, "fluency": 4, "relevance": 3} for c in (1, 2, 1)],
    "turker_annotations": [{"coherence": 5, "consistency": 4, "fluency": 3, "relevance": 2}] * 5,
}
FRANK = {"hash": "7", "model_name": "bert", "article": "A.", "reference": "R.", "summary": "S.", "split": "valid"}
MARKS = {"hash": "7", "model_name": "bert", "dataset": "bbc", "Factuality": 0.5, "RelE": 1.0, "split": "valid"}


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def only(frame: pl.LazyFrame) -> dict[str, Any]:
    row = frame.collect().row(0, named=True)
    assert list(row) == list(frame.collect_schema())
    return {key: json.loads(value) if key in ("human", "meta") else value for key, value in row.items()}


def test_arxiv_and_pubmed_as_published(tmp_path: Path) -> None:
    path = lines(tmp_path / "test.txt", [ARXIV])
    assert only(datasets.arxiv(path)) == {
        "corpus": "arxiv",
        "split": "test",
        "doc_id": "0704.0001",
        "source": "we study cats .\nthey sit on mats .",
        "source_sentences": ["we study cats .", "they sit on mats ."],
        "references": ["cats sit .\nmats help ."],
        "meta": {"sections": ["introduction", "results"]},
    }
    assert only(datasets.pubmed(path)) == only(datasets.arxiv(path)) | {"corpus": "pubmed"}


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".csv"])
def test_tables_of_articles_are_what_was_published(tmp_path: Path, ending: str) -> None:
    """The table form joins the same sentences by newlines."""
    row = {
        "article_id": ARXIV["article_id"],
        "article": "\n".join(ARXIV["article_text"]),
        "abstract": " <S> cats sit . </S> \n mats help .",
        "section_names": "introduction\nresults",
    }
    path = tmp_path / f"test{ending}"
    if ending == ".parquet":
        pl.DataFrame([row]).write_parquet(path)
    elif ending == ".csv":
        with path.open("w", newline="", encoding="utf-8-sig") as stream:
            csv.writer(stream).writerows([row.keys(), row.values()])
    else:
        content = (json.dumps(row) + "\n").encode()
        path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else b"\xef\xbb\xbf" + content)
    published = only(datasets.arxiv(lines(tmp_path / "raw" / "test.txt", [ARXIV])))
    assert only(datasets.arxiv(path)) == published


def test_a_folder_holds_splits_and_one_can_be_chosen(tmp_path: Path) -> None:
    for split in ("train", "val", "test"):
        lines(tmp_path / f"{split}.txt", [ARXIV | {"article_id": f"{split} {k}"} for k in range(600)])
    whole = datasets.arxiv(tmp_path).collect()
    assert whole["split"].unique(maintain_order=True).to_list() == ["test", "train", "val"]
    assert whole.height == 1800
    assert datasets.arxiv(tmp_path, split="val").collect().equals(whole.filter(split="val"))
    assert datasets.arxiv(tmp_path / "v*.txt").collect().equals(whole.filter(split="val"))
    with pytest.raises(DatasetError, match="there is no split 'dev'; there are test, train, val"):
        datasets.arxiv(tmp_path, split="dev")


def test_a_table_is_read_no_further_than_it_is_asked_for(tmp_path: Path) -> None:
    path = lines(tmp_path / "test.txt", [ARXIV | {"article_id": str(k)} for k in range(700)])
    with path.open("a") as stream:
        stream.write("{\n")
    frame = datasets.arxiv(path)
    assert frame.head(600).select("doc_id").collect()["doc_id"].to_list() == [str(k) for k in range(600)]
    with pytest.raises(DatasetError, match="line 701"):
        frame.filter(pl.col("doc_id") == "5").collect()
    path.write_text(path.read_text().removesuffix("{\n"))
    assert frame.filter(pl.col("doc_id") == "5").select("split", "doc_id").collect().rows() == [("test", "5")]


def test_scitldr_keeps_every_target_and_refuses_full_text(tmp_path: Path) -> None:
    path = lines(tmp_path / "SciTLDR-AIC" / "dev.jsonl", [SCITLDR])
    lines(tmp_path / "SciTLDR-A" / "dev.jsonl", [SCITLDR | {"target": "One.", "title": "A"}])
    full = lines(tmp_path / "SciTLDR-FullText" / "dev.jsonl", [SCITLDR])
    assert only(datasets.scitldr(path)) == {
        "corpus": "scitldr",
        "split": "dev",
        "doc_id": "SkxJ",
        "source": "We study cats. They sit on mats.",
        "source_sentences": ["We study cats.", "They sit on mats."],
        "references": ["Cats sit on mats.", "A study of cats."],
        "meta": {"title": "Cats"},
    }
    assert only(datasets.scitldr(tmp_path))["references"] == ["One."]
    assert only(datasets.scitldr(tmp_path, setting="aic"))["meta"] == {"title": "Cats"}
    for where in (full, full.parent):
        with pytest.raises(DatasetError, match="full text, which the data card calls a mistake"):
            datasets.scitldr(where)
        assert only(datasets.scitldr(where, setting="full"))["doc_id"] == "SkxJ"
    with pytest.raises(DatasetError, match="holds setting 'aic', not 'abstract'"):
        datasets.scitldr(path, setting="abstract")
    with pytest.raises(DatasetError, match="setting: must be one of"):
        datasets.scitldr(path, setting="fulltext")  # type: ignore[arg-type]


def test_lay_summaries_as_published_and_as_a_table(tmp_path: Path) -> None:
    path = text(tmp_path / "test.json", json.dumps([ELIFE], indent=1))
    row = only(datasets.elife(path))
    assert row["source"] == "We study cats. They sit.\nCats are known. Mats too.\nWe watched."
    assert row["source_sentences"][-2:] == ["Mats too.", "We watched."]
    assert row["references"] == ["Cats like mats.\nWe know why."]
    assert row["meta"] == {
        "title": "Cats", "year": "2013", "keywords": ["cats", "mats"], "headings": ["Introduction", "Methods"],
    }  # fmt: skip
    table = {"article": row["source"], "summary": "Cats like mats. We know why.", "title": "Cats", "year": "2013"}
    flat = only(datasets.plos(lines(tmp_path / "val.jsonl", [table])))
    assert (flat["corpus"], flat["split"], flat["doc_id"]) == ("plos", "val", "val-1")
    assert (flat["source"], flat["references"]) == (row["source"], ["Cats like mats. We know why."])
    assert flat["source_sentences"] is None


def test_xsum_as_published_and_as_a_table(tmp_path: Path) -> None:
    text(tmp_path / "raw" / "17.summary", XSUM)
    text(tmp_path / "raw" / "18.summary", XSUM.replace("Cats sit.", "Dogs lie."))
    raw = only(datasets.xsum(tmp_path / "raw"))
    assert raw == {
        "corpus": "xsum",
        "split": None,
        "doc_id": "17",
        "source": "One. Two.",
        "source_sentences": ["One.", "Two."],
        "references": ["Cats sit."],
        "meta": {"url": "http://x/1", "title": "Cats"},
    }
    table = lines(tmp_path / "test.jsonl", [{"document": "One.\nTwo.", "summary": "Cats sit.", "id": 17}])
    assert only(datasets.xsum(table)) == raw | {"split": "test", "meta": {}}
    splits = text(tmp_path / "splits.json", json.dumps({"train": ["18"], "test": ["17", "18"]}))
    chosen = datasets.xsum(tmp_path / "raw", splits=splits, split="test").collect()
    assert chosen["doc_id"].to_list() == ["17", "18"]
    text(splits, json.dumps({"test": ["19", "17"]}))
    with pytest.raises(DatasetError, match=r"19\.summary: cannot be read"):
        datasets.xsum(tmp_path / "raw", splits=splits).collect()


def test_cnndm_as_published_and_as_a_table(tmp_path: Path) -> None:
    url = "http://web.archive.org/cats"
    name = hashlib.sha1(url.encode()).hexdigest()
    text(tmp_path / "cnn" / "stories" / f"{name}.story", STORY)
    raw = only(datasets.cnndm(tmp_path / "cnn"))
    assert raw == {
        "corpus": "cnndm",
        "split": None,
        "doc_id": name,
        "source": "(CNN) One. Two.",
        "source_sentences": ["(CNN) One.", "Two."],
        "references": ["Cats sit\nMats help"],
        "meta": {},
    }
    row = {"article": "(CNN) One. Two.", "highlights": "Cats sit\nMats help", "id": name}
    table = lines(tmp_path / "train.jsonl", [row])
    assert only(datasets.cnndm(table)) == raw | {"split": "train", "source_sentences": None}
    listed = text(tmp_path / "all_val.txt", f"{url}\n")
    assert only(datasets.cnndm(tmp_path, urls=listed)) == raw | {"split": "val"}
    text(listed, f"{url}\nhttp://absent\n")
    with pytest.raises(DatasetError, match=r"all_val\.txt, line 2: .* holds no [0-9a-f]{40}\.story"):
        datasets.cnndm(tmp_path, urls=listed).collect()


def test_summeval_with_and_without_stories(tmp_path: Path) -> None:
    path = lines(tmp_path / "aligned.jsonl", [SUMMEVAL])
    alone = only(datasets.summeval(path))
    assert "source" not in alone
    assert alone["human"] == {"coherence": 4 / 3, "consistency": 5, "fluency": 4, "relevance": 3}
    assert (alone["system"], alone["summary"]) == ("M1", "Cats sit .")
    assert alone["references"] == SUMMEVAL["references"]
    assert only(datasets.summeval(path, annotators="turker"))["human"]["coherence"] == 5
    text(tmp_path / SUMMEVAL["filepath"], STORY)
    paired = only(datasets.summeval(path, stories=tmp_path))
    assert paired["source"] == "(CNN) One. Two."
    other = lines(tmp_path / "paired.jsonl", [SUMMEVAL | {"text": "(CNN) One. Two."}])
    assert only(datasets.summeval(other))["source"] == paired["source"]
    with pytest.raises(DatasetError, match=r"1\.story: cannot be read"):
        datasets.summeval(path, stories=tmp_path / "absent").collect()


def test_frank_joins_what_annotators_marked(tmp_path: Path) -> None:
    other = FRANK | {"hash": "8", "split": "test"}
    text(tmp_path / "benchmark_data.json", json.dumps([FRANK, other]))
    assert datasets.frank(tmp_path).collect()["human"].to_list() == ["{}", "{}"]
    text(tmp_path / "human_annotations.json", json.dumps([MARKS]))
    frame = datasets.frank(tmp_path)
    row = only(frame)
    assert (row["doc_id"], row["system"], row["split"]) == ("7", "bert", "valid")
    assert (row["source"], row["references"], row["summary"]) == ("A.", ["R."], "S.")
    assert row["human"] == {"Factuality": 0.5, "RelE": 1.0}
    assert row["meta"] == {"dataset": "bbc"}
    assert frame.collect()["human"].to_list()[1] == "{}"
    assert datasets.frank(tmp_path, split="test").collect()["doc_id"].to_list() == ["8"]
    with pytest.raises(DatasetError, match="no output of split 'train'"):
        datasets.frank(tmp_path, split="train")
    text(tmp_path / "human_annotations.json", json.dumps([MARKS, MARKS]))
    with pytest.raises(DatasetError, match=r"item 2: hash and model_name as in .*item 1"):
        datasets.frank(tmp_path)


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


def test_real_papers_come_back_from_the_published_form(shared: Path, tmp_path: Path) -> None:
    real = pl.read_parquet(shared / "data" / "scitldr_a_test.parquet").unique(
        "doc_id", keep="first", maintain_order=True
    )
    rows = [
        {"paper_id": row["doc_id"], "source": row["source"].split("\n"), "target": row["references"]}
        for row in real.iter_rows(named=True)
    ]
    found = datasets.scitldr(lines(tmp_path / "test.jsonl", rows)).collect()
    assert found["doc_id"].equals(real["doc_id"])
    assert found["references"].equals(real["references"])
    words = pl.col("source").str.split(" ").list.join(" ").str.replace_all(r"\s+", " ").str.strip_chars()
    assert found.select(words).equals(real.select(words))


def test_real_annotations_come_back_from_the_published_form(shared: Path, tmp_path: Path) -> None:
    real = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet")
    rows = []
    for row in real.iter_rows(named=True):
        thirds = {name: round(3 * mean) for name, mean in json.loads(row["human"]).items()}
        marks = [{name: total // 3 + (k < total % 3) for name, total in thirds.items()} for k in range(3)]
        rows.append(
            {"id": row["doc_id"], "model_id": row["system"], "decoded": row["candidate"], "text": row["source"]}
            | {"references": row["references"], "expert_annotations": marks}
        )
    found = datasets.summeval(lines(tmp_path / "paired.jsonl", rows)).collect()
    columns = ["doc_id", "system", "source", "summary", "references"]
    assert found.select(columns).equals(real.rename({"candidate": "summary"}).select(columns))
    assert [json.loads(one) for one in found["human"]] == [json.loads(one) for one in real["human"]]


@pytest.mark.parametrize(
    "name", ["cnndm_summeval", "lay_elife", "lay_plos", "scitldr_a_dev", "scitldr_a_test", "xsum_abstractionstudy"]
)
def test_the_real_files_are_read_as_they_are(shared: Path, name: str) -> None:
    path = shared / "data" / f"{name}.parquet"
    real = pl.read_parquet(path).rename({"candidate": "summary"})
    found = datasets.generic(path, summary="candidate").collect()
    columns = ["corpus", "doc_id", "system", "source", "summary", "references"]
    assert found.select(columns).equals(real.select(columns))
    assert [json.loads(one) for one in found["human"]] == [json.loads(one) for one in real["human"]]


@pytest.mark.parametrize(("name", "loader"), [("lay_elife", datasets.elife), ("lay_plos", datasets.plos)])
def test_real_lay_summaries_come_back_from_a_table(shared: Path, tmp_path: Path, name: str, loader: Any) -> None:
    real = pl.read_parquet(shared / "data" / f"{name}.parquet")
    table = real.select(id="doc_id", article="source", summary=pl.col("references").list.first())
    table.write_parquet(tmp_path / "test.parquet")
    found = loader(tmp_path / "test.parquet").collect()
    assert found.select("doc_id", "source", "references").equals(real.select("doc_id", "source", "references"))


def test_every_loader_gives_the_columns_of_one_schema() -> None:
    from gistmark_datasets.frame import SCHEMA

    assert set(datasets.LOADERS) == {
        "arxiv", "pubmed", "scitldr", "elife", "plos", "xsum", "cnndm", "summeval", "frank", "generic",
    }  # fmt: skip
    assert list(SCHEMA)[:3] == ["corpus", "split", "doc_id"]
