"""Intervals of the end table: against numpy, scipy and sacreBLEU on the same draws."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resampled import CORPUS, MADE, Frame, first, swaps, times
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

import gistmark as gm
from gistmark_engine.resampling import Quantile, Sums, exchanged, jackknife


def test_corpus_replicates_are_corpus_scores_of_the_drawn_texts(summeval: Frame) -> None:
    one = summeval.filter(system=summeval["system"][0])
    scored = gm.score(one, CORPUS)
    for metric in CORPUS:
        line = gm.summarise(scored, [metric], intervals="bootstrap", replicates=5, seed=3).filter(statistic="corpus")
        drawn = []
        for counts in times(40, 5, 3):
            again = one[np.repeat(np.arange(40), counts)]
            streams = [list(stream) for stream in zip(*again["references"].to_list(), strict=True)]
            peer = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[metric.name]()
            drawn.append(peer.corpus_score(again["summary"].to_list(), streams).score)
        assert [line["low"][0], line["high"][0]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), rel=1e-12)


values = st.lists(st.one_of(st.none(), st.integers(-3, 3).map(float)), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(values, st.sampled_from(["score", "skewed"]), st.integers(0, 2**63 - 1))
def test_intervals_are_percentiles_of_what_numpy_finds_in_the_drawn_rows(
    numbers: list[float | None], field: str, seed: int
) -> None:
    frame = pl.DataFrame({"score": numbers, "skewed": numbers}, schema={"score": pl.Float64, "skewed": pl.Float64})
    table = gm.summarise(frame, [MADE], intervals="bootstrap", replicates=20, confidence=0.8, seed=seed)
    taken = [np.repeat(frame[field].to_numpy(), row) for row in times(len(numbers), 20, seed)]
    there = [row[~np.isnan(row)] for row in taken if not np.isnan(row).all()]
    by_name = {"mean": np.mean, "median": np.median}
    by_name |= {name: lambda row, at=at: np.quantile(row, at) for name, at in (("q1", 0.25), ("q3", 0.75))}
    for line in table.filter(field=field).iter_rows(named=True):
        drawn = [by_name[line["statistic"]](row) for row in there]
        expected = np.quantile(drawn, [0.1, 0.9]) if drawn else [None, None]
        assert [line["low"], line["high"]] == pytest.approx(list(expected), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12), st.integers(0, 9))
def test_exchanged_quantiles_equal_numpy(pairs: list[tuple[int, int]], seed: int) -> None:
    both = np.array(pairs, float).T
    drawn = exchanged([Quantile(both[0], 0.25)], [Quantile(both[1], 0.25)], 20, seed)
    for r, swapped in enumerate(swaps(len(pairs), 20, seed)):
        halves = np.where(swapped, both[::-1], both)
        assert drawn[:, 0, r] == pytest.approx(np.quantile(halves, 0.25, axis=1))


def test_the_jackknife_of_a_mean_is_its_standard_error(summeval: Frame) -> None:
    scored = gm.score(summeval, CORPUS)
    table = gm.summarise(scored, [*CORPUS], intervals="jackknife", confidence=0.9)
    line = table.filter(field="bleu", statistic="mean").row(0, named=True)
    numbers = scored["bleu"].to_numpy()
    reach = stats.norm.ppf(0.95) * stats.sem(numbers)
    assert [line["low"], line["high"]] == pytest.approx([numbers.mean() - reach, numbers.mean() + reach])
    one = scored.head(12)
    left_out = [
        gm.summarise(one.filter(pl.int_range(pl.len()) != row), CORPUS).filter(field="chrf", statistic="corpus")
        for row in range(12)
    ]
    errors = np.array([part["value"][0] for part in left_out])
    error = np.sqrt(11 * np.mean((errors - errors.mean()) ** 2))
    line = gm.summarise(one, CORPUS, intervals="jackknife").filter(field="chrf", statistic="corpus").row(0, named=True)
    assert line["high"] - line["value"] == pytest.approx(stats.norm.ppf(0.975) * error)


def test_what_has_no_interval_has_none() -> None:
    alone = pl.DataFrame({"score": [1.0, None], "skewed": [1.0, 2.0]})
    for intervals, bounds in (("jackknife", (None, None)), ("bootstrap", (1.0, 1.0))):
        table = gm.summarise(alone, [MADE], intervals=intervals)  # type: ignore[arg-type]
        assert table.filter(field="score").select("low", "high").row(0) == bounds
    assert jackknife(Sums(np.ones((1, 2)), first), 1.0, 0.95) is None
    nothing = pl.DataFrame({"score": [None], "skewed": [None]}, schema=dict.fromkeys(["score", "skewed"], pl.Float64))
    for intervals in ("jackknife", "bootstrap"):
        table = gm.summarise(nothing, [MADE], intervals=intervals)  # type: ignore[arg-type]
        assert table["low"].null_count() == table.height
    assert gm.summarise(alone, [MADE]).columns == [c for c in table.columns if c not in ("low", "high")]
