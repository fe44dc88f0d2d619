"""Peers on your own pairs: do they give the same values, and how many times their speed is this?"""

from gistmark.bench.compare import Result, compare
from gistmark.bench.peers import PEERS
from gistmark.bench.report import as_page, render

__all__ = ["PEERS", "Result", "as_page", "compare", "render"]
