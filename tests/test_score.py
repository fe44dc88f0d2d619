"""`score` and `score_batch`: every kind of table in, the same kind out, and what is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import gistmark as gm
from gistmark.lists import arrow_of
from gistmark_engine.metric import Batch, Citation, Field, Metric

LISTS: dict[str, list[Any]] = {
    "id": [7, 3, 5, 1],
    "summary": ["the cat sat on the mat", "a dog", None, "same words"],
    "references": [["the cat is on the mat", "a cat sat"], ["dogs bark"], ["x"], ["same words"]],
    "source": ["a cat sat on a mat", "a dog barks", "y", None],
}
FRAME = pl.DataFrame(LISTS)
METRICS = ["rouge", "datastats", "abstraction"]

Make = Callable[[], Any]
KINDS: dict[str, Make] = {
    "polars": lambda: FRAME,
    "lazy": FRAME.lazy,
    "pandas": lambda: pd.DataFrame(LISTS, index=["w", "x", "y", "z"]),
    "arrow": FRAME.to_arrow,
    "batch": lambda: pa.RecordBatch.from_pydict(LISTS),
    "chunks": lambda: pa.concat_tables([FRAME.head(1).to_arrow(), FRAME.tail(3).to_arrow()]),
    "lists": lambda: copy.deepcopy(LISTS),
    "arrays": lambda: {name: np.array(values, dtype=object) for name, values in LISTS.items()},
    "series": lambda: FRAME.to_dict(),
}


def as_frame(data: Any) -> pl.DataFrame:
    """Any kind of scored table as a Polars frame with enum fields as strings."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    elif isinstance(data, pd.DataFrame):
        data = pl.from_pandas(data)
    elif isinstance(data, pa.Table | pa.RecordBatch):
        data = pl.from_arrow(data)
    elif isinstance(data, dict):
        data = pl.DataFrame({name: list(values) for name, values in data.items()})
    return data.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_comes_back_with_the_same_scores(kind: str) -> None:
    data = KINDS[kind]()
    scored = gm.score(data, METRICS)
    assert type(scored) is type(data)
    given = {"summary": "summary", "references": "references", "source": "source"}
    expected = FRAME.with_columns(gm.scores(METRICS, **given)).unnest("scores")
    assert_frame_equal(as_frame(scored), as_frame(expected), check_exact=True)


def test_input_is_left_alone() -> None:
    lists, pandas = KINDS["lists"](), KINDS["pandas"]()
    gm.score(lists, METRICS)
    gm.score(pandas, METRICS)
    assert lists == LISTS
    pd.testing.assert_frame_equal(pandas, KINDS["pandas"]())


def test_types_of_the_output_follow_the_record() -> None:
    fields = {name: spec for metric in gm.catalogue().values() for name, spec in metric.columns.items()}
    polars, pandas, arrow = (gm.score(KINDS[kind](), METRICS) for kind in ("polars", "pandas", "arrow"))
    wanted = {
        "float64": (pl.Float64, "float64", pa.float64()),
        "int64": (pl.Int64, "Int64", pa.int64()),
        "bool": (pl.Boolean, "boolean", pa.bool_()),
    }
    for name in set(fields) & set(polars.columns):
        if fields[name].dtype == "enum":
            assert polars.schema[name] == pl.Enum(fields[name].levels)
            assert list(pandas[name].cat.categories) == list(fields[name].levels)
            assert pa.types.is_dictionary(arrow.schema.field(name).type)
        else:
            expected = wanted[fields[name].dtype]
            assert (polars.schema[name], str(pandas.dtypes[name]), arrow.schema.field(name).type) == expected


def test_pandas_keeps_its_index_and_missing_values() -> None:
    data = pd.DataFrame({"summary": ["a b", float("nan")], "references": ["a c", "d"]}, index=[("x", 1), ("y", 2)])
    scored = gm.score(data, ["rouge"])
    assert list(scored.index) == [("x", 1), ("y", 2)]
    assert scored["rouge1_f1"].iloc[0] == 0.5
    assert np.isnan(scored["rouge1_f1"].iloc[1])


