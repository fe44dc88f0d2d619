"""What stands on a page of HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import polars as pl
import pytest

import gistmark as gm
from gistmark_datasets import scitldr_sample

METRICS = ["rouge", "datastats", "abstraction"]


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    return gm.score(pl.read_parquet(scitldr_sample()).head(300), METRICS)


class Elements(HTMLParser):
    """Counts elements, and keeps what the data element holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.data = ""
        self._in_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self._in_data = ("id", "data") in attrs

    def handle_data(self, data: str) -> None:
        self.data += data if self._in_data else ""

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False
