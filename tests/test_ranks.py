"""Spearman, Pearson and Kendall against scipy, as kernels over Arrow lists and as Polars expressions."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.statistics import kendall, mean_interval, pearson, spearman
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.ranks import KINDS, correlate

SCIPY = {"spearman": scipy.stats.spearmanr, "pearson": scipy.stats.pearsonr, "kendall": scipy.stats.kendalltau}
EXPRESSIONS = {"spearman": spearman, "pearson": pearson, "kendall": kendall}


def by_scipy(kind, x, y):
    """scipy's coefficient of the pairs without NaN; None where it has none."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    keep = ~(np.isnan(x) | np.isnan(y))
    if keep.sum() < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = float(SCIPY[kind](x[keep], y[keep]).statistic)
    return None if np.isnan(value) else value


def columns(found):
    return [column.to_pylist() for column in found.values()]


def agrees(kind, xs, ys):
    """Our coefficients of many series against scipy's, one by one."""
    values, counts, status = columns(correlate(kind, pa.array(xs), pa.array(ys)))
    for x, y, value, count, state in zip(xs, ys, values, counts, status, strict=True):
        expected = by_scipy(kind, x, y)
        assert (value is None) == (expected is None) == (state != "ok"), (x, y, value, expected, state)
        assert count == sum(not (np.isnan(a) or np.isnan(b)) for a, b in zip(x, y, strict=True))
        if expected is not None:
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [0, 1, 2, 3, 6, 15, 16, 17, 33, 100])
@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_random_series_with_ties_and_gaps(kind, length, levels):
    rng = np.random.default_rng(length * 7 + levels)
    xs, ys = (rng.integers(0, levels, (40, length)).astype(float) for _ in range(2))
    xs[rng.random(xs.shape) < 0.1] = np.nan
    agrees(kind, list(xs), list(ys))


@pytest.mark.parametrize("kind", KINDS)
def test_one_long_series(kind):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 500, 20_000).astype(float)
    agrees(kind, [x, np.arange(20_000.0)], [x + rng.normal(0, 300, 20_000), np.arange(20_000.0)[::-1]])


pairs = st.lists(
    st.tuples(
        st.one_of(st.integers(-3, 3).map(float), st.floats(-1e9, 1e9), st.just(-0.0), st.just(np.nan)),
        st.integers(-3, 3).map(float),
    ),
    max_size=40,
)


@pytest.mark.parametrize("kind", ["spearman", "kendall"])
@settings(max_examples=150, deadline=None)
@given(pairs=pairs)
def test_hostile_series(kind, pairs):
    agrees(kind, [[x for x, _ in pairs]], [[y for _, y in pairs]])