def test_metrics_default_to_those_whose_columns_are_there() -> None:
    def chosen(*columns: str, **roles: str | None) -> set[str]:
        scored = gm.score(FRAME.select("summary", *columns), columns=roles)
        return {"rouge1_f1", "coverage", "abstraction_status"} & set(scored.columns)

    assert chosen("references") == {"rouge1_f1"}
    assert chosen("source") == {"coverage", "abstraction_status"}
    assert chosen("source", "references") == {"rouge1_f1", "coverage", "abstraction_status"}
    assert chosen("source", "references", source=None) == {"rouge1_f1"}
    with pytest.raises(gm.InputError, match="metric 'rouge', column 'references'"):
        chosen("id")
    with pytest.raises(gm.InputError, match=r"column 'summary'.*did you mean 'Summary'"):
        gm.score({"Summary": ["a"], "references": ["b"]})


def test_columns_by_other_names() -> None:
    renamed = FRAME.rename({"summary": "decoded", "references": "gold"})
    roles = {"summary": "decoded", "references": "gold"}
    for data in (renamed, renamed.lazy()):
        scored = gm.score(data, ["rouge"], roles).lazy().collect()
        assert scored["rouge1_f1"].to_list() == gm.score(FRAME, ["rouge"])["rouge1_f1"].to_list()
        assert scored.columns[:4] == renamed.columns


def test_a_query_runs_each_metric_once_and_only_if_wanted() -> None:
    calls: list[int] = []

    def run(batch: Batch) -> dict[str, Any]:
        calls.append(batch.rows)
        return {name: np.zeros(batch.rows) for name in "abc"}

    metric = Metric("made", ("summary",), {name: Field() for name in "abc"}, run, Citation("none"))
    query = gm.score(FRAME.lazy(), [metric])
    for optimizations in (pl.QueryOptFlags(), pl.QueryOptFlags.none()):
        calls.clear()
        query.collect(engine="in-memory", optimizations=optimizations)
        assert calls == [FRAME.height]
    calls.clear()
    query.select("id").collect()
    assert calls == []
    query.filter(pl.col("id") == 3).collect()
    assert calls == [1]


def test_marked_columns() -> None:
    words = FRAME.select(pl.col("summary").str.split(" "), source=pl.col("source").str.split(" "))
    roles = {"summary": gm.tokens("summary"), "source": gm.tokens("source")}
    for data in (words, words.lazy(), words.to_arrow(), words.to_dict(as_series=False)):
        scored = as_frame(gm.score(data, ["datastats"], roles))
        assert scored["coverage"].to_list() == gm.score(FRAME, ["datastats"])["coverage"].to_list()
    with pytest.raises(gm.OptionError, match="the name of a column"):
        gm.score(words, ["datastats"], roles | {"source": gm.tokens(pl.col("source"))})


def test_no_rows_give_no_rows() -> None:
    for data in (FRAME.clear(), FRAME.clear().lazy(), FRAME.clear().to_arrow(), {name: [] for name in LISTS}):
        assert as_frame(gm.score(data, ["rouge", "datastats"])).height == 0


def test_batches_hold_the_fields_alone() -> None:
    batch = KINDS["batch"]()
    for data in (batch, pa.Table.from_batches([batch])):
        scored = gm.score_batch(data, METRICS)
        assert isinstance(scored, pa.RecordBatch)
        expected = gm.score(batch, METRICS)
        assert scored.equals(expected.select(expected.schema.names[len(LISTS) :]))
    assert gm.score_batch(gm.score(batch, ["rouge"]), ["rouge"]).num_columns == len(gm.catalogue()["rouge"].fields)


