"""How time grows: a row from a thousand to a million rows, a token from ten to a hundred thousand, hostile texts.

python -m bench.growth
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import polars as pl

from bench import corpora
from bench.tables import micro, nano, table
from gistmark.bench.pairs import pairs_of
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_columns

ROWS = (1_000, 10_000, 100_000, 1_000_000)
LENGTHS = (10, 100, 1_000, 10_000, 100_000)
TOKENS = 400_000
"""Tokens in all texts of one measurement, so that short texts are measured too."""

LONG, LONGEST = 20_000, 100_000
"""Tokens of hostile texts; ROUGE-Lsum inside one sentence of LONGEST repeated tokens takes most of a minute: left out."""

MEGABYTE = 150_000
"""Words of about a megabyte of text."""

NGRAMS, LCS, UNION = rouge(("1", "2")), rouge(("L",)), rouge(("Lsum",))
COLUMNS = {
    "ROUGE-1/2": NGRAMS,
    "ROUGE-L": LCS,
    "ROUGE-Lsum": UNION,
    "DataStats": datastats(),
    "RA/SA/AR": abstraction(),
}


def seconds(frame: pl.DataFrame, metric: Metric, least: float = 0.2) -> float:
    """CPU time of one thread scoring `frame`: the quickest of three runs, of one if that takes longer than `least`."""
    columns = pairs_of(frame, metric.inputs).columns
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        score_columns(columns, [metric], threads=1)
        best = min(best, time.process_time() - start)
        if best > least:
            break
    return best


def by_rows() -> Iterator[tuple[str, ...]]:
    """Time a row of ROUGE-1/2/L on short pairs."""
    for rows in ROWS:
        frame = corpora.pairs(corpora.SHORT, rows)
        yield f"{rows:,}", micro(seconds(frame, rouge()) / rows)


def by_length() -> Iterator[tuple[str, ...]]:
    """Time a token (of both texts) by the number of tokens in each text, real words."""
    for length in LENGTHS:
        count = max(TOKENS // (2 * length), 1)
        texts = [corpora.real_text(length, seed) for seed in range(2 * count)]
        yield f"{length:,}", *_row(texts[:count], texts[count:], 2 * length * count)


def by_malice() -> Iterator[tuple[str, ...]]:
    """Time a token on texts made to hurt."""
    same, distinct = corpora.one_token(LONGEST), [corpora.all_distinct(LONGEST, seed) for seed in (0, 1)]
    yield f"one token, {LONGEST:,} times", *_row([same], [same], 2 * LONGEST, UNION)
    same = corpora.one_token(LONG)
    yield f"one token, {LONG:,} times", *_row([same], [same], 2 * LONG)
    yield f"{LONGEST:,} distinct tokens, shuffled", *_row([distinct[0]], [distinct[1]], 2 * LONGEST, UNION)
    few = [corpora.few_kinds(LONG, 2, seed) for seed in (0, 1)]
    yield f"two tokens at random, {LONG:,}", *_row([few[0]], [few[1]], 2 * LONG)
    big, tiny = corpora.real_text(MEGABYTE, 0), ["a tiny summary"] * 10_000
    texts = [*tiny, big], [*tiny, "a summary of the large one"]
    yield "a row of 1 MB beside 10,000 tiny ones", *_row(texts[1], texts[0], MEGABYTE + 60_000)


def _row(summaries: Sequence[str], others: Sequence[str], tokens: int, left_out: Metric | None = None) -> list[str]:
    frame = pl.DataFrame({"summary": summaries, "references": others, "source": others})
    return ["-" if metric is left_out else nano(seconds(frame, metric) / tokens) for metric in COLUMNS.values()]


def main() -> None:
    """Print the three tables."""
    seconds(corpora.pairs(corpora.SHORT, 10), rouge())
    for metric in COLUMNS.values():
        seconds(corpora.pairs(corpora.SHORT, 10), metric)
    one = "CPU time, one thread; quickest of three runs, of one where it is long."
    print(table("Growth in rows", f"ROUGE-1/2/L, 25/25 words, time a row. {one}", ("rows", "a row"), by_rows()))
    note = f"Time a token, both texts counted. LCS (ROUGE-L, Lsum, RA/SA/AR) grows with words/64 by nature. {one}"
    print(table("Growth in length", note, ("tokens a text", *COLUMNS), by_length()))
    print(table("Hostile texts", note, ("texts", *COLUMNS), by_malice()))


if __name__ == "__main__":
    main()
