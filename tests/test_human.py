"""Correlations of metrics with human scores against scipy, on random tables and on SummEval's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gistmark.studies.human import Resampling, correlations
from gistmark.studies.human_tests import permutation_test, williams, williams_test
from gistmark_engine.errors import InputError, OptionError

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def long(**tables: np.ndarray) -> pl.DataFrame:
    """Tables of documents × systems as one row a document and system."""
    documents, systems = next(iter(tables.values())).shape
    columns = {name: pl.Series(table.ravel(), dtype=pl.Float64, nan_to_null=True) for name, table in tables.items()}
    places = {"doc_id": np.repeat(np.arange(documents), systems), "system": np.tile(np.arange(systems), documents)}
    return pl.DataFrame({name: [f"{k:03d}" for k in values] for name, values in places.items()} | columns)


def expected(x: np.ndarray, y: np.ndarray, level: str, kind: str) -> float | None:
    """The definition, row by row, with scipy."""
    lost = np.isnan(x) | np.isnan(y)
    x, y = np.where(lost, np.nan, x), np.where(lost, np.nan, y)
    if level == "system":
        means = [
            (a[~np.isnan(a)].mean(), b[~np.isnan(b)].mean())
            for a, b in zip(x.T, y.T, strict=True)
            if (~np.isnan(a)).any()
        ]
        pairs = [np.array(means).T if means else np.empty((2, 0))]
    else:
        pairs = [(a[~np.isnan(a)], b[~np.isnan(b)]) for a, b in zip(x, y, strict=True)]
    found = [SCIPY[kind](a, b)[0] for a, b in pairs if len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0]
    return float(np.mean(found)) if found else None


cells = st.sampled_from([np.nan, 0.0, 1.0, 2.0, 2.5, -3.0, 7.0])


@settings(max_examples=120, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_correlations_equal_scipy_with_ties_and_gaps(documents: int, systems: int, data: st.DataObject) -> None:
    shape, size = (documents, systems), documents * systems
    x, y = (np.array(data.draw(st.lists(cells, min_size=size, max_size=size))).reshape(shape) for _ in "xy")
    found = correlations(long(x=x, y=y), ["x"], ["y"], Resampling(0))
    for row in found.iter_rows(named=True):
        value = expected(x, y, row["level"], row["coefficient"])
        assert row["value"] == (None if value is None else pytest.approx(value, abs=1e-9))
        assert (row["low"], row["high"]) == (None, None)


@pytest.mark.parametrize("over", ["both", "documents", "systems"])
def test_bounds_are_percentiles_of_replicates(over: str) -> None:
    draw = np.random.default_rng(4)
    truth = draw.normal(size=(30, 1)) + draw.normal(size=(1, 12))
    x, y = (truth + draw.normal(0, s, (30, 12)) for s in (0.5, 1.0))
    frame = long(x=x, y=y)
    how = Resampling(150, over)  # type: ignore[arg-type]
    found = correlations(frame, ["x"], ["y"], how)
    assert found.equals(correlations(frame.sample(fraction=1.0, shuffle=True, seed=1), ["x"], ["y"], how))
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()
    generator = np.random.default_rng(0)
    drawn = []
    for size in (64, 64, 22):
        rows, places = np.tile(np.arange(30), (size, 1)), np.tile(np.arange(12), (size, 1))
        if over != "systems":
            rows = generator.integers(0, 30, (size, 30))
        if over != "documents":
            places = generator.integers(0, 12, (size, 12))
        for r, p in zip(rows, places, strict=True):
            drawn.append(expected(x[np.ix_(r, p)], y[np.ix_(r, p)], "system", "kendall"))
    row = found.filter(level="system", coefficient="kendall").row(0, named=True)
    assert [row["low"], row["high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


@pytest.mark.parametrize("level", ["summary", "system"])
def test_permutation_finds_the_better_metric_and_no_difference_where_there_is_none(level: str) -> None:
    draw = np.random.default_rng(8)
    human = draw.normal(size=(40, 1)) + draw.normal(size=(1, 15)) + draw.normal(0, 0.3, (40, 15))
    tables = {"human": human, "good": human + draw.normal(0, 0.3, human.shape), "poor": draw.normal(size=human.shape)}
    frame = long(**tables, same=tables["good"] * 3.0 + 1.0)
    how = Resampling(199)
    difference, p = permutation_test(frame, "good", "poor", "human", level, "pearson", how)  # type: ignore[arg-type]
    assert difference > 0.4
    assert p == 1 / 200
    difference, p = permutation_test(frame, "good", "same", "human", level, "pearson", how)  # type: ignore[arg-type]
    assert difference == pytest.approx(0, abs=1e-12)
    assert p == 1.0


def test_an_undefined_difference_has_no_p() -> None:
    table = np.arange(12.0).reshape(4, 3)
    frame = long(
        a=table, b=table**2, same=np.ones((4, 3)), human=table, none=np.full((4, 3), np.nan), alone=np.ones((4, 3))
    )
    for first, second, human in (("a", "same", "human"), ("a", "b", "none"), ("a", "b", "alone")):
        assert permutation_test(frame, first, second, human, resampling=Resampling(19)) is None
        assert williams_test(frame, first, second, human) is None


def test_permutation_p_is_uniform_under_the_null() -> None:
    draw = np.random.default_rng(2)
    values = []
    for seed in range(60):
        human = draw.normal(size=(12, 6))
        frame = long(human=human, a=human + draw.normal(size=(12, 6)), b=human + draw.normal(size=(12, 6)))
        values.append(permutation_test(frame, "a", "b", "human", "summary", "pearson", Resampling(99, seed=seed))[1])
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_williams_by_the_determinant_and_by_symmetry() -> None:
    r12, r13, r23, n = 0.7, 0.5, 0.6, 16
    matrix = np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    mean = (r12 + r13) / 2
    spread = 2 * np.linalg.det(matrix) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / spread)
    value, p = williams(r12, r13, r23, n)
    assert value == pytest.approx(t)
    assert p == pytest.approx(2 * stats.t.sf(t, n - 3))
    assert williams(r13, r12, r23, n) == pytest.approx((-value, p))
    assert williams(0.5, 0.5, 0.2, 10) == (0.0, 1.0)
    for bad in ((1.0, 0.5, 0.5, 16), (0.5, 0.4, 0.3, 3)):
        with pytest.raises(OptionError):
            williams(*bad)


def test_williams_p_is_uniform_under_the_null() -> None:
    draw = np.random.default_rng(6)
    values = []
    for _ in range(300):
        y = draw.normal(size=20)
        table = np.corrcoef([y, y + draw.normal(size=20), y + draw.normal(size=20)])
        values.append(williams(table[0, 1], table[0, 2], table[1, 2], 20)[1])
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_williams_test_is_williams_of_the_systems_means() -> None:
    draw = np.random.default_rng(3)
    human = draw.normal(size=(8, 1)) + draw.normal(size=(1, 6))
    x, z = (human + draw.normal(0, spread, human.shape) for spread in (0.5, 1.5))
    x[2, 3] = np.nan
    found = williams_test(long(x=x, z=z, human=human), "x", "z", "human")
    kept = np.where(np.isnan(x), np.nan, 1.0)
    table = np.corrcoef([np.nanmean(values * kept, axis=0) for values in (human, x, z)])
    assert found == pytest.approx((table[0, 1] - table[0, 2], williams(table[0, 1], table[0, 2], table[1, 2], 6)[1]))
    assert williams_test(long(x=human, z=z, human=human), "x", "z", "human") is None
    assert williams_test(long(x=x[:, :3], z=z[:, :3], human=human[:, :3]), "x", "z", "human") is None


def test_a_doubled_pair_is_refused() -> None:
    frame = pl.DataFrame({"doc_id": ["a", "a"], "system": ["s", "s"], "x": [1.0, 2.0], "y": [1.0, 2.0]})
    with pytest.raises(InputError, match="occur twice"):
        correlations(frame, ["x"], ["y"])


def test_summeval_orders_metrics_as_known(shared: Path) -> None:
    """Length and a shared-word score against experts: coefficients equal scipy on the real table."""
    data = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet")
    human = pl.DataFrame([json.loads(text) for text in data["human"]])
    words = data["candidate"].str.split(" ").list.len().cast(pl.Float64)
    frame = pl.concat([data.select("doc_id", "system"), human], how="horizontal").with_columns(words=words)
    found = correlations(frame, ["words"], ["relevance", "fluency"], Resampling(100))
    assert found.height == 2 * 2 * 3
    table = {
        name: np.array(frame.sort("doc_id", "system")[name], float).reshape(100, 16)
        for name in ("words", "relevance", "fluency")
    }
    for row in found.iter_rows(named=True):
        value = expected(table["words"], table[row["human"]], row["level"], row["coefficient"])
        assert row["value"] == pytest.approx(value, abs=1e-9)
        assert row["low"] <= row["value"] <= row["high"]
    assert found.filter(level="system")["n"].unique().to_list() == [16]