def test_a_path_gives_a_frame(tmp_path: Path) -> None:
    pytest.importorskip("gistmark.files")
    FRAME.write_parquet(tmp_path / "pairs.parquet")
    for path in (tmp_path / "pairs.parquet", str(tmp_path / "pairs.parquet")):
        assert_frame_equal(gm.score(path, METRICS), gm.score(FRAME, METRICS))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_columns_are_named_with_the_near_name(kind: str) -> None:
    data = KINDS[kind]()
    with pytest.raises(gm.InputError, match=r"column 'sumary'.*summary role.*did you mean 'summary'") as caught:
        gm.score(data, ["rouge"], {"summary": "sumary"})
    assert caught.value.column == "sumary"
    with pytest.raises(gm.OptionError, match=r"unknown role 'reference' \(did you mean 'references'"):
        gm.score(data, ["rouge"], {"reference": "references"})


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_types_are_named(kind: str) -> None:
    data = KINDS[kind]()
    with pytest.raises(gm.InputError, match="column 'id': the summary role takes strings, not int64") as caught:
        gm.score(data, ["rouge"], {"summary": "id"})
    assert caught.value.column == "id"
    with pytest.raises(gm.InputError, match=r"not list of string; mark .* gm\.tokens\('references'\)"):
        gm.score(data, ["rouge"], {"summary": "references"})


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_is_written_over(kind: str) -> None:
    scored = gm.score(KINDS[kind](), ["datastats"])
    with pytest.raises(gm.InputError, match=r"metric 'datastats', column 'coverage'.*already.*prefix="):
        gm.score(scored, ["rouge", "datastats"])
    again = gm.score(scored, [gm.metrics.datastats(prefix="new_")])
    assert as_frame(again)["new_coverage"].to_list() == as_frame(scored)["coverage"].to_list()
    with pytest.raises(gm.OptionError, match="would both write the column 'coverage'"):
        gm.score(KINDS[kind](), ["datastats", gm.metrics.datastats()])


@pytest.mark.parametrize(
    ("column", "values", "row", "message"),
    [
        ("summary", ["a", None, 3], 2, "holds int where str is expected"),
        ("summary", [float("nan"), 3.5, "a"], 2, "holds str where float is expected"),
        ("references", [["a"], "b", None], 1, "holds str where list of str is expected"),
        ("references", ["a", [], ["b"]], 2, "holds list of str where str is expected"),
        ("references", [["a"], [None], ["b", 4]], 2, "holds list of mixed int and str"),
        ("summary", ["a", "b", "\udc80"], 2, "not valid Unicode"),
        ("references", [["a"], ["\ud800"], None], 1, "not valid Unicode"),
        ("summary", [[2**63 - 1], None, [1, 2**63]], 2, "beyond 64 bits"),
        ("references", [[[1]], [[-(2**63) - 1], [2]], None], 1, "beyond 64 bits"),
    ],
)
def test_bad_values_are_named_with_their_row(column: str, values: list[object], row: int, message: str) -> None:
    lists: dict[str, Any] = {"summary": ["x", "y", "z"], "references": ["x", "y", "z"]} | {column: values}
    for data in (lists, pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in lists.items()})):
        with pytest.raises(gm.InputError, match=message) as caught:
            gm.score(data, ["rouge"])
        assert (caught.value.column, caught.value.row, caught.value.value) == (column, row, values[row])


def test_tables_of_no_known_kind_are_refused() -> None:
    for data in (3, None, [{"summary": "a"}], pl.Series(["a"])):
        with pytest.raises(gm.InputError, match="cannot score this"):
            gm.score(data)
    with pytest.raises(gm.InputError, match=r"column 'summary'.*a dict of lists"):
        gm.score({"summary": "a", "references": "b"})
    with pytest.raises(gm.InputError, match="column 'references': has 1 values where column 'summary' has 2"):
        gm.score({"summary": ["a", "b"], "references": ["c"]})
    with pytest.raises(gm.InputError, match=r"column 'summary'.*Python objects"):
        gm.score(pl.DataFrame({"summary": pl.Series([object()], dtype=pl.Object), "references": ["a"]}), ["rouge"])


def test_a_role_with_two_columns_of_one_name_is_refused() -> None:
    twice = pa.table([["a"], ["b"], ["c"]], names=["summary", "summary", "references"])
    for data in (twice, twice.to_pandas()):
        with pytest.raises(gm.InputError, match="column 'summary': the data has several columns of this name"):
            gm.score(data, ["rouge"])


def test_lists_become_arrow_unchanged() -> None:
    values = [["a", None], [], None, ["ß", "日本"]]
    for given in (values, np.array(values, dtype=object), pd.Series(values), pl.Series(values), pa.array(values)):
        assert arrow_of("x", given).to_pylist() == values


def test_score_batch_takes_arrow_alone() -> None:
    with pytest.raises(gm.InputError, match="an Arrow RecordBatch or Table, and"):
        gm.score_batch(pl.DataFrame({"summary": ["a"], "references": ["a"]}), ["rouge"])  # type: ignore[arg-type]
