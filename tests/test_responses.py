"""What chains of scores say: responses by document and by corpus against hand counts and scipy, and verdicts."""

from __future__ import annotations

import polars as pl
import pytest
import scipy.stats

from gistmark.studies.responses import by_corpus, by_document, long_scores
from gistmark.studies.verdicts import GRID, REQUIRED, Cuts, overall, sensitivity, verdict
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field, Metric

FAKE = Metric(
    name="fake",
    inputs=("summary",),
    fields={
        "good": Field(better="higher"),
        "bad": Field(better="lower"),
        "size": Field("int64"),
        "hidden": Field(summary=()),
        "kind": Field("enum", summary=("counts",), levels=("a",)),
    },
    run=lambda batch: {},
    cite=Citation("none"),
)


def chain_scores(series, perturbation="incremental", corpora=None):
    """One document a series, as `long_scores` gives them."""
    rows = [
        (corpora[k] if corpora else "c", "", str(k), perturbation, "rule", level, "m", "f", "as_is", score)
        for k, scores in enumerate(series)
        for level, score in enumerate(scores)
    ]
    names = ["corpus", "system", "doc_id", "perturbation", "generator", "level", "metric", "field", "polarity", "score"]
    return pl.DataFrame(rows, names, orient="row", strict=False).with_columns(pl.col("score").cast(pl.Float64))


# scores, perturbation, monotonicity, Spearman (counted by hand)
HAND_COUNTED = [
    ([5, 4, 4, 3, 2], "distractor", 0.75, -0.9746794344808964),
    ([3, 3, 3, 4, 4], "incremental", 0.25, 0.8660254037844386),
    ([100.0, 104.0, 100.0, 94.0, 90.0], "lengthen", 0.75, -0.8207826816681233),
    ([100.0, 104.0, 108.0, 112.0, 116.0], "shorten", 1.0, 1.0),
    ([100.0, 105.0], "lengthen", 0.0, 1.0),
    ([0.0, 0.0, 0.1], "lengthen", 0.5, 0.8660254037844387),
    ([2.0, 2.0, 2.0], "incremental", 0.0, None),
    ([None, 1.0, 2.0, 3.0], "incremental", 1.0, 1.0),
    ([None, None, 2.0], "incremental", None, None),
]


@pytest.mark.parametrize(("scores", "perturbation", "share", "rho"), HAND_COUNTED)
def test_responses_of_a_document(scores, perturbation, share, rho):
    row = by_document(chain_scores([scores], perturbation).reverse()).row(0, named=True)
    assert row["monotonicity"] == share
    assert row["spearman"] == (None if rho is None else pytest.approx(rho, rel=1e-12))


def test_cumulative_mode_sees_a_slow_drift():
    scores = chain_scores([[100.0, 104.0, 108.0, 112.0, 116.0]], "lengthen")
    assert by_document(scores, "cumulative")["monotonicity"].to_list() == [0.25]
    increase = chain_scores([[1.0, 2.0, 1.5]], "incremental")
    assert by_document(increase, "cumulative").equals(by_document(increase))


def test_means_over_documents():
    responses = by_document(chain_scores([[1, 2, 3], [3, 2, 1], [2, 2, 2]]))
    row = by_corpus(responses, Bootstrap(200)).row(0, named=True)
    assert (row["spearman"], row["n_defined"], row["documents"]) == (0.0, 2, 3)
    assert row["undefined_fraction"] == pytest.approx(1 / 3)
    assert row["monotonicity"] == pytest.approx(1 / 3)
    assert row["tie_fraction"] == pytest.approx(1 / 3)
    assert -1 <= row["spearman_low"] < 0 < row["spearman_high"] <= 1
    strict = by_corpus(responses, Bootstrap(200), "propagate").row(0, named=True)
    assert (strict["spearman"], strict["spearman_low"]) == (None, None)
    assert strict["monotonicity"] == pytest.approx(1 / 3)


def test_corpora_are_pooled_by_document():
    responses = by_document(chain_scores([[1, 2], [1, 2], [2, 1]], corpora=["a", "a", "b"]))
    table = by_corpus(responses, Bootstrap(10)).select("scope", "corpus", "spearman", "documents")
    assert table.rows() == [
        ("corpus", "a", 1.0, 2),
        ("corpus", "b", -1.0, 1),
        ("pooled", "all", pytest.approx(1 / 3), 3),
    ]


