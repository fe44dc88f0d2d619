"""Nuggets for length and Correctness: worked examples, a plain recomputation, refusals."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gistmark.studies.correctness import correctness
from gistmark.studies.nuggets import NUGGETS, TIES, nugget_ranks, nugget_scores
from gistmark_engine.errors import InputError, OptionError

THIRD = 0.3333333333333333


def annotated(rows):
    """Annotations of (paper, variant, text, how many nuggets)."""
    return pl.DataFrame(
        [
            (paper, variant, text, *(None if n is None else int(k < n) for k in range(6)))
            for paper, variant, text, n in rows
        ],
        schema={"doc_id": pl.String, "system": pl.String, "summary": pl.String, **dict.fromkeys(NUGGETS, pl.Int64)},
        orient="row",
    )


TWO_PAPERS = [
    ("1", "auth", "one two three four five six seven eight nine ten", 3),
    ("1", "pr", "one two three four five", 2),
    ("1", "sys", "one two three four", 1),
    ("2", "auth", "a b c d", 2),
    ("2", "pr", "a b c d e f g h", 4),
    ("2", "sys", "a b", 1),
]


def mrr(rows, **options):
    ranks, dropped = nugget_ranks(nugget_scores(annotated(rows)), **options)
    return dict(ranks.group_by("system").agg(pl.col("reciprocal_rank").mean()).rows()), dropped


def test_a_worked_example():
    assert nugget_scores(annotated(TWO_PAPERS))["nugget_score"].to_list() == [0.3, 0.4, 0.25, 0.5, 0.5, 0.5]
    assert mrr(TWO_PAPERS) == ({"auth": 0.75, "pr": 1.0, "sys": 0.6666666666666666}, 0)
    assert mrr(TWO_PAPERS, tie="average") == ({"auth": 0.5, "pr": 0.75, "sys": 0.41666666666666663}, 0)
    assert mrr(TWO_PAPERS[3:], tie="max") == ({"auth": THIRD, "pr": THIRD, "sys": THIRD}, 0)
    assert mrr(TWO_PAPERS[3:], tie="dense") == ({"auth": 1.0, "pr": 1.0, "sys": 1.0}, 0)


def test_dense_and_competition_ranks_differ_below_a_tie():
    rows = [("1", "a", "x", 2), ("1", "b", "x", 2), ("1", "c", "x", 1)]
    assert mrr(rows)[0] == {"a": 1.0, "b": 1.0, "c": THIRD}
    assert mrr(rows, tie="dense")[0]["c"] == 0.5


@pytest.mark.parametrize(("unit", "length"), [("words", 2), ("chars", 9), ("tokens", 3)])
def test_units_of_length(unit, length):
    scores = nugget_scores(annotated([("1", "a", "It's cafe", 3)]), unit)
    assert scores["nugget_score"].item() == 3 / length


def test_papers_without_all_variants_are_dropped_and_counted():
    rows = [*TWO_PAPERS, ("3", "auth", "a", 1), ("4", "auth", "a", 1), ("4", "pr", "a", None), ("4", "sys", "a", 1)]
    assert mrr(rows) == ({"auth": 0.75, "pr": 1.0, "sys": 0.6666666666666666}, 2)
    assert mrr(rows, variants=["auth"])[1] == 0
    assert mrr(rows, variants=["auth", "sys"])[1] == 1


def test_annotations_of_one_summary_are_averaged_first():
    rows = [("1", "a", "x y", 1), ("1", "a", "x y", 3), ("1", "b", "x y", 2), ("1", "c", "x y", 3)]
    ranks, _ = nugget_ranks(nugget_scores(annotated(rows)))
    assert ranks["nugget_score"].to_list() == [1.0, 1.0, 1.5]
    assert ranks["reciprocal_rank"].to_list() == [0.5, 0.5, 1.0]


def test_empty_and_null():
    rows = [("1", "a", "", 3), ("1", "b", None, 3), ("1", "c", "x", None), ("1", "d", "", None)]
    scores = nugget_scores(annotated(rows))
    assert scores["nugget_score"].to_list() == [0.0, None, None, None]
    assert scores["nugget_status"].to_list() == ["empty_summary", "undefined", "undefined", "undefined"]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abc"), st.integers(1, 5), st.integers(0, 6)), min_size=1)
)
def test_against_a_plain_recomputation(drawn):
    rows = [(paper, variant, " ".join("x" * length), n) for paper, variant, length, n in drawn]
    variants = {variant for _, variant, _, _ in rows}
    values = {}
    for paper, variant, length, n in drawn:
        values.setdefault(paper, {}).setdefault(variant, []).append(n / length)
    papers = [{v: sum(x) / len(x) for v, x in paper.items()} for paper in values.values() if set(paper) == variants]
    found, dropped = mrr(rows)
    assert dropped == len(values) - len(papers)
    for variant in variants if papers else ():
        ranks = [1 + sum(x > paper[variant] + 1e-12 for x in paper.values()) for paper in papers]
        assert found[variant] == pytest.approx(sum(1 / rank for rank in ranks) / len(papers), rel=1e-12)


@pytest.mark.parametrize("value", [2, -1, 0.5, "maybe", "2"])
def test_a_flag_that_is_none(value):
    frame = annotated(TWO_PAPERS).with_columns(results_findings=pl.Series([1, 0, 1, value, 0, 0], strict=False))
    if isinstance(value, str):
        frame = frame.with_columns(results_findings=pl.Series(["1", "0", "1", value, "0", "0"]))
    with pytest.raises(InputError, match="column 'results_findings', row 3: marks are 0 ") as error:
        nugget_scores(frame)
    assert error.value.value == value


def test_other_refusals():
    with pytest.raises(InputError, match="'value_signif': the nugget annotations need it"):
        nugget_scores(annotated(TWO_PAPERS).drop("value_signif"))
    with pytest.raises(InputError, match=r"marks are .* not List"):
        nugget_scores(annotated(TWO_PAPERS).with_columns(value_signif=pl.lit([1])))
    with pytest.raises(OptionError, match="length_unit must be one of words"):
        nugget_scores(annotated(TWO_PAPERS), "lines")
    with pytest.raises(OptionError, match=f"one of {', '.join(TIES)}, not 'first'"):
        nugget_ranks(nugget_scores(annotated(TWO_PAPERS)), tie="first")
    with pytest.raises(OptionError, match="variant 'mine'; there are auth, pr, sys"):
        nugget_ranks(nugget_scores(annotated(TWO_PAPERS)), ["auth", "mine"])


def test_booleans_and_text_are_read():
    plain = annotated(TWO_PAPERS)
    for kind in (pl.Boolean, pl.Float64):
        assert nugget_scores(plain.cast(dict.fromkeys(NUGGETS, kind)))["nugget_score"][1] == 0.4
    assert nugget_scores(plain.cast(dict.fromkeys(NUGGETS, pl.String)))["nugget_score"][1] == 0.4


def test_correctness():
    frame = pl.DataFrame({"system": ["a", "a", "b", "a", "a"], "correctness": [3, 2, None, None, 3]})
    assert correctness(frame).rows() == [("a", 2.6666666666666665, 3), ("b", None, 0)]
    for wrong in (0, 4, 2.5, float("nan")):
        with pytest.raises(InputError, match=r"'correctness', row 1: marks are 1 \(false or misleading\), 2"):
            correctness(pl.DataFrame({"system": ["a", "a"], "correctness": [3, wrong]}, strict=False))
    with pytest.raises(InputError, match="column 'system'"):
        correctness(pl.DataFrame({"correctness": [3]}))
