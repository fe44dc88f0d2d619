"""Loaders of published data sets on real texts, in the form they are published in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from published import lines

import gistmark_datasets as datasets


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
