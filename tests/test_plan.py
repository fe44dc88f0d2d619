"""The plan: the same bytes whatever the threads, batches, order and company of a row, and what it refuses."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine import arrow, same_bytes, scores

from gistmark_engine import ranges
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Batch, Citation, Field, Metric, Tokenizer
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_batch, score_columns

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
SAMPLE = Path(__file__).parent.parent / "datasets" / "gistmark_datasets" / "data" / "scitldr_test.parquet"
METRICS = [
    rouge(("1", "2", "L", "Lsum")),
    rouge(("1", "L"), stem=True, prefix="stem_"),
    datastats(),
    datastats(tokenizer="word_lower", prefix="lower_"),
    abstraction(),
]
ROLES = ("summary", "references", "source")
THREADS = [1, 2, 3]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Rows of the sample, some of one document and not side by side, then nulls and hostile texts."""
    sample = pq.read_table(SAMPLE, columns=list(ROLES)).take(random.Random(0).sample(range(1854), 900))
    texts = [None, "", "…", "a", "日本語", "a\nb\n\nc", "a " * 3000, "İK ΟΔΟΣ", "word " * 70]
    rng = random.Random(1)
    rows = [
        {
            "summary": rng.choice(texts),
            "source": rng.choice(texts),
            "references": rng.choice([None, [], rng.choices(texts, k=3)]),
        }
        for _ in range(200)
    ]
    joined = pa.concat_tables([sample, pa.Table.from_pylist(rows, sample.schema)])
    return joined.combine_chunks()


@pytest.fixture(scope="module")
def expected(table: pa.Table) -> pa.RecordBatch:
    return score_batch(table, METRICS, threads=1)


@pytest.mark.parametrize("threads", [*THREADS, None, 7])
@pytest.mark.parametrize("smallest", [1, 50_000, ranges.SMALLEST])
def test_any_number_of_threads(
    table: pa.Table, expected: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch, threads: int | None, smallest: int
) -> None:
    """However the rows are cut into ranges, too: from some hundreds to two."""
    monkeypatch.setattr(ranges, "SMALLEST", smallest)
    monkeypatch.setattr(ranges, "LARGEST", 8 * smallest if smallest > 1 else 4_000)
    assert same_bytes(score_batch(table, METRICS, threads=threads), expected)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_any_size(table: pa.Table, expected: pa.RecordBatch, size: int) -> None:
    stop = 150 if size == 1 else table.num_rows
    parts = [score_batch(table.slice(k, min(size, stop - k)), METRICS, threads=1) for k in range(0, stop, size)]
    whole = pa.Table.from_batches(parts).combine_chunks().to_batches()[0]
    assert same_bytes(whole, expected.slice(0, stop))


def test_rows_in_any_order(table: pa.Table, expected: pa.RecordBatch) -> None:
    for seed in range(3):
        order = random.Random(seed).sample(range(table.num_rows), table.num_rows)
        assert same_bytes(score_batch(table.take(order), METRICS, threads=2), expected.take(pa.array(order)))


def test_metrics_give_the_same_alone_and_together(table: pa.Table, expected: pa.RecordBatch) -> None:
    """Metrics that agree on the tokenizer share one cutting, with the sentences and ids that any of them asks for."""
    for metric in METRICS:
        assert same_bytes(score_batch(table, [metric], threads=1), expected.select(list(metric.columns)))
    assert same_bytes(score_batch(table, METRICS[::-1], threads=1).select(expected.schema.names), expected)