def test_lower_is_better_is_negated_and_labels_are_left_out():
    scored = pl.DataFrame(
        {"corpus": "c", "system": "", "doc_id": "d", "perturbation": "distractor", "generator": "rule", "level": [0, 1]}
        | {"good": [1.0, 2.0], "bad": [1.0, 2.0], "size": [1, 2], "hidden": [0.0, 0.0], "kind": ["a", "a"]}
    )
    rows = long_scores(scored, [FAKE]).filter(level=1).select("metric", "field", "polarity", "score").rows()
    assert rows == [
        ("fake", "good", "as_is", 2.0),
        ("fake", "bad", "negated", -2.0),
        ("fake", "size", "no_polarity", 2.0),
    ]


# expected, mean rho, mean M, undefined fraction, verdict
VERDICTS = [
    ("increase", 0.5, 0.5, 0.0, "pass"),
    ("increase", 0.49, 0.9, 0.0, "weak"),
    ("increase", 0.9, 0.13, 0.0, "weak"),
    ("increase", -0.1, 0.9, 0.0, "wrong_direction"),
    ("increase", -0.09, 0.9, 0.0, "weak"),
    ("increase", None, 0.0, 1.0, "undefined"),
    ("increase", 0.3, 0.1, 0.51, "undefined"),
    ("increase", None, None, 1.0, "undefined"),
    ("decrease", -0.5, 0.5, 0.0, "pass"),
    ("decrease", 0.1, 0.5, 0.0, "wrong_direction"),
    ("decrease", -0.5, 0.49, 0.5, "weak"),
    ("stable", 0.49, 0.5, 0.0, "pass"),
    ("stable", None, 1.0, 1.0, "pass"),
    ("stable", 1.0, 1.0, 0.6, "pass"),
    ("stable", 0.5, 1.0, 0.0, "drift_up"),
    ("stable", -0.5, 0.0, 0.0, "drift_down"),
    ("stable", 0.4, 0.49, 0.0, "unstable"),
    ("stable", None, 0.1, 1.0, "unstable"),
    ("stable", None, None, 1.0, "unstable"),
]


@pytest.mark.parametrize(("expected", "rho", "share", "undefined", "outcome"), VERDICTS)
def test_verdicts(expected, rho, share, undefined, outcome):
    row = {"expected": expected, "spearman": rho, "monotonicity": share, "undefined_fraction": undefined}
    schema = {name: pl.String if name == "expected" else pl.Float64 for name in row}
    assert pl.DataFrame([row], schema).select(verdict(Cuts()))["verdict"].to_list() == [outcome]


def test_sensitivity_has_every_pair_of_cut_offs():
    table = by_corpus(by_document(chain_scores([[1, 2, 2, 3, 2]])), Bootstrap())
    grid = sensitivity(table, Cuts())
    assert set(grid.select("rho_cut", "monotonicity_cut").rows()) == set(GRID)
    passed = grid.filter(verdict="pass").select("rho_cut", "monotonicity_cut").rows()
    assert passed == [(rho, share) for rho, share in GRID if rho <= 0.5 and share <= 0.5]
    assert 0.5 < scipy.stats.spearmanr(range(5), [1, 2, 2, 3, 2]).statistic < 0.7


def test_overall_wants_all_five():
    def table(verdicts):
        rows = [("corpus", "c", "m", "f", name, one) for name, one in verdicts.items()]
        return pl.DataFrame(rows, ["scope", "corpus", "metric", "field", "perturbation", "verdict"], orient="row")

    passed = dict.fromkeys(REQUIRED, "pass")
    assert overall(table(passed))["overall"].to_list() == ["pass"]
    assert overall(table(passed | {"audience": "weak"}))["overall"].to_list() == ["fail"]
    del passed["audience"]
    assert overall(table(passed | {"persona_swap": "pass"}))["overall"].to_list() == ["incomplete"]


@pytest.mark.parametrize("bad", [{"rho": 1.5}, {"monotonicity": -0.1}, {"wrong": float("nan")}])
def test_cut_offs_are_shares(bad):
    with pytest.raises(OptionError, match="between 0 and 1"):
        Cuts(**bad)
