"""Scoring from many threads, after a fork, in spawned processes: the same bytes, and never a deadlock."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Literal

import polars as pl
import pyarrow as pa
import pytest

import gistmark as gm
from gistmark_datasets import scitldr_sample

TIMEOUT = 120
METRICS = [gm.metrics.rouge(stem=True), gm.metrics.bleu(), gm.metrics.datastats(), gm.metrics.abstraction()]
PAIRS = pl.read_parquet(scitldr_sample()).head(600)
BATCH = PAIRS.select("summary", "references", "source").to_arrow()

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning", "ignore:.*fork:DeprecationWarning")


def send_scores(pipe: Connection) -> None:
    pipe.send(gm.score_batch(BATCH, METRICS, threads=2))


def send_frame(pipe: Connection) -> None:
    try:
        pipe.send(gm.score(PAIRS, METRICS))
    except gm.GistmarkError as error:
        pipe.send(str(error))


def send_query(pipe: Connection, pickled: bytes) -> None:
    pipe.send(pickle.loads(pickled).collect())


def answer(how: Literal["fork", "spawn"], work: object, *arguments: object) -> object:
    """What a process started so sends back; it must not wait forever."""
    context = multiprocessing.get_context(how)
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, *arguments))  # type: ignore[attr-defined,arg-type]
    process.start()
    try:
        assert ours.poll(TIMEOUT), f"a process started by {how} does not answer"
        return ours.recv()
    finally:
        process.kill()
        process.join()


def test_many_threads_at_once() -> None:
    """Some score with threads of their own, some convert frames meanwhile, which takes the same locks."""
    wanted = gm.score_batch(BATCH, METRICS)
    converting = threading.Event()

    def convert() -> None:
        while not converting.is_set():
            PAIRS.to_arrow()
            PAIRS["summary"].to_numpy()

    with ThreadPoolExecutor(9) as pool:
        converter = pool.submit(convert)
        batches = [pool.submit(gm.score_batch, BATCH, METRICS, threads=1 + row % 3) for row in range(6)]
        frames = [pool.submit(gm.score, PAIRS, METRICS) for _ in range(2)]
        try:
            assert all(batch.result(TIMEOUT).equals(wanted) for batch in batches)
            assert all(frame.result(TIMEOUT).equals(gm.score(PAIRS, METRICS)) for frame in frames)
        finally:
            converting.set()
        converter.result(TIMEOUT)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_from_threads_of_polars(engine: Literal["in-memory", "streaming"]) -> None:
    queries = [
        gm.score(PAIRS.lazy().filter(pl.col("system") == name), METRICS) for name in ("lead1", "oracle", "title")
    ]
    scored = pl.collect_all(queries, engine=engine)
    assert pl.concat(scored).equals(gm.score(PAIRS, METRICS).sort("system", maintain_order=True))


def test_a_forked_process_scores_arrow() -> None:
    wanted = gm.score_batch(BATCH, METRICS, threads=2)
    assert isinstance(found := answer("fork", send_scores), pa.RecordBatch)
    assert found.equals(wanted)


def test_a_forked_process_says_that_polars_does_not_survive() -> None:
    gm.score(PAIRS.head(1), METRICS)
    assert "forked from one that uses Polars" in str(answer("fork", send_frame))


def test_spawned_processes_score_everything() -> None:
    """One after the other in one process: a pickled query, whose columns keep their types."""
    query = gm.score(PAIRS.lazy().cast({"system": pl.Categorical}), METRICS)
    found = answer("spawn", send_query, pickle.dumps(query))
    assert isinstance(found, pl.DataFrame)
    assert found.equals(query.collect())
    assert found.schema == query.collect_schema()


def test_pickled_expressions_are_the_same_expressions() -> None:
    expression = gm.scores(METRICS, summary="summary", references="references", source="source")
    again = pickle.loads(pickle.dumps(expression))
    assert PAIRS.select(again).equals(PAIRS.select(expression))


def test_an_interpreter_that_ends_while_threads_score_ends() -> None:
    code = (
        "import threading, gistmark as gm, pyarrow as pa\n"
        "batch = pa.record_batch({'summary': ['a b c'] * 40000, 'references': ['a b d'] * 40000})\n"
        "gm.score_batch(batch, ['rouge'])\n"
        "for _ in range(4): threading.Thread(target=gm.score_batch, args=(batch, ['rouge']), daemon=True).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=TIMEOUT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
