"""RA, SA and AR written out plainly from their formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from gistmark.bench.peer import Peer, Texts
from gistmark.bench.peers.datastats import columns
from gistmark_engine.metrics.abstraction import abstraction

KINDS = ("1", "2", "L")

Overlaps = tuple[float | None, float | None, float | None]
Row = dict[str, float | None]

NOTHING: Overlaps = (None, None, None)


def plain_abstraction() -> Peer:
    """Lower-cased runs of word characters, multiset overlap, the first reference that is not empty."""
    return Peer(
        name="plain_abstraction",
        metric=abstraction(),
        roles=("summary", "references", "source"),
        start=lambda: _score,
        values=columns,
    )


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Its length, by the textbook table kept one row at a time."""
    above = [0] * (len(second) + 1)
    for token in first:
        row = [0]
        for place, other in enumerate(second):
            row.append(above[place] + 1 if token == other else max(above[place + 1], row[place]))
        above = row
    return above[-1]


def _score(texts: Texts) -> list[Row]:
    cut = re.compile(r"\w+").findall
    rows = []
    for summary, references, source in zip(texts["summary"], texts["references"], texts["source"], strict=True):
        reference = next(filter(None, (cut(text.lower()) for text in references)), [])
        rows.append(_row(cut(summary.lower()), reference, cut(source.lower())))
    return rows


def _row(summary: Sequence[str], reference: Sequence[str], source: Sequence[str]) -> Row:
    reference = reference if summary and source else []
    of_summary, mean = _against(summary, source)
    of_reference, reference_mean = _against(reference, source)
    row: Row = {"hm_r": reference_mean, "hm_s": mean}
    for kind, r, s in zip(KINDS, of_reference, of_summary, strict=True):
        row |= {f"c_r{kind}": r, f"c_s{kind}": s, f"ra{kind}": _rest(r, reference_mean), f"sa{kind}": _rest(s, mean)}
        row[f"ar{kind}"] = None if r is None or s is None else (1.0 - s) ** 3.0 / ((1.0 - r) ** 3.0 + 1e-8)
    return row


def _against(text: Sequence[str], source: Sequence[str]) -> tuple[Overlaps, float | None]:
    """Overlaps of a text with its source and the harmonic mean of their lengths; nothing where one is empty."""
    if not text or not source:
        return NOTHING, None
    return _overlaps(text, source), 2.0 * len(text) * len(source) / (len(text) + len(source))


def _overlaps(text: Sequence[str], source: Sequence[str]) -> Overlaps:
    words = (Counter(text) & Counter(source)).total() / len(text)
    shared = (Counter(pairwise(text)) & Counter(pairwise(source))).total()
    bigrams = shared / (len(text) - 1) if len(text) > 1 else None
    return words, bigrams, longest_common_subsequence(text, source) / len(text)


def _rest(overlap: float | None, mean: float | None) -> float | None:
    return None if overlap is None or mean is None else mean * (1.0 - overlap) ** 3.0
