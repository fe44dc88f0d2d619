"""The preference study against sessions with known effects and the krippendorff package."""

from __future__ import annotations

from pathlib import Path

import krippendorff as reference
import numpy as np
import polars as pl
import pytest

from gistmark.studies.alphas import Judged, alphas, paired_scores, table
from gistmark.studies.decisions import Threshold
from gistmark.studies.families import family_means, sensitivity
from gistmark.studies.preference import preference
from gistmark.studies.sessions import matches_frame, summaries_frame
from gistmark.studies.simulator import Effects, simulate
from gistmark.studies.winrates import win_rates
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError

statsmodels = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed (extra studies)")
BASE, OTHER = "model-a", "model-b"
TRUTH = Effects()
CODES = {"left": 0, "right": 1, "neither": 2, None: np.nan}


def scored_with_noise(sessions: list, noise: float, seed: int = 0) -> pl.DataFrame:
    """Scores that follow what makes a summary win, with noise; some null."""
    frame = summaries_frame(sessions)
    other, own = frame["model"] == OTHER, frame["personalised"]
    strength = TRUTH.model * other + own * (TRUTH.personalised + TRUTH.interaction * other)
    draw = np.random.default_rng(seed)
    score = strength + draw.normal(0, noise, frame.height)
    words = frame["summary"].str.split(" ").list.len().cast(pl.Int64)
    return frame.with_columns(score=score, words=words, gap=pl.Series(score).scatter(range(0, frame.height, 7), None))


COLUMNS = [
    Judged("score", "automatic", Threshold(0.3, paper=True)),
    Judged("words", "automatic", Threshold(4.0, higher=False), cut=8.0),
    Judged("gap", "judge", Threshold(0.0)),
]


def test_alphas_equal_the_reference_package(small: list) -> None:
    matches, scored = matches_frame(small), scored_with_noise(small, 0.4)
    verdicts = {"judge says": ("judge", matches["human"].reverse())}
    found = alphas(matches, scored, COLUMNS, verdicts, Bootstrap())
    assert {(a.judged.column, a.threshold, a.reading) for a in found} == {
        *(
            (c, k, r)
            for c, k in (("score", "published"), ("words", "default"), ("gap", "default"))
            for r in ("merged", "exclude")
        ),
        *((c, "zero", r) for c in ("score", "words", "gap") for r in ("merged", "exclude")),
        ("words", "cut", "acceptability"),
        *(("judge says", "verdict", r) for r in ("merged", "exclude")),
    }
    for one in found:
        human = [None if h == "neither" and one.reading == "exclude" else h for h in matches["human"]]
        ratings = np.array([[CODES[x] for x in human], [CODES[x] for x in one.decisions]])
        expected = reference.alpha(reliability_data=ratings, level_of_measurement="nominal")
        assert one.agreement.value == pytest.approx(expected, abs=1e-12)


def test_decisions_compare_the_right_summaries(small: list) -> None:
    matches, scored = matches_frame(small), scored_with_noise(small, 0.4)
    lookup = {row[:3]: row[3] for row in scored.select("annotator", "query_id", "label", "score").iter_rows()}
    paired = paired_scores(matches, scored.sample(fraction=1.0, shuffle=True, seed=3), ["score"])
    assert paired["match"].to_list() == matches["match"].to_list()
    for row in paired.iter_rows(named=True):
        for side in ("left", "right"):
            assert row[f"score_{side}"] == lookup[row["annotator"], row["query_id"], row[side]]


def test_missing_and_doubled_scores_are_refused(small: list) -> None:
    matches, scored = matches_frame(small), scored_with_noise(small, 0.4)
    with pytest.raises(InputError, match="scored twice"):
        paired_scores(matches, pl.concat([scored, scored.head(1)]), ["score"])
    with pytest.raises(InputError, match="no scores for a summary"):
        paired_scores(matches, scored.filter(pl.col("annotator") != "annotator00003"), ["score"])


def test_table_tells_rates_and_directions(small: list) -> None:
    matches, scored = matches_frame(small), scored_with_noise(small, 0.4)
    frame = table(alphas(matches, scored, COLUMNS, bootstrap=Bootstrap(200)))
    gap = frame.filter(metric="gap", threshold="default", reading="merged").row(0, named=True)
    paired = paired_scores(matches, scored, ["gap"])
    nulls = (paired["gap_left"].is_null() | paired["gap_right"].is_null()).sum()
    assert gap["n_null"] == nulls > 0
    assert gap["n"] == matches.height - nulls
    assert gap["decision_rate"] == 1.0
    assert (frame["low"] <= frame["alpha"]).all()
    assert (frame["alpha"] <= frame["high"]).all()
    words = frame.filter(metric="words", threshold="default", reading="merged").row(0, named=True)
    paired = paired_scores(matches, scored, ["words"])
    assert words["decision_rate"] == ((paired["words_left"] - paired["words_right"]).abs() >= 4).mean()


