"""Krippendorff's alpha against `krippendorff`, the kappas against `statsmodels`, and the bootstrap's promises."""

from __future__ import annotations

import krippendorff as reference
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.stats.inter_rater as statsmodels
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.statistics import cohen as cohen_expression
from gistmark.statistics import fleiss as fleiss_expression
from gistmark.statistics import krippendorff as krippendorff_expression
from gistmark_engine.agreement import LEVELS, cohen, fleiss, krippendorff
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.jit import kernel
from gistmark_engine.kernels import agreement as kernels
from gistmark_engine.kernels.random import philox


def arrays(table):
    """Coders' rows as Arrow arrays; NaN and None are missing."""
    return [pa.array(row, from_pandas=True) for row in table]


def by_package(table, level):
    """The package's alpha, None where it refuses or is not a number."""
    try:
        with np.errstate(all="ignore"):
            value = float(reference.alpha(np.asarray(table, float), level_of_measurement=level))
    except ValueError:
        return None
    return None if np.isnan(value) else value


def check(table, level):
    expected = by_package(table, level)
    found = krippendorff(arrays(table), level)
    assert found.value == (None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-12)), (table, level)
    assert (found.status == "ok") == (expected is not None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("coders", "units", "values"), [(2, 5, 2), (2, 60, 3), (5, 100, 5), (8, 30, 40), (30, 10, 4), (3, 1, 3)]
)
def test_random_ratings(level, coders, units, values):
    rng = np.random.default_rng(coders * units * values)
    for gaps in (0.0, 0.2, 0.8):
        table = rng.integers(0, values, (coders, units)).astype(float)
        table[rng.random(table.shape) < gaps] = np.nan
        check(table, level)


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=100, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda coders: st.lists(
            st.lists(
                st.one_of(st.integers(0, 3).map(float), st.just(np.nan), st.sampled_from([0.1, 1e6, 1e-6])),
                min_size=coders,
                max_size=coders,
            ),
            min_size=1,
            max_size=12,
        )
    )
)
def test_hostile_ratings(level, units):
    table = np.array(units).T
    if not np.isnan(table).all():
        check(table, level)


# two coders, alpha: counted by hand as fractions
HAND_COUNTED = [
    (["A", "B", "A", "Neither", "B", "A"], ["A", "B", "B", "Neither", "A", "A"], 1 / 2, "ok"),
    (["A", "B"], ["B", "A"], -1 / 2, "ok"),
    (["A", "B", "A"], ["A", "B", "A"], 1.0, "ok"),
    (["A", "A"], ["A", "A"], None, "constant"),
    (["A", "B", "B"], ["A", None, "A"], 0.0, "ok"),
    (["A", "A", "B", "B"], ["Neither"] * 4, -0.4, "ok"),
    (["A", "B"], [None, None], None, "no_pairs"),
    ([], [], None, "no_pairs"),
]


@pytest.mark.parametrize(("human", "metric", "alpha", "status"), HAND_COUNTED)
def test_hand_counted_alpha(human, metric, alpha, status):
    found = krippendorff([pa.array(human, pa.string()), pa.array(metric, pa.string())])
    assert found.value == (None if alpha is None else pytest.approx(alpha, abs=1e-15))
    assert found.status == status


def test_a_missing_rating_is_no_category():
    assert krippendorff(arrays([[1, 2, 2, None], [1, 2, None, None], [None, 2, 2, 3]])).value == 1.0


def test_ratings_without_variation():
    table = arrays([[4, 4, 4], [4, 4, 4]])
    assert krippendorff(table).value is None
    assert krippendorff(table, on_constant="one").value == 1.0
    assert krippendorff(arrays([[1, 2], [None, None]]), on_constant="one").value is None
    same = [0.1, 0.1, 0.1]
    assert krippendorff(arrays([same, same]), "interval").status == "constant"


def test_an_unused_scale_point_changes_nothing():
    table = arrays([[1, 3, 3, 1, 3], [1, 3, 1, 1, 3], [1, 3, 3, 1, 1]])
    assert krippendorff(table, "ordinal").value == pytest.approx(0.5, abs=1e-12)
    assert krippendorff(table, "ordinal", order=[1, 2, 3]).value == pytest.approx(0.5, abs=1e-12)


def test_ordered_words_are_ordinal():
    low_to_high = ["very low", "low", "mid", "high", "very high"]
    rng = np.random.default_rng(8)
    table = rng.integers(0, 5, (3, 40))
    words = [pa.array([low_to_high[k] for k in row]) for row in table]
    expected = reference.alpha(table, level_of_measurement="ordinal")
    assert krippendorff(words, "ordinal", order=low_to_high).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_ten_thousand_units(level):
    check(np.random.default_rng(10).integers(1, 6, (5, 10_000)), level)


