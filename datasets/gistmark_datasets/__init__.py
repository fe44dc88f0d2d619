"""Published data sets from local files, in one table; and a sample of real summaries that ships with the project."""

from collections.abc import Callable, Mapping

import polars as pl

from gistmark_datasets.cnndm import cnndm
from gistmark_datasets.cohan import arxiv, pubmed
from gistmark_datasets.entry import DatasetError
from gistmark_datasets.frank import frank
from gistmark_datasets.generic import generic
from gistmark_datasets.lay import elife, plos
from gistmark_datasets.sample import scitldr_sample
from gistmark_datasets.scitldr import scitldr
from gistmark_datasets.summeval import summeval
from gistmark_datasets.xsum import xsum

LOADERS: Mapping[str, Callable[..., pl.LazyFrame]] = {
    loader.__name__: loader for loader in (arxiv, pubmed, scitldr, elife, plos, xsum, cnndm, summeval, frank, generic)
}
"""Every loader by its name."""

__all__ = [
    "LOADERS",
    "DatasetError",
    "arxiv",
    "cnndm",
    "elife",
    "frank",
    "generic",
    "plos",
    "pubmed",
    "scitldr",
    "scitldr_sample",
    "summeval",
    "xsum",
]