def test_scipy_case_with_ties():
    x, y = [2, 2, 2, 5, 5, 8, 9, 1], [7, 6, 6, 4, 4, 4, 1, 9]
    assert correlate("spearman", pa.array([x]), pa.array([y]))["spearman"][0].as_py() == pytest.approx(
        -0.9620253164556962, rel=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_perfect_relation_is_exactly_one(kind):
    x = [[1, 2, 3, 4, 5], [3, 1, 2, 9, 7, 8, 4]]
    y = [[2, 4, 6, 8, 10], [-6, -2, -4, -18, -14, -16, -8]]
    assert correlate(kind, pa.array(x), pa.array(y))[kind].to_pylist() == [1.0, -1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_two_levels_are_defined_unless_more_are_asked_for(kind):
    x, y = pa.array([[1, 2]]), pa.array([[3, 4]])
    assert columns(correlate(kind, x, y)) == [[1.0], [2], ["ok"]]
    assert columns(correlate(kind, x, y, min_n=3)) == [[None], [2], ["too_few"]]


@pytest.mark.parametrize("kind", KINDS)
def test_nan_and_null_are_missing_never_ranked(kind):
    y = pa.array([[5.0, 2, 1, 0]])
    for gap in (float("nan"), None):
        x = pa.array([[gap, 1.0, 2, 3]])
        expected = by_scipy(kind, [1, 2, 3], [2, 1, 0])
        assert columns(correlate(kind, x, y)) == [[pytest.approx(expected, abs=1e-15)], [3], ["ok"]]
        assert columns(correlate(kind, x, y, missing="propagate")) == [[None], [3], ["missing"]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_side_has_no_coefficient(kind):
    found = correlate(kind, pa.array([[1, 1, 1, 1], [1, 2, 3, 4]]), pa.array([[1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1]]))
    assert columns(found) == [[None, None], [4, 4], ["constant", "constant"]]


def test_infinity_has_a_rank_but_no_distance():
    x, y = pa.array([[1.0, 2.0, float("inf")]]), pa.array([[1.0, 3.0, 2.0]])
    assert correlate("spearman", x, y)["spearman"].to_pylist() == [0.5]
    assert columns(correlate("pearson", x, y)) == [[None], [3], ["infinite"]]


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-160, 1.0, 1e160, 1.7e307])
def test_pearson_survives_any_magnitude(scale):
    x, y = [[0.0, 3 * scale, 5 * scale, 10 * scale]], [[1.0, 2.0, 2.0, 4.0]]
    expected = by_scipy("pearson", [0, 3, 5, 10], y[0])
    tolerance = 1e-2 if scale < 1e-310 else 1e-12
    assert correlate("pearson", pa.array(x), pa.array(y))["pearson"][0].as_py() == pytest.approx(
        expected, rel=tolerance
    )


def test_pearson_far_from_zero():
    rng = np.random.default_rng(5)
    x = 1e9 + rng.normal(0, 1, (30, 50))
    agrees("pearson", list(x), list(rng.normal(0, 1, (30, 50))))


def test_levels_may_be_shared_or_left_to_the_position():
    scores = pa.array([[5.0, 4, 4, 3, 2], [1, 2, 3, 4, 5]])
    expected = [pytest.approx(-0.9746794344808964, rel=1e-12), 1.0]
    for levels in (None, range(5), [0, 10, 20, 30, 40], pa.array([[0, 1, 2, 3, 4]] * 2)):
        assert correlate("spearman", scores, levels)["spearman"].to_pylist() == expected


@pytest.mark.parametrize(
    "dtype", [pa.list_(pa.int32()), pa.large_list(pa.float32()), pa.list_(pa.float64(), 3), pa.list_(pa.uint8())]
)
def test_any_list_layout_sliced_and_chunked(dtype):
    rows = pa.array([[9, 9, 9], [1, 2, 3], None, [1, 3, 2], [3, 2, 1]], type=dtype)
    for values in (rows[1:], pa.chunked_array([rows[1:3], rows[3:]])):
        assert columns(correlate("spearman", values)) == [
            [1.0, None, 0.5, -1.0],
            [3, None, 3, 3],
            ["ok", None, "ok", "ok"],
        ]


def test_refusals_name_column_and_row():
    with pytest.raises(InputError, match=r"column 'a', row 1: a series of 2 against 3 of 'b'"):
        correlate("spearman", pa.array([[1], [1, 2]]), pa.array([[1], [1, 2, 3]]), columns=("a", "b"))
    with pytest.raises(InputError, match=r"column 'a', row 0: a series of 1 against 2 of 'levels'"):
        correlate("spearman", pa.array([[1]]), [1, 2], columns=("a", "levels"))
    with pytest.raises(InputError, match=r"column 'a': holds list<item: string>"):
        correlate("spearman", pa.array([["x"]]), columns=("a", "b"))
    with pytest.raises(OptionError, match="kind must be one of spearman"):
        correlate("gamma", pa.array([[1]]))
    with pytest.raises(OptionError, match="missing must be one of"):
        correlate("kendall", pa.array([[1]]), missing="rank")


@pytest.fixture
def scores():
    rng = np.random.default_rng(11)
    sizes = rng.integers(0, 9, 200)
    return pl.DataFrame(
        {
            "group": np.repeat(np.arange(200), sizes),
            "x": rng.integers(0, 4, sizes.sum()).astype(float),
            "y": rng.integers(0, 4, sizes.sum()),
        }
    ).with_columns(pl.when(pl.col("x") == 3).then(None).otherwise(pl.col("x")).alias("x"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_expressions_agree_in_every_context(kind, engine, scores):
    express, x, y = EXPRESSIONS[kind], pl.col("x").implode(), pl.col("y").implode()
    listed = scores.lazy().group_by("group", maintain_order=True).agg("x", "y").with_columns(express("x", "y"))
    grouped = scores.lazy().group_by("group", maintain_order=True).agg(express(x, y))
    windowed = scores.lazy().with_columns(express(x, y).over("group")).unique("group", maintain_order=True)
    tables = [query.select("group", kind).collect(engine=engine) for query in (listed, grouped, windowed)]
    assert tables[0].equals(tables[1].sort("group"))
    assert tables[0].equals(tables[2].sort("group"))
    for (_, rows), value in zip(
        scores.group_by("group", maintain_order=True), tables[0].unnest(kind)[kind], strict=True
    ):
        expected = by_scipy(kind, rows["x"].fill_null(float("nan")), rows["y"])
        assert value == (None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-14))


def test_expressions_on_literals_nulls_and_no_rows():
    frame = pl.DataFrame({"s": [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]})
    assert frame.select(spearman("s", pl.lit([0, 1, 2])).struct[0])["spearman"].to_list() == [1.0, -0.5]
    assert frame.clear().select(spearman("s", pl.lit([0, 1, 2]))).height == 0
    nothing = frame.with_columns(s=pl.lit(None)).select(spearman("s")).unnest("spearman")
    assert nothing.rows() == [(None, None, None)] * 2
    assert nothing.schema["spearman_status"] == pl.Enum(["ok", "too_few", "constant", "missing", "infinite"])


def test_an_expression_over_plain_numbers_says_what_to_type():
    with pytest.raises(InputError, match="implode"):
        pl.DataFrame({"s": [1.0, 2.0]}).select(spearman("s"))


def test_mean_intervals_leave_gaps_out_and_repeat_to_the_bit():
    frame = pl.DataFrame({"v": [[1.0, 2.0, 3.0, None], [], None, [5.0], [float("nan"), 4.0]]})
    found = frame.select(mean_interval("v", seed=4)).unnest("mean")
    assert found["mean"].to_list() == [2.0, None, None, 5.0, 4.0]
    assert found["mean_n"].to_list() == [3, 0, None, 1, 1]
    assert found["mean_status"].to_list() == ["ok", "too_few", None, "ok", "ok"]
    assert found.equals(frame.select(mean_interval("v", seed=4)).unnest("mean"))
    assert frame.select(mean_interval("v", replicates=0)).unnest("mean")["mean_low"].null_count() == 5


def test_mean_interval_is_the_bootstrap_of_scipy():
    values = np.random.default_rng(1).gamma(2.0, 1.0, 60)
    ours = pl.DataFrame({"v": [values]}).select(mean_interval("v", replicates=20_000)).unnest("mean").row(0, named=True)
    theirs = scipy.stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=0)
    assert ours["mean"] == pytest.approx(values.mean(), rel=1e-14)
    interval = theirs.confidence_interval
    assert [ours["mean_low"], ours["mean_high"]] == pytest.approx([interval.low, interval.high], abs=0.02)
