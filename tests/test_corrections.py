"""p of many tests, corrected: against statsmodels, and by families."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import gistmark as gm
from gistmark.cli.output import MARKED
from gistmark.corrections import CORRECTIONS, corrected
from gistmark_datasets import scitldr_sample
from gistmark_engine.metric import Citation, Field, Metric

MADE = Metric(
    name="made",
    inputs=("summary",),
    fields={name: Field(summary=("mean",)) for name in ("one", "two")},
    run=lambda _: {},
    cite=Citation("none"),
)
THEIRS = {"holm": "holm", "bh": "fdr_bh"}


def made(systems: int, rows: int = 30) -> pl.DataFrame:
    """Systems on the same texts, each a little further from the first."""
    draw = np.random.default_rng(5)
    text = np.tile(draw.normal(size=rows), systems)
    place = np.repeat(np.arange(systems), rows)
    scores = {name: text + 0.1 * place + draw.normal(0, 0.5, place.size) for name in MADE.fields}
    return pl.DataFrame({"system": [f"s{at}" for at in place], "id": np.tile(np.arange(rows), systems), **scores})


@pytest.mark.parametrize("correction", CORRECTIONS)
@given(p=st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.001, 0.01, 0.05])), min_size=1, max_size=30))
def test_corrections_are_those_of_statsmodels(correction: Any, p: list[float]) -> None:
    found = CORRECTIONS[correction](np.array(p))
    assert found == pytest.approx(multipletests(p, method=THEIRS[correction])[1], rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("family", ["field", "all"])
def test_what_is_compared_together_is_corrected_together(correction: Any, family: Any) -> None:
    frame = pl.concat([made(5).with_columns(corpus=pl.lit(name)) for name in "xy"])
    found = gm.compare(frame, [MADE], by=["corpus", "system"], correction=correction, family=family, replicates=999)
    parts = found.partition_by("corpus", "field") if family == "field" else [found]
    for part in parts:
        tested = part.drop_nulls("p")
        theirs = multipletests(tested["p"].to_numpy(), method=THEIRS[correction])[1]
        assert tested["p_adjusted"].to_numpy() == pytest.approx(theirs)
    assert found.filter(pl.col("p").is_null())["p_adjusted"].null_count() == 4


def test_p_is_left_alone_and_none_corrects_nothing() -> None:
    frame = made(4)
    plain, holm = (gm.compare(frame, [MADE], correction=how) for how in (None, "holm"))
    assert plain["p"].equals(plain["p_adjusted"].rename("p"))
    assert plain["p"].equals(holm["p"])
    assert (holm["p_adjusted"] > holm["p"]).any()
    assert corrected(plain.clear(), [], "holm").len() == 0


def test_too_few_replicates_for_so_many_tests_are_said() -> None:
    frame = made(4)
    with pytest.warns(UserWarning, match="3 tests corrected together by Holm: with 20 .* none can be below 0.05"):
        gm.compare(frame, [MADE], replicates=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gm.compare(frame, [MADE], replicates=100)
        gm.compare(frame, [MADE], replicates=20, correction="bh")
    with pytest.warns(UserWarning, match="6 tests .* ask for at least 120"):
        gm.compare(frame, [MADE], replicates=100, family="all")


@pytest.mark.parametrize("wrong", [{"correction": "bonferroni"}, {"family": "metric"}])
def test_other_words_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(gm.GistmarkError, match="correction: holm, bh or None; family: field, all"):
        gm.compare(made(2), [MADE], **wrong)


def test_marks_are_of_corrected_p(cli: Any, tmp_path: Any) -> None:
    pairs = pl.read_parquet(scitldr_sample())
    few = pairs["doc_id"].unique(maintain_order=True)[:15]
    scored = gm.score(pairs.filter(pl.col("doc_id").is_in(few.implode())), ["rouge"])
    scored.write_parquet(tmp_path / "s.parquet")
    found = gm.compare(scored, ["rouge"], replicates=500)
    between = found.filter(pl.col("p") < 0.05, pl.col("p_adjusted") >= 0.05)
    assert between.height
    options = ["compare", tmp_path / "s.parquet", "--replicates", 500, "--format", "markdown"]
    _, page, _ = cli(*options)
    assert MARKED in page
    assert "after Holm over the systems of a field" in page
    assert page.count("† [") + page.count("‡ [") == found.filter(pl.col("p_adjusted") < 0.05).height
    _, page, _ = cli(*options, "--correction", "none")
    assert "not corrected" in page
    assert page.count("† [") + page.count("‡ [") == found.filter(pl.col("p") < 0.05).height