@pytest.mark.parametrize("threads", THREADS)
def test_shared_documents_adjacent_or_not(threads: int) -> None:
    """Rows that share references and source, by address or as equal copies, score as rows by themselves."""
    documents = [
        ["one two three\nfour", "two three"],
        ["two one", "two one"],
        [""],
        ["x " * 40, "y"],
        ["one two three\nfour"],
    ]
    systems = ["one two", "new words here", "three\nfour one", "", "x x x y q", "two three two"]
    rows = [(s, d, " ".join(d)) for d in documents for s in systems] * 3
    random.Random(threads).shuffle(rows)
    rows = sorted(rows[:45], key=lambda row: row[2]) + rows[45:]
    columns = [pa.array(list(values)) for values in zip(*rows, strict=True)]
    together = arrow(METRICS, threads=threads, **dict(zip(ROLES, columns, strict=True)))
    pooled = arrow(
        METRICS,
        threads=threads,
        **dict(zip(ROLES, [columns[0], columns[1], columns[2].dictionary_encode()], strict=True)),
    )
    for k, (summary, references, source) in enumerate(rows):
        alone = arrow(METRICS, summary=[summary], references=[references], source=[source])
        assert same_bytes(together.slice(k, 1), alone)
        assert same_bytes(pooled.slice(k, 1), alone)


def test_texts_that_look_alike_are_not_shared() -> None:
    """Equal length, equal first and last bytes: only reading all of them tells them apart."""
    references = [f"same beginning {k:03d} and the same ending" for k in range(300)] * 2
    scored = scores(rouge(("1",)), summary=[f"{k % 300:03d}" for k in range(600)], references=references)
    assert scored["rouge1_r"] == [1 / 7] * 600
    lists = [[text, "same"] for text in references]
    assert scores(rouge(("1",), multi="first"), summary=references, references=lists)["rouge1_f1"] == [1.0] * 600


def test_eight_python_threads_at_once(
    table: pa.Table, expected: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 50_000)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(score_batch, table, METRICS, threads=1 + k % 2) for k in range(8)]
    assert all(same_bytes(job.result(), expected) for job in jobs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_scores(table: pa.Table, expected: pa.RecordBatch) -> None:
    """After the parent has scored on threads; what a forked child inherits must not hang or kill it."""
    score_batch(table.slice(0, 50), METRICS, threads=2)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_score_and_send, args=(table, sender))
    child.start()
    sender.close()
    assert receiver.poll(120), "the child is silent"
    result = pa.ipc.open_stream(receiver.recv_bytes()).read_next_batch()
    child.join(60)
    assert child.exitcode == 0
    assert same_bytes(result, expected.slice(0, 100))


def _score_and_send(table: pa.Table, sender: object) -> None:
    scored = score_batch(table.slice(0, 100), METRICS, threads=2)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, scored.schema) as stream:
        stream.write_batch(scored)
    sender.send_bytes(sink.getvalue().to_pybytes())  # type: ignore[attr-defined]


def test_two_metrics_on_one_column_are_refused() -> None:
    with pytest.raises(OptionError, match=r"would both write the column 'rouge1_p'; .*\(prefix='second_'\)"):
        scores([rouge(), rouge(stem=True)], summary=["a"], references=["a"])


def test_a_missing_role_is_refused_by_metric() -> None:
    with pytest.raises(InputError, match="metric 'datastats': no column in the role 'source'"):
        scores([rouge(), datastats()], summary=["a"], references=["a"])


def test_columns_of_unequal_length_are_refused_even_under_one_name() -> None:
    with pytest.raises(InputError, match=r"columns differ in length: .*'summary': 3, 'references': 1"):
        scores(rouge(), summary=["a"] * 3, references=["a"])
    columns = {"summary": Column(pa.array(["a"] * 3), "text"), "references": Column(pa.array(["a"]), "text")}
    with pytest.raises(InputError, match="differ in length"):
        score_columns(columns, [rouge()])
    extra = {**{role: Column(pa.array(["a"]), role) for role in ROLES}, "query": Column(pa.array(["a", "b"]), "query")}
    assert score_columns(extra, [rouge(("1",))])["rouge1_f1"].to_pylist() == [1.0]


