"""The table of ratios: ROUGE, DataStats, RA/SA/AR and all in one pass against the libraries that compute them.

python -m bench.ratios                one thread each, CPU time
python -m bench.ratios --threads 2    as many threads each, time on the wall, peers that can use them
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

import polars as pl

from bench import corpora, lcs
from bench.contest import Contest, Outcome, run
from bench.tables import micro, table, times
from gistmark.bench import PEERS
from gistmark.bench.report import one

ROWS = {corpora.SHORT: 16000, (60, 50): 12000, (25, 160): 8000, (60, 400): 4800, (160, 160): 6000}
ROUNDS = 5
HEADINGS = ("work", "against", "peer, a row", "gistmark, a row", "ratio", "at least")
LSUM = ("Lsum",)


def contests() -> Iterator[Contest]:
    """Every line of the table but LCS alone."""
    rs, rust, python = (PEERS[name]() for name in ("rouge_score_rs", "rouge_rust", "rouge_score"))
    frames = {sizes: corpora.pairs(sizes, ROWS[sizes]) for sizes in corpora.SIZES}
    for sizes, frame in frames.items():
        work = f"ROUGE-1/2/L, {_words(sizes)}"
        yield Contest(work, [rs], frame, floor=7 if sizes == corpora.SHORT else 4)
        yield Contest(work, [rust], frame)
    for sizes, few, floor in (corpora.SHORT, 300, 300.0), ((60, 400), 20, 700.0):
        work = f"ROUGE-1/2/L, {_words(sizes)}"
        yield Contest(work, [python], frames[sizes], few, floor)
        yield Contest(work, [PEERS["rapidrouge"]()], frames[sizes], few)
        yield Contest(work, [PEERS["rouge_metric"]()], frames[sizes], few)
    yield from _stemmed(frames[corpora.SHORT])
    for sizes in (60, 50), (60, 400):
        frame = corpora.pairs(sizes, ROWS[sizes], lines=True)
        yield Contest(f"ROUGE-Lsum, {_words(sizes)}", [PEERS["rouge_score_rs"](types=LSUM)], frame, floor=4)
    yield Contest(f"DataStats, {_words((60, 400))}", [PEERS["summeval"]()], frames[60, 400], 60, 100)
    yield from _reference_based(frames[corpora.SHORT])
    yield from _real()


def _reference_based(frame: pl.DataFrame) -> Iterator[Contest]:
    """BLEU, chrF, TER and METEOR of each row."""
    peers = ("sacrebleu", 300, 100), ("sacrebleu_chrf", 200, 60), ("sacrebleu_ter", 100, 20), ("nltk_meteor", 100, 100)
    for name, few, floor in peers:
        peer = PEERS[name]()
        yield Contest(f"{peer.metric.name} of each row, 25/25 words", [peer], frame, few, floor)


def _stemmed(frame: pl.DataFrame) -> Iterator[Contest]:
    yield Contest("ROUGE-1/2/L stemmed, 25/25 words", [PEERS["rouge_score_rs"](stem=True)], frame)
    yield Contest("ROUGE-1/2/L stemmed, 25/25 words", [PEERS["rouge_score"](stem=True)], frame, 200)


def _real() -> Iterator[Contest]:
    """The real evaluation set: summaries against sources that many of them share, against references, one pass."""
    name, frame = corpora.real_set()
    source = corpora.against_source(frame)
    plain, stemmed = PEERS["rouge_score_rs"](), PEERS["rouge_score_rs"](stem=True)
    yield Contest(f"ROUGE-1/2/L, {name}, summary-source", [plain], source, floor=12)
    yield Contest(f"ROUGE-1/2/L, {name}, summary-source", [PEERS["rouge_rust"]()], source)
    yield Contest(f"ROUGE-1/2/L, {name}, all references", [plain], frame, floor=12)
    yield Contest(f"ROUGE-1/2/L stemmed, {name}, summary-source", [stemmed], source, floor=25)
    yield Contest(f"ROUGE-1/2/L stemmed, {name}, all references", [stemmed], frame, floor=25)
    yield Contest(f"DataStats, {name}", [PEERS["summeval"]()], frame, 100, 100)
    together = [plain, PEERS["summeval"](), PEERS["plain_abstraction"]()]
    yield Contest(f"ROUGE, DataStats and RA/SA/AR in one pass, {name}", together, frame, 40, 100)


def _words(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]}/{sizes[1]} words"


def _cells(outcome: Outcome) -> tuple[str, ...]:
    contest = outcome.contest
    reached = "differs" if outcome.differences else times(outcome.ratio)
    floor = f"{contest.floor:g}x" if contest.floor else "-"
    return (contest.work, contest.against, micro(outcome.other), micro(outcome.gistmark), reached, floor)


def main() -> int:
    """Print the table; 1 if any value differs, which is then named."""
    parser = argparse.ArgumentParser(prog="bench.ratios")
    parser.add_argument("--threads", type=int, default=1)
    threads = parser.parse_args().threads
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    chosen = [contest for contest in contests() if threads == 1 or all(peer.threads for peer in contest.peers)]
    outcomes = [run(contest, ROUNDS, threads) for contest in chosen]
    rows = [_cells(outcome) for outcome in outcomes]
    same = True
    if threads == 1:
        alone, same = lcs.lines(ROUNDS)
        rows += alone
    measure = "CPU time" if threads == 1 else "time on the wall"
    note = f"Median ratio of {ROUNDS} interleaved rounds, {measure}, threads each: {threads}. Values compared first."
    print(table(f"Ratios, {threads} thread{'s' * (threads > 1)} each", note, HEADINGS, rows))
    found = [difference for outcome in outcomes for difference in outcome.differences]
    for difference in found:
        print(one(difference), file=sys.stderr)
    return 1 if found or not same else 0


if __name__ == "__main__":
    sys.exit(main())
