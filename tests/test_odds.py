"""Odds ratios of a preference study: statsmodels on a design built by hand, and sessions with known effects."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import optimize

from gistmark.studies import regression
from gistmark.studies.regression import odds_ratios
from gistmark.studies.sessions import matches_frame
from gistmark.studies.simulator import Effects, simulate
from gistmark_engine.errors import InputError, OptionError

statsmodels = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed (extra studies)")
BASE, OTHER = "model-a", "model-b"
TRUTH = Effects()


@pytest.mark.parametrize("form", ["paired", "sides"])
@pytest.mark.parametrize("cluster", ["annotator", "match"])
def test_odds_equal_statsmodels_on_a_design_built_by_hand(small: list, form: str, cluster: str) -> None:
    rows, won, groups = [], [], []
    for a, session in enumerate(small):
        for m, match in enumerate(session.matches):
            if match.winner is None:
                continue
            x = []
            for label in (match.left, match.right):
                summary = session.summaries[label]
                p, o = float(summary.personalised), float(summary.model == OTHER)
                x.append(np.array([p, o, p * o]))
            group = session.annotator if cluster == "annotator" else f"{a}-{m}"
            if form == "paired":
                rows.append(x[0] - x[1])
                won.append(match.choice == "left")
                groups.append(group)
            else:
                rows += [np.array([*x[k], match.slot == "final", 1.0]) for k in (0, 1)]
                won += [match.choice == "left", match.choice == "right"]
                groups += [group, group]
    codes = np.unique(groups, return_inverse=True)[1]
    model = statsmodels.GLM(np.array(won, float), np.array(rows), family=statsmodels.families.Binomial())
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, tol=1e-14)
    b, v = fit.params, fit.cov_params()
    found = odds_ratios(matches_frame(small), BASE, form, cluster)
    assert (found["status"] == "ok").all()
    for effect, parts in (
        (f"personalised, {BASE}", [0]),
        (f"personalised, {OTHER}", [0, 2]),
        ("interaction", [2]),
        (f"{OTHER}, generic", [1]),
        (f"{OTHER}, personalised", [1, 2]),
        ("final", [3]),
    ):
        if max(parts) >= len(b):
            continue
        row = found.filter(effect=effect).row(0, named=True)
        error = np.sqrt(v[np.ix_(parts, parts)].sum())
        bounds = [np.exp(b[parts].sum() + k * 1.959963984540054 * error) for k in (0, -1, 1)]
        assert [row["odds_ratio"], row["low"], row["high"]] == pytest.approx(bounds, rel=1e-6)


def test_paired_odds_find_the_truth_in_a_large_study(large: list) -> None:
    found = odds_ratios(matches_frame(large), BASE)
    truth = {
        f"personalised, {BASE}": TRUTH.personalised,
        f"personalised, {OTHER}": TRUTH.personalised + TRUTH.interaction,
        "interaction": TRUTH.interaction,
        f"{OTHER}, generic": TRUTH.model,
        f"{OTHER}, personalised": TRUTH.model + TRUTH.interaction,
    }
    for effect, value in truth.items():
        row = found.filter(effect=effect).row(0, named=True)
        assert np.log(row["odds_ratio"]) == pytest.approx(value, abs=0.08), effect
        assert np.log(row["high"] / row["low"]) < 0.25


def test_intervals_of_small_studies_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(60):
        row = odds_ratios(matches_frame(simulate(20, 8, seed=1000 + seed)), BASE).row(0, named=True)
        covered += row["low"] <= np.exp(TRUTH.personalised) <= row["high"]
    assert covered >= 51  # of 60; the sandwich of 20 clusters is known to be somewhat too narrow


def test_annotators_who_differ_widen_annotator_clustered_intervals() -> None:
    """Readers who disagree on personalisation are few observations, however many matches they played."""
    frame = matches_frame(simulate(40, 40, Effects(heterogeneity=1.5), seed=2))
    rows = {
        cluster: odds_ratios(frame, BASE, "paired", cluster).row(0, named=True) for cluster in ("annotator", "match")
    }
    width = {cluster: np.log(row["high"] / row["low"]) for cluster, row in rows.items()}
    assert width["annotator"] > 2 * width["match"]
    assert rows["annotator"]["odds_ratio"] == rows["match"]["odds_ratio"]


def test_sides_form_is_no_direct_comparison(large: list) -> None:
    """A personalised summary also meets other opponents than a generic one does, which the sides form lumps in."""
    sides = odds_ratios(matches_frame(large), BASE, "sides").row(0, named=True)
    assert np.log(sides["odds_ratio"]) > TRUTH.personalised + 0.15


def test_separation_and_lone_clusters_are_told() -> None:
    never = matches_frame(simulate(10, 8, Effects(model=-80.0, neither=0.0)))
    one = matches_frame(simulate(1, 8))
    for frame, status in ((never, "separated"), (one, "one_cluster"), (never.clear(), "one_cluster")):
        if frame.is_empty():
            with pytest.raises(InputError, match="two models"):
                odds_ratios(frame, BASE)
            continue
        found = odds_ratios(frame, BASE)
        assert (found["status"] == status).all()
        assert found["odds_ratio"].null_count() == found.height
    with pytest.raises(InputError, match="compares two models"):
        odds_ratios(one, "model-z")
    with pytest.raises(OptionError, match="form"):
        odds_ratios(one, BASE, "pairs")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["paired", "sides"])
def test_a_separated_fit_may_be_ridged(form: str) -> None:
    never = matches_frame(simulate(10, 8, Effects(model=-80.0, neither=0.0)))
    never = never.filter(pl.col("model_left") != pl.col("model_right"))
    found = odds_ratios(never, BASE, form, ridge=0.5)  # type: ignore[arg-type]
    assert set(found["status"]) == {"ridge"}
    assert found.select("low", "high", "p").null_count().row(0) == (found.height,) * 3
    ratios = dict(found.select("effect", "odds_ratio").rows())
    assert ratios[f"personalised, {BASE}"] * ratios["interaction"] == pytest.approx(ratios[f"personalised, {OTHER}"])
    design, won, _ = (regression._paired if form == "paired" else regression._sides)(never, BASE, "match")
    x, free = np.column_stack(list(design.values())), np.array([term != "intercept" for term in design])

    def loss(b: np.ndarray) -> float:
        eta = x @ b
        return float(np.logaddexp(0, eta).sum() - won @ eta + 0.25 * (b[free] ** 2).sum())

    best = optimize.minimize(loss, np.zeros(x.shape[1]), tol=1e-10).x[list(design).index("personalised")]
    assert np.log(ratios[f"personalised, {BASE}"]) == pytest.approx(best, abs=5e-3)
    sound = matches_frame(simulate(20, 8, seed=5))
    assert odds_ratios(sound, BASE, form, ridge=0.5).equals(odds_ratios(sound, BASE, form))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="ridge is a precision above 0"):
        odds_ratios(never, BASE, ridge=0.0)
