"""Metric × library × corpus × size, for pytest-benchmark: absolute times of one call, to explore and to keep.

    python -m pytest bench/test_speed.py --import-mode=importlib --benchmark-group-by=group

Libraries run one after the other here; the ratios that are quoted come from `bench.ratios`, which takes turns.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

from bench import corpora
from gistmark.bench import PEERS
from gistmark.bench.compare import differences, engine_values
from gistmark.bench.pairs import pairs_of
from gistmark.bench.peer import Peer

os.environ["RAYON_NUM_THREADS"] = "1"

LSUM = ("Lsum",)
METRICS: dict[str, dict[str, Peer]] = {
    "rouge": {
        name: PEERS[name]() for name in ("rouge_score", "rouge_score_rs", "rapidrouge", "rouge_rust", "rouge_metric")
    },
    "rouge stemmed": {name: PEERS[name](stem=True) for name in ("rouge_score", "rouge_score_rs", "rapidrouge")},
    "rougeLsum": {name: PEERS[name](types=LSUM) for name in ("rouge_score", "rouge_score_rs", "rapidrouge")},
    "bleu": {"sacrebleu": PEERS["sacrebleu"]()},
    "chrf": {"sacrebleu_chrf": PEERS["sacrebleu_chrf"]()},
    "ter": {"sacrebleu_ter": PEERS["sacrebleu_ter"]()},
    "meteor": {"nltk_meteor": PEERS["nltk_meteor"]()},
    "datastats": {"summeval": PEERS["summeval"]()},
    "abstraction": {"plain_abstraction": PEERS["plain_abstraction"]()},
}
ROWS = (100, 1000)
QUICK = ("gistmark", "rouge_score_rs", "rouge_rust")
"""Libraries that score the larger number of rows too."""

CASES = [
    pytest.param(metric, library, sizes, rows, id=f"{metric}-{library}-{sizes[0]}x{sizes[1]}-{rows}")
    for metric, peers in METRICS.items()
    for sizes in corpora.SIZES
    for rows in ROWS
    for library in ("gistmark", *peers)
    if rows == min(ROWS) or library in QUICK
]


@pytest.mark.parametrize(("metric", "library", "sizes", "rows"), CASES)
def test_speed(benchmark: Any, metric: str, library: str, sizes: tuple[int, int], rows: int) -> None:
    """One call on pairs in memory; a peer's values are checked against ours."""
    peers = METRICS[metric]
    peer = peers.get(library) or next(iter(peers.values()))
    pairs = pairs_of(corpora.pairs(sizes, rows, lines=metric == "rougeLsum"), peer.roles)
    benchmark.group = f"{metric}, {sizes[0]}/{sizes[1]} words, {rows} rows"
    ours = partial(engine_values, [peer.metric], pairs, 1)
    if library == "gistmark":
        benchmark.pedantic(ours, rounds=5, warmup_rounds=1)
        return
    found = benchmark.pedantic(partial(peer.start(), pairs.texts), rounds=3, warmup_rounds=1)
    expected = {name: values.to_pylist() for name, values in ours().items()}
    assert differences(peer, pairs.rows, expected, peer.values(found)) == []