def test_a_continuous_scale():
    rng = np.random.default_rng(9)
    table = rng.normal(0, 1, (2, 90)) + rng.normal(0, 1, 90)
    check(table, "interval")
    check(np.abs(table), "ratio")


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_equals_statsmodels(weights):
    rng = np.random.default_rng(4)
    for size in (2, 3, 6):
        first = rng.integers(0, size, 80)
        second = np.where(rng.random(80) < 0.5, first, rng.integers(0, size, 80))
        table = np.zeros((size, size))
        np.add.at(table, (first, second), 1)
        wt = None if weights == "none" else weights
        expected = statsmodels.cohens_kappa(table, wt=wt, return_results=False)
        gaps = [pa.array([*first, 1, None]), pa.array([*second, None, 0])]
        assert cohen(gaps, weights, order=range(size)).value == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert cohen(gaps, weights, order=range(size)).units == 80


def test_fleiss_equals_statsmodels():
    rng = np.random.default_rng(6)
    for coders, size in ((2, 2), (3, 5), (7, 3)):
        table = np.where(rng.random((coders, 50)) < 0.5, rng.integers(0, size, 50), rng.integers(0, size, (coders, 50)))
        counts, _ = statsmodels.aggregate_raters(table.T)
        expected = statsmodels.fleiss_kappa(counts, method="fleiss")
        unrated = [pa.array([*row, None]) for row in table]
        assert fleiss(unrated).value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("coefficient", [cohen, fleiss])
def test_kappa_without_variation_is_undefined(coefficient):
    found = coefficient(arrays([[1, 1], [1, 1]]))
    assert (found.value, found.status) == (None, "constant")
    assert coefficient(arrays([[None, None], [None, None]])).status == "no_pairs"


@kernel
def four(key, stream, block):
    return philox(key, stream, block)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_gives_the_known_answers_of_random123(counter, key, expected):
    low, high = counter[0] | counter[1] << 32, counter[2] | counter[3] << 32
    assert list(four(np.uint64(key[0] | key[1] << 32), np.uint64(high), np.uint64(low))) == expected


@pytest.fixture
def matches():
    """480 matches of 20 annotators, a metric that agrees in half of them."""
    rng = np.random.default_rng(2)
    human = rng.choice(["left", "right", "neither"], 480)
    metric = np.where(rng.random(480) < 0.5, human, rng.choice(["left", "right", "neither"], 480))
    return pl.DataFrame({"human": human, "metric": metric, "annotator": np.repeat(np.arange(20), 24)})


@pytest.mark.parametrize(("scale", "level"), [(0, "nominal"), (1, "ordinal")])
def test_a_replicate_is_the_coefficient_of_the_resampled_clusters(scale, level, matches):
    """Every replicate equals the package on the units it drew; in any order, and any range of them alone."""
    codes = np.stack(
        [matches[c].cast(pl.Enum(["left", "neither", "right"])).to_physical() for c in ("human", "metric")]
    )
    ratings, labels = codes.T.astype(np.int32).copy(), matches["annotator"].to_numpy()
    keys, counts = np.unique(np.repeat(labels, 2) * 3 + ratings.ravel(), return_counts=True)
    apart = np.empty(480)
    kernels.disagreements(scale, ratings, np.arange(3.0), apart)
    setting = (scale, False, 1.0, ratings, np.arange(3.0), labels, np.bincount(labels, apart))
    setting += (np.searchsorted(keys, np.arange(21) * 3), keys % 3, counts.astype(float), 77)
    out, later = np.empty(12), np.empty(5)
    kernels.replicates(*setting, 0, out)
    kernels.replicates(*setting, 7, later)
    assert out[7:].tobytes() == later.tobytes()
    for replicate, value in enumerate(out):
        drawn = [
            int(u) * 20 >> 32 for block in range(5) for u in four(np.uint64(77), np.uint64(replicate), np.uint64(block))
        ]
        units = np.concatenate([np.flatnonzero(labels == cluster) for cluster in drawn])
        assert value == pytest.approx(reference.alpha(codes[:, units], level_of_measurement=level), rel=1e-12)


def test_interval_covers_the_truth(matches):
    """The interval of 480 independent matches is near the textbook's: 1.96 standard errors of the estimate."""
    coders = [matches["human"].to_arrow(), matches["metric"].to_arrow()]
    found = krippendorff(coders, bootstrap=Bootstrap(4000, seed=1))
    again = krippendorff(coders, bootstrap=Bootstrap(4000, seed=1))
    other = krippendorff(coders, bootstrap=Bootstrap(4000, seed=2))
    assert found == again != other
    rng = np.random.default_rng(0)
    table = np.stack([np.unique(c.to_pylist(), return_inverse=True)[1] for c in coders])
    drawn = [reference.alpha(table[:, rng.integers(0, 480, 480)], level_of_measurement="nominal") for _ in range(1000)]
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)