def test_the_first_bad_row_is_named_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 50_000)
    good, bad = "plain text " * 2000, pa.array([b"\xff" * 9]).view(pa.string())
    column = pa.chunked_array([pa.array([good] * 60), bad, pa.array([good] * 60), bad])
    for threads in THREADS:
        with pytest.raises(InputError, match="metric 'rouge', column 'summary', row 60: the text is not UTF-8"):
            scores(rouge(), threads=threads, summary=column, references=[good] * 122)


def test_a_metric_on_raw_text_gets_whole_columns_beside_tokenised_ones() -> None:
    def length(batch: Batch) -> dict[str, object]:
        assert batch.tokens is None
        return {"bytes": pa.compute.binary_length(batch.texts["summary"])}

    raw = Metric("bytes", ("summary",), {"bytes": Field("int64")}, length, Citation(""))  # type: ignore[arg-type]
    chunks = pa.chunked_array([["a", None], ["größe"]])
    scored = scores([rouge(("1",)), raw], summary=chunks, references=["a", "b", "größe"])
    assert scored["bytes"] == [1, None, 7]
    assert scored["rouge1_f1"] == [1.0, None, 1.0]


@pytest.mark.parametrize("values", [np.zeros(1), np.zeros((1, 1)), np.zeros((2, 3)), np.zeros((3, 1)), pa.array([1.0])])
def test_a_metric_that_gives_another_number_of_values_is_named(values: object) -> None:
    """One value for three rows must not pass for the first of them."""
    for given in [values, {"one": values}] if isinstance(values, np.ndarray) else [{"one": values}]:
        wrong = Metric("wrong", ("summary",), {"one": Field()}, lambda batch, given=given: given, Citation(""))  # type: ignore[misc]
        with pytest.raises(ValueError, match=r"metric 'wrong': its run gave \(.*\) values for .*, not \("):
            scores(wrong, summary=["a", "b", "c"])


def test_a_metric_may_score_within_its_run(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """On threads of a pool that has none to spare."""
    monkeypatch.setattr(ranges, "SMALLEST", 1000)
    column = Column(table["summary"], "summary")

    def inner(batch: Batch) -> np.ndarray:
        scored = score_columns({"summary": column, "references": column}, [rouge(("1",))], threads=2)
        return np.full((1, batch.rows), len(scored["rouge1_f1"]), np.float64)

    nested = Metric("nested", ("summary",), {"nested": Field("int64")}, inner, Citation(""), Tokenizer("rouge"))
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(score_columns, {"summary": column}, [nested], threads=2).result(timeout=100)
    assert set(found["nested"].to_pylist()) == {table.num_rows}


def test_roles_that_are_not_cut_may_hold_anything() -> None:
    def run(batch: Batch) -> np.ndarray:
        return np.zeros((1, batch.rows))

    metric = Metric("free", ("summary", "query"), {"free": Field()}, run, Citation(""), Tokenizer("rouge"))
    assert scores(metric, summary=["a"], query=pa.array([{"any": 1}])) == {"free": [0.0]}


def test_an_array_that_a_run_gives_is_left_as_it_is() -> None:
    """A metric may give the same array again."""
    kept = np.array([[1.0, np.nan]])
    metric = Metric("kept", ("summary",), {"kept": Field()}, lambda batch: kept, Citation(""))
    kept.flags.writeable = False
    assert [scores(metric, summary=["a", "b"])["kept"] for _ in range(2)] == [[1.0, None]] * 2
    whole = Metric("whole", ("summary",), {"whole": Field()}, lambda batch: np.ones((1, 2), np.int64), Citation(""))  # type: ignore[arg-type]
    assert scores(whole, summary=["a", "b"]) == {"whole": [1.0, 1.0]}


def test_scoring_imports_neither_polars_nor_torch() -> None:
    code = (
        "import sys, pyarrow as pa; from gistmark_engine.plan import score_batch; "
        "from gistmark_engine.metrics.rouge import rouge; "
        "score_batch(pa.record_batch({'summary': ['a'], 'references': ['a']}), [rouge(('1',))]); "
        "assert not {'polars', 'torch'} & set(sys.modules)"
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