def test_family_means_and_their_bounds(small: list) -> None:
    found = alphas(matches_frame(small), scored_with_noise(small, 0.4), COLUMNS, bootstrap=Bootstrap(300))
    means = family_means(found)
    own = [a for a in found if a.judged.family == "automatic" and a.threshold != "zero" and a.reading == "merged"]
    row = means.filter(family="automatic", threshold="own", reading="merged").row(0, named=True)
    assert row["alpha"] == pytest.approx(sum(a.agreement.value for a in own) / 2)
    drawn = (own[0].agreement.drawn + own[1].agreement.drawn) / 2
    assert [row["low"], row["high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    assert row["n"] == 2


def test_sensitivity_meets_the_table_at_one(small: list) -> None:
    matches, scored = matches_frame(small), scored_with_noise(small, 0.4)
    curve = sensitivity(matches, scored, COLUMNS)
    frame = table(alphas(matches, scored, COLUMNS, bootstrap=Bootstrap()))
    assert set(curve["metric"]) == {"score", "words"}
    for metric, kind, multiple in (("score", "published", 1.0), ("score", "zero", 0.0), ("words", "default", 1.0)):
        here = curve.filter(metric=metric, multiple=multiple)["alpha"].item()
        assert here == frame.filter(metric=metric, threshold=kind, reading="merged")["alpha"].item()
    rates = curve.filter(metric="score").sort("multiple")["decision_rate"].to_list()
    assert rates == sorted(rates, reverse=True)


def test_win_rates_count_by_hand(small: list) -> None:
    from statsmodels.stats.proportion import proportion_confint

    rates = win_rates(matches_frame(small))
    wins = decided = neither = 0
    for session in small:
        for match in session.matches:
            left, right = session.summaries[match.left], session.summaries[match.right]
            if match.slot == "final" and left.model != right.model:
                decided += match.winner is not None
                neither += match.winner is None
                wins += match.winner is not None and session.summaries[match.winner].model == BASE
    row = rates.filter(dimension="model", level=BASE, round="final", slot="all").row(0, named=True)
    assert (row["wins"], row["decided"], row["neither"]) == (wins, decided, neither)
    for row in rates.filter(pl.col("decided") > 0).iter_rows(named=True):
        low, high = proportion_confint(row["wins"], row["decided"], method="wilson")
        assert row["rate"] == row["wins"] / row["decided"]
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
    pairs = rates.group_by("dimension", "round", "slot").agg(pl.col("wins").sum(), pl.col("decided").first())
    assert (pairs["wins"] == pairs["decided"]).all()


def test_a_cell_without_a_decision_is_null() -> None:
    rates = win_rates(matches_frame(simulate(2, 2, Effects(neither=1.0))))
    assert rates["decided"].sum() == 0
    assert rates.select(pl.col("rate", "low", "high").is_null().all()).row(0) == (True, True, True)


def test_metrics_are_compared_by_exchanging_their_decisions(small: list) -> None:
    scored = scored_with_noise(small, 0.1).with_columns(
        noise=pl.Series(np.random.default_rng(1).normal(size=640)), copy=pl.col("score")
    )
    columns = [Judged(name, "automatic", Threshold(0.0)) for name in ("score", "noise", "copy", "gap")]
    wanted = [("score", "noise"), ("score", "copy"), ("noise", "gap")]
    study = preference(small, scored, columns, BASE, bootstrap=Bootstrap(199), compare=wanted)
    found = study.comparisons
    assert found.select("first", "second", "reading").rows() == [
        (*pair, r) for pair in wanted for r in ("merged", "exclude")
    ]
    value = dict(study.alphas.filter(threshold="default", reading="merged").select("metric", "alpha").rows())
    better, same, gaps = found.filter(reading="merged").iter_rows(named=True)
    assert better["difference"] == pytest.approx(value["score"] - value["noise"])
    assert (better["p"], better["low"] > 0) == (1 / 200, True)
    assert (same["difference"], same["low"], same["high"], same["p"]) == (0.0, 0.0, 0.0, 1.0)
    assert gaps["n"] < better["n"] == matches_frame(small).height
    with pytest.raises(OptionError, match="compare names 'nois', which has no decisions; there are score, noise"):
        preference(small, scored, columns, BASE, bootstrap=Bootstrap(9), compare=[("score", "nois")])


def test_the_whole_study_is_written_and_repeats(small: list, tmp_path: Path) -> None:
    scored = scored_with_noise(small, 0.4)
    study = preference(small, scored, COLUMNS, BASE, bootstrap=Bootstrap(100))
    study.write(tmp_path / "out")
    again = preference(small, scored, COLUMNS, BASE, bootstrap=Bootstrap(100))
    names = ("alphas", "families", "sensitivity", "win_rates", "odds", "beside_paper")
    for name in names:
        assert getattr(again, name).equals(getattr(study, name))
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(getattr(study, name))
        assert (tmp_path / "out" / f"{name}.csv").exists()
    paper = {row[0]: row[1:] for row in study.beside_paper.iter_rows()}
    assert paper["odds ratio, personalised in base"][0] == 1.86
    assert paper["mean alpha, automatic"] == (
        0.049,
        study.families.filter(family="automatic", threshold="own", reading="merged")["alpha"].item(),
    )
    assert paper["mean alpha, prometheus"][1] is None
    rate = study.win_rates.filter(dimension="personalised", level="personalised", round="first", slot="AB")[
        "rate"
    ].item()
    assert paper["first round AB, personalised wins"] == (0.465, rate)


def test_simulated_neither_and_sides_follow_their_probabilities(large: list) -> None:
    matches = matches_frame(large)
    assert (matches["human"] == "neither").mean() == pytest.approx(TRUTH.neither, abs=0.01)
    sides = win_rates(matches).filter(dimension="side", round="all")
    assert sides["rate"].to_list() == pytest.approx([0.5, 0.5], abs=0.01)
    assert simulate(2, 2, seed=1) == simulate(2, 2, seed=1) != simulate(2, 2, seed=2)