def test_whole_clusters_are_resampled():
    """With one cluster every replicate is the data; with a cluster a unit the interval is not."""
    coders, one = arrays([[1, 2, 1, 2, 2, 1], [1, 2, 2, 2, 1, 1]]), pa.array(["a"] * 6)
    found = krippendorff(coders, clusters=one, bootstrap=Bootstrap(20))
    assert found.low == found.high == found.value
    assert krippendorff(coders, bootstrap=Bootstrap(200)).low < found.value


def test_expressions_in_every_context(matches):
    express = krippendorff_expression("human", "metric", clusters="annotator", replicates=50, seed=3)
    half = matches.with_columns(group=pl.col("annotator") % 2)
    grouped = half.group_by("group", maintain_order=True).agg(express)
    streamed = half.lazy().group_by("group", maintain_order=True).agg(express).collect(engine="streaming")
    windowed = half.with_columns(express.over("group")).select("group", "krippendorff").unique(maintain_order=True)
    assert grouped.sort("group").equals(streamed.sort("group"))
    assert grouped.sort("group").equals(windowed.sort("group"))
    one = half.filter(pl.col("group") == 1)
    found = krippendorff(
        [one["human"].to_arrow(), one["metric"].to_arrow()],
        clusters=one["annotator"].to_arrow(),
        bootstrap=Bootstrap(50, seed=3),
    )
    row = grouped.filter(pl.col("group") == 1).unnest("krippendorff").row(0, named=True)
    assert (row["krippendorff"], row["krippendorff_low"], row["krippendorff_n"]) == (found.value, found.low, 240)


def test_expressions_of_kappas_and_enums(matches):
    order = ["left", "neither", "right"]
    coders = [matches["human"].to_arrow(), matches["metric"].to_arrow()]
    enums = matches.with_columns(pl.col("human", "metric").cast(pl.Enum(order)))
    found = enums.select(
        cohen_expression("human", "metric", weights="linear"),
        fleiss_expression("human", "metric"),
        krippendorff_expression("human", "metric", level="ordinal"),
    ).unnest("cohen", "fleiss", "krippendorff")
    assert found["cohen"][0] == cohen(coders, "linear", order=order).value
    assert found["fleiss"][0] == fleiss(coders).value
    assert found["krippendorff"][0] == krippendorff(coders, "ordinal", order=order).value
    assert enums.clear().select(fleiss_expression("human", "metric")).unnest("fleiss")["fleiss_status"][0] == "no_pairs"


def test_refusals():
    words, numbers = pa.array(["a", "b"]), pa.array([1.0, -2.0])
    for error, message, call in (
        (OptionError, "level must be one of", lambda: krippendorff([words, words], "cardinal")),
        (OptionError, "needs numbers, or `order`", lambda: krippendorff([words, words], "ordinal")),
        (OptionError, "needs numbers", lambda: krippendorff([words, words], "interval")),
        (InputError, r"level 'ratio' \(found -2.0\)", lambda: krippendorff([numbers, numbers], "ratio")),
        (InputError, r"column 'h', row 1: a rating outside order \(found 'b'\)", lambda: krippendorff(
            [words, words], order=["a"], columns=["h", "m"])),
        (InputError, "some coders give numbers, others text", lambda: krippendorff([words, numbers])),
        (InputError, "different numbers of units", lambda: krippendorff([words, words[:1]])),
        (InputError, "column 'coder 1': holds list", lambda: krippendorff([words, pa.array([["a"], ["b"]])])),
        (InputError, "column 'clusters', row 1", lambda: krippendorff([words, words], clusters=pa.array([1, None]))),
        (InputError, "1 clusters for 2 units", lambda: krippendorff([words, words], clusters=pa.array([1]))),
        (InputError, "row 1: has 1 ratings, another unit 2", lambda: fleiss([words, pa.array(["a", None])])),
        (OptionError, "compares 2 coders, not 3", lambda: cohen([words] * 3)),
        (OptionError, "weights must be one of", lambda: cohen([words] * 2, "cubic")),
        (OptionError, "needs numbers, or `order`", lambda: cohen([words] * 2, "linear")),
        (OptionError, "lists a category twice", lambda: krippendorff([words] * 2, order=["a", "a", "b"])),
        (OptionError, "at least 2 coders", lambda: krippendorff_expression("human")),
        (OptionError, "confidence", lambda: Bootstrap(confidence=95)),
        (OptionError, "seed", lambda: Bootstrap(seed=-1)),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            call()
