"""SummEval's DataStats, as published, written out plainly: lower-cased tokens between white space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gistmark.bench.peer import Peer, Texts, Values
from gistmark_engine.metrics.datastats import datastats

ORDERS = (1, 2, 3)

Row = dict[str, float | None]


def summeval() -> Peer:
    """Grusky et al. 2018, figure 4, and the n-gram statistics of Fabbri et al. 2021, section 3.1."""
    return Peer(
        name="summeval",
        metric=datastats(ORDERS, tokenizer="whitespace_lower", parity="reference"),
        roles=("summary", "source"),
        start=lambda: _score,
        values=columns,
    )


def columns(rows: Sequence[Row]) -> Values:
    """Rows of fields as fields of rows."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def fragments(summary: Sequence[str], source: Sequence[str]) -> list[int]:
    """Lengths of the extractive fragments: at each token the longest run that the scan of the source meets."""
    lengths, at = [], 0
    while at < len(summary):
        best, place = 0, 0
        while place < len(source):
            if summary[at] != source[place]:
                place += 1
                continue
            run = 0
            while at + run < len(summary) and place + run < len(source) and summary[at + run] == source[place + run]:
                run += 1
            best, place = max(best, run), place + run
        if best:
            lengths.append(best)
        at += max(best, 1)
    return lengths


def _score(texts: Texts) -> list[Row]:
    return [
        _row(summary.lower().split(), source.lower().split())
        for summary, source in zip(texts["summary"], texts["source"], strict=True)
    ]


def _row(summary: Sequence[str], source: Sequence[str]) -> Row:
    size, runs = len(summary), fragments(summary, source)
    row: Row = {
        "coverage": sum(runs) / size if size else 0.0,
        "density": sum(run**2 for run in runs) / size if size else 0.0,
        "compression": len(source) / size if size else 0.0,
        "summary_length": size,
    }
    for order in ORDERS:
        counts, known = Counter(_grams(summary, order)), set(_grams(source, order))
        kinds = len(counts)
        row[f"novel_{order}gram"] = len(set(counts) - known) / kinds if kinds else 0.0
        row[f"repeated_{order}gram"] = sum(count > 1 for count in counts.values()) / kinds if kinds else 0.0
    return row


def _grams(tokens: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1)]
