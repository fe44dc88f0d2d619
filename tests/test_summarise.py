"""The end table: against numpy and pandas, and never a statistic that a field does not allow."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from running import missing, runnable

import gistmark as gm
from gistmark_engine.metric import Batch, Citation, Corpus, Field, Metric

LEVELS = ("low", "high")


def never(batch: Batch) -> dict[str, object]:
    raise AssertionError("a table is made of scores that are there")


def ratio(sums: Mapping[str, float]) -> dict[str, float | None]:
    """The kind of corpus score that is no mean of rows: a ratio of sums."""
    return {"ratio": sums["hits"] / sums["total"] if sums["total"] else None}


METRIC = Metric(
    name="made",
    inputs=("summary",),
    fields={
        "score": Field("float64", summary=("mean", "median")),
        "skewed": Field("float64", summary=("median", "quartiles")),
        "length": Field("int64", summary=("mean",)),
        "hits": Field("int64", summary=()),
        "total": Field("int64", summary=()),
        "flag": Field("bool", summary=("counts",)),
        "risk": Field("enum", summary=("counts",), levels=LEVELS),
        "note": Field("string", summary=()),
    },
    run=never,
    cite=Citation("none"),
    corpus=Corpus(("hits", "total"), ratio),
)

NUMBERS = st.one_of(st.none(), st.integers(-1000, 1000))
ROWS = st.fixed_dictionaries(
    {
        "system": st.sampled_from(["b", "a", "c"]),
        "score": st.one_of(st.none(), st.floats(-1e6, 1e6)),
        "skewed": st.one_of(st.none(), st.floats(0, 1e6)),
        "length": NUMBERS,
        "hits": NUMBERS,
        "total": NUMBERS,
        "flag": st.one_of(st.none(), st.booleans()),
        "risk": st.one_of(st.none(), st.sampled_from(LEVELS)),
        "note": st.one_of(st.none(), st.text(max_size=3)),
    }
)
SCHEMA = {
    "system": pl.String(),
    "score": pl.Float64(),
    "skewed": pl.Float64(),
    "length": pl.Int64(),
    "hits": pl.Int64(),
    "total": pl.Int64(),
    "flag": pl.Boolean(),
    "risk": pl.Enum(LEVELS),
    "note": pl.String(),
}


def twin(rows: list[dict[str, object]], field: str, statistic: str, level: str | None) -> float | None:
    """One statistic in numpy and plain Python."""
    if statistic == "corpus":
        full = [row for row in rows if row["hits"] is not None and row["total"] is not None]
        total = sum(row["total"] for row in full)  # type: ignore[misc]
        return sum(row["hits"] for row in full) / total if full and total else None  # type: ignore[misc, no-any-return]
    values = [row[field] for row in rows if row[field] is not None]
    if not values:
        return None
    if statistic == "share":
        return sum(str(value).lower() == level for value in values) / len(values)
    numbers = np.array(values, dtype=float)
    at = {"median": 50, "q1": 25, "q3": 75}
    return float(np.mean(numbers)) if statistic == "mean" else float(np.percentile(numbers, at[statistic]))


@given(st.lists(ROWS, min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_equals_numpy_group_by_group(rows: list[dict[str, object]]) -> None:
    table = gm.summarise(pl.DataFrame(rows, schema=SCHEMA), [METRIC], by="system")
    assert table["system"].unique(maintain_order=True).to_list() == list(dict.fromkeys(row["system"] for row in rows))
    for line in table.iter_rows(named=True):
        group = [row for row in rows if row["system"] == line["system"]]
        expected = twin(group, line["field"], line["statistic"], line["level"])
        if expected is None:
            assert line["value"] is None
        else:
            assert math.isclose(line["value"], expected, rel_tol=1e-9, abs_tol=1e-6)
        assert line["n"] + line["n_null"] == len(group)


def test_fields_get_what_their_record_allows_and_no_more() -> None:
    row = dict.fromkeys(SCHEMA) | {"system": "a"}
    table = gm.summarise(pl.DataFrame([row], schema=SCHEMA), [METRIC])
    lines = list(zip(table["field"], table["statistic"], table["level"], strict=True))
    assert lines == [
        ("score", "mean", None),
        ("score", "median", None),
        ("skewed", "median", None),
        ("skewed", "q1", None),
        ("skewed", "q3", None),
        ("length", "mean", None),
        ("flag", "share", "true"),
        ("flag", "share", "false"),
        ("risk", "share", "low"),
        ("risk", "share", "high"),
        ("ratio", "corpus", None),
    ]
    assert table["value"].null_count() == len(lines)
    assert table["metric"].unique().to_list() == ["made"]
    assert table["signature"].unique().to_list() == [METRIC.signature]


def test_every_metric_keeps_to_its_record() -> None:
    pairs = {"summary": ["a b c", None], "references": ["a b d", "x"], "source": ["a b c e", "y"]}
    fitting = [
        metric for metric in gm.catalogue().values() if set(metric.required) <= set(pairs) and not missing(metric)
    ]
    chosen = [runnable(metric) for metric in fitting]
    table = gm.summarise(gm.score(pairs, chosen), chosen)
    assert len(chosen) >= 10
    for metric in chosen:
        for name, spec in metric.columns.items():
            label = {"q1": "quartiles", "q3": "quartiles", "share": "counts"}
            found = {label.get(s, s) for s in table.filter(pl.col("field") == name)["statistic"]}
            assert found - {"corpus"} == set(spec.summary)
    assert "mean" not in table.filter(pl.col("field").str.starts_with("ar"))["statistic"]


def test_prefixed_variants_stand_side_by_side() -> None:
    pairs = {"summary": ["running dogs"], "references": ["run dog"]}
    chosen = [gm.metrics.rouge(), gm.metrics.rouge(stem=True, prefix="stem_")]
    table = gm.summarise(gm.score(pairs, chosen), chosen)
    assert table["metric"].unique(maintain_order=True).to_list() == ["rouge", "stem_rouge"]
    by_field = dict(zip(table["field"], table["value"], strict=True))
    assert (by_field["rouge1_f1"], by_field["stem_rouge1_f1"]) == (0.0, 1.0)


def test_corpus_scores_of_a_prefixed_metric() -> None:
    columns = {"x_" + name: [None] for name in METRIC.fields} | {"x_hits": [1], "x_total": [4]}
    line = gm.summarise(columns, [METRIC.prefixed("x_")]).filter(statistic="corpus").row(0, named=True)
    assert (line["metric"], line["field"], line["value"], line["n"]) == ("x_made", "x_ratio", 0.25, 1)


def test_any_kind_of_table_will_do() -> None:
    rows = [dict.fromkeys(SCHEMA, 1) | {"system": s, "flag": True, "risk": "low", "note": ""} for s in "bab"]
    frame = pl.DataFrame(rows, schema=SCHEMA).with_columns(score=pl.Series([0.5, None, 1.0]))
    expected = gm.summarise(frame, [METRIC], by=["system"])
    pandas = frame.to_pandas()
    assert np.isnan(pandas["score"][1])
    for data in (frame.lazy(), pandas, frame.to_arrow(), frame.to_dict(as_series=False)):
        assert_frame_equal(gm.summarise(data, [METRIC], by="system"), expected)
    not_a_number = frame.with_columns(score=pl.col("score").fill_null(float("nan")))
    assert_frame_equal(gm.summarise(not_a_number, [METRIC], by="system"), expected)


def test_several_keys_and_missing_keys() -> None:
    frame = pl.DataFrame({"system": ["b", None, "b", None], "corpus": [1, 1, 2, 1], **dict.fromkeys(METRIC.fields)})
    table = gm.summarise(frame, [METRIC], by=["corpus", "system"])
    assert table.select("corpus", "system").unique(maintain_order=True).rows() == [(1, "b"), (1, None), (2, "b")]
    assert table.schema["corpus"] == pl.Int64


def test_the_table_of_no_rows() -> None:
    empty = pl.DataFrame(schema=SCHEMA)
    assert gm.summarise(empty, [METRIC], by="system").is_empty()
    assert gm.summarise(empty, [METRIC])["n"].unique().to_list() == [0]


def test_sums_do_not_depend_on_chunks() -> None:
    values = np.random.default_rng(5).lognormal(sigma=9, size=5000)
    frame = pl.DataFrame({"score": values, **dict.fromkeys(set(METRIC.fields) - {"score"})})
    pieces = pl.concat([frame[start : start + 7] for start in range(0, 5000, 7)], rechunk=False)
    assert pieces["score"].n_chunks() > 1
    assert_frame_equal(gm.summarise(pieces, [METRIC]), gm.summarise(frame, [METRIC]), check_exact=True)


def test_bad_tables_are_refused() -> None:
    frame = gm.score(pl.DataFrame({"summary": ["a"], "references": ["b"], "system": ["s"]}))
    with pytest.raises(gm.InputError, match=r"column 'sytem'.*did you mean 'system'"):
        gm.summarise(frame, ["rouge"], by="sytem")
    with pytest.raises(gm.InputError, match=r"column 'coverage'.*no such column"):
        gm.summarise(frame, ["rouge", "datastats"])
    with pytest.raises(gm.OptionError, match="'field' of its own"):
        gm.summarise(frame.rename({"system": "field"}), ["rouge"], by="field")
    with pytest.raises(gm.InputError, match="metric 'rouge', column 'rouge1_p': holds String, not float64"):
        gm.summarise(frame.with_columns(rouge1_p=pl.lit("high")), ["rouge"])
    with pytest.raises(gm.InputError, match="metric 'rouge', column 'rouge_status': does not hold values of a enum"):
        gm.summarise(pd.DataFrame(frame.to_dict(as_series=False)).assign(rouge_status="fine"), ["rouge"])
