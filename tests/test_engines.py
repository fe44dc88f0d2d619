"""Ray, Spark, DuckDB and pandas give what the local call gives, in order, whatever happens to their workers."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import gistmark as gm
from gistmark import files
from gistmark_bindings import ray as ray_binding
from gistmark_datasets import scitldr_sample
from gistmark_engine.metric import Batch, Citation, Field, Metric, Values

Run = Callable[..., tuple[int, str, str]]

PATHS = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
PAIRS = pl.read_parquet(scitldr_sample()).head(900).with_row_index("id").cast({"id": pl.Int64})
METRICS = [gm.metrics.rouge(), gm.metrics.datastats(), gm.metrics.abstraction()]


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Statuses as strings, as other engines have them."""
    return frame.cast({name: pl.String() for name, kind in frame.schema.items() if isinstance(kind, pl.Enum)})


class Mortal:
    """A metric's `run` whose worker is killed the first time it gets a certain text; opened, it must be told so."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        texts = batch.texts["summary"]
        if "fatal" in texts.to_pylist() and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"length": pa.compute.utf8_length(texts).to_numpy().astype(np.float64)}


class MortalHolder(Mortal):
    """The same, in an actor: it holds something open."""

    ready = False

    def open(self) -> None:
        self.ready = True

    def close(self) -> None:
        self.ready = False

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        assert self.ready
        return super().__call__(batch)


def mortal(run: Mortal, prefix: str) -> Metric:
    return Metric("mortal", ("summary",), {"length": Field()}, run, Citation("none"), prefix=prefix)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'gistmark[ray]'")
    data = pytest.importorskip("ray.data")
    os.environ |= PATHS | {"RAY_memory_monitor_refresh_ms": "0"}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'gistmark[spark]'")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, and there is none here")
    from pyspark.sql import SparkSession

    os.environ |= PATHS | {"PYSPARK_PYTHON": sys.executable}
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "1g").config("spark.log.level", "ERROR").getOrCreate()
    yield session
    session.stop()


def collected(dataset: Any) -> pl.DataFrame:
    blocks = list(dataset.iter_batches(batch_format="pyarrow", batch_size=None))
    frame = pl.from_arrow(pa.concat_tables(blocks))
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_ray_equals_local(ray: Any) -> None:
    judge = gm.metrics.judge(gm.judges.Fake(), cache=False)
    blocks = [PAIRS[start : start + 130].to_arrow() for start in range(0, PAIRS.height, 130)]
    scored = gm.ray.score(ray.data.from_arrow(blocks), [*METRICS, judge], rows=64, actor_rows=50)
    assert collected(scored).equals(plain(gm.score(PAIRS, [*METRICS, judge])))


def test_a_killed_worker_loses_and_doubles_nothing(ray: Any, tmp_path: Path) -> None:
    texts = ["fatal" if row in (70, 130) else "x" * row for row in range(200)]
    frame = pl.DataFrame({"id": range(200), "summary": texts})
    metrics = [mortal(Mortal(tmp_path / "task"), "a_"), mortal(MortalHolder(tmp_path / "actor"), "b_")]
    dataset = ray.data.from_arrow([frame[start : start + 20].to_arrow() for start in range(0, 200, 20)])
    for metric in metrics:
        dataset = gm.ray.score(dataset, [metric], rows=20)
    lengths = pl.Series([float(len(text)) for text in texts])
    assert collected(dataset).equals(frame.with_columns(a_length=lengths, b_length=lengths))
    assert sorted(os.listdir(tmp_path)) == ["actor", "task"]


@pytest.mark.parametrize("actors", [0, 2])
def test_a_part_whose_worker_died_is_made_again(ray: Any, tmp_path: Path, actors: int) -> None:
    class Work:
        def opened(self) -> Work:
            return self

        def __call__(self, item: int) -> int:
            if item == 3 and not (tmp_path / "mark").exists():
                (tmp_path / "mark").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return item

    assert sorted(ray_binding.each(Work(), range(8), actors=actors)) == list(range(8))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_the_command_line_makes_the_same_parts(
    cli: Run, tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    request.getfixturevalue(engine)
    for start in (0, 300, 600):
        files.write(PAIRS[start : start + 300], tmp_path / f"{start:03}.parquet")
    command = ("score", tmp_path / "*.parquet", "--metrics", "rouge,datastats", "--output")
    _, table, _ = cli(*command, f"{tmp_path}/local/")
    assert cli(*command, f"{tmp_path}/{engine}/", "--engine", engine)[:2] == (0, table)
    parts = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("local", engine)]
    assert parts[0] == parts[1]
    (tmp_path / engine / "300-00000.parquet").unlink()
    assert cli(*command, f"{tmp_path}/{engine}/", "--engine", engine, "--resume")[:2] == (0, table)


def test_an_error_in_a_worker_is_one_line(ray: Any, cli: Run, tmp_path: Path) -> None:
    files.write(pl.DataFrame({"summary": ["(S (NN a))", "(S"]}), tmp_path / "in.parquet")
    options = ("--metrics", "syntax", "--set", "syntax.backend=const", "--output", f"{tmp_path}/out/")
    code, _, err = cli("score", tmp_path / "in.parquet", *options, "--engine", "ray")
    assert (code, err.count("\n")) == (2, 1)
    assert "column 'summary', row 1" in err
    assert list((tmp_path / "out").iterdir()) == []


def test_engines_share_out_files_with_a_count_of_rows(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"summary": "a", "references": "a"}\n')
    code, _, err = cli("score", tmp_path / "t.jsonl", "--output", f"{tmp_path}/out/", "--engine", "spark")
    assert (code, "Parquet or Arrow IPC" in err) == (2, True)


def test_a_budget_is_one_process_s(cli: Run, tmp_path: Path) -> None:
    files.write(PAIRS.head(2), tmp_path / "in.parquet")
    options = ("--metrics", "judge", "--budget", "calls=3", "--output", f"{tmp_path}/out/", "--engine", "ray")
    code, _, err = cli("score", tmp_path / "in.parquet", *options)
    assert (code, "--budget counts in one process" in err) == (2, True)


def test_spark_equals_local(spark: Any) -> None:
    frame = spark.createDataFrame(PAIRS.to_arrow()).repartition(4)
    scored = gm.spark.score(frame, METRICS)
    assert scored.columns == plain(gm.score(PAIRS[:1], METRICS)).columns
    table = pl.from_arrow(scored.toArrow())
    assert isinstance(table, pl.DataFrame)
    assert table.sort("id").equals(plain(gm.score(PAIRS, METRICS)))


def test_duckdb_equals_local() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'gistmark[duckdb]'")
    connection = duckdb.connect(config={"threads": 2})
    gm.duckdb.register(connection, METRICS)
    query = f"SELECT unnest(gistmark(summary, \"references\", source)) FROM '{scitldr_sample()}' LIMIT 900"
    scored = pl.from_arrow(connection.sql(query).to_arrow_table())
    assert isinstance(scored, pl.DataFrame)
    assert scored.equals(plain(gm.score(PAIRS, METRICS)).select(scored.columns))
    gm.duckdb.register(connection, ["datastats"], "overlap", arguments=("source", "summary"))
    query = "SELECT overlap('a b c', 'a b').coverage, overlap('a', NULL).datastats_status"
    assert connection.sql(query).fetchall() == [(1.0, None)]
    with pytest.raises(gm.OptionError, match="no metric reads an argument 'references'; they read summary, source"):
        gm.duckdb.register(connection, ["datastats"], "s", arguments=("summary", "source", "references"))
    with pytest.raises(duckdb.Error, match="overlap takes source, summary, not 1 argument"):
        connection.sql("SELECT overlap('a')").fetchall()


def test_pandas_equals_local() -> None:
    pandas = pytest.importorskip("pandas")
    scored = gm.score(PAIRS.to_pandas(), METRICS)
    assert isinstance(scored, pandas.DataFrame)
    fields = [name for metric in METRICS for name, field in metric.columns.items() if field.dtype == "float64"]
    assert pl.from_pandas(scored[fields]).equals(gm.score(PAIRS, METRICS).select(fields))


def test_what_needs_all_rows_is_refused() -> None:
    whole = replace(gm.metrics.rouge(), row_local=False)
    with pytest.raises(gm.OptionError, match="'rouge' needs all rows at once"):
        gm.duckdb.register(None, [whole])  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["ray", "pyspark", "duckdb"])
def test_a_missing_engine_is_one_sentence(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setitem(sys.modules, engine, None)
    name = engine.removeprefix("py")
    calls: dict[str, Callable[[], object]] = {
        "ray": lambda: gm.ray.score(None),  # type: ignore[arg-type]
        "spark": lambda: gm.spark.score(None),  # type: ignore[arg-type]
        "duckdb": lambda: gm.duckdb.register(None, ["rouge"]),  # type: ignore[arg-type]
    }
    with pytest.raises(gm.MissingExtra, match=rf"pip install 'gistmark\[{name}\]'"):
        calls[name]()
