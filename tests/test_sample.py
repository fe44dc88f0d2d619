"""The shipped sample: the public test papers, nothing dropped, with its licence beside it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from gistmark_datasets import scitldr_sample


def test_sample_is_the_public_test_set(shared: Path) -> None:
    original = pl.read_parquet(shared / "data" / "scitldr_a_test.parquet").rename({"candidate": "summary"})
    assert pl.read_parquet(scitldr_sample()).equals(original)


def test_sample_is_what_its_card_says() -> None:
    sample = pl.read_parquet(scitldr_sample())
    card = (scitldr_sample().parent / "README.md").read_text(encoding="utf-8")
    assert sample.height == 1854
    assert sample["doc_id"].n_unique() == 618
    assert sample["system"].unique(maintain_order=True).to_list() == ["lead1", "oracle", "title"]
    assert sample["references"].list.len().unique().sort().to_list() == [2, 3, 4]
    assert sample.null_count().sum_horizontal().item() == 0
    assert all(f"`{column}`" in card for column in sample.columns)


def test_sample_carries_its_licence() -> None:
    notice = (scitldr_sample().parent / "NOTICE").read_text(encoding="utf-8")
    assert "SciTLDR" in notice
    assert "Apache License, Version 2.0" in notice
