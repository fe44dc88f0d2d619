"""What holds for every metric of the catalogue, whatever it measures."""

from __future__ import annotations

import json

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import READER
from polars.testing import assert_frame_equal
from running import param, params

import gistmark as gm
from gistmark_bindings.polars import field_dtype
from gistmark_engine.metric import Metric

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
every_metric = pytest.mark.parametrize("metric", params())

REAL = [
    "The cat sat on the mat. It purred, and the dog slept.\nThe end.",
    "the cat sat on the mat",
    "A dog slept while the cat purred on the mat, the mat, the mat.",
    "…!?",
    "42",
    "Größe, naïve café, ΑΒΓ, e\u0301 and \u00e9",
    "日本語の要約です。",
    "ภาษาไทย",
    "a\x00b\tc\r\nd",
    "word " * 400,
]
TEXT = st.one_of(st.none(), st.just(""), st.sampled_from(REAL), st.text(max_size=20), st.text("ab .", max_size=30))
REFERENCES = st.one_of(st.none(), st.lists(TEXT, max_size=3))
PERSONA = json.dumps(READER)
PERSONAS = st.sampled_from([None, PERSONA, "{}", '{"role": "nurse"}'])
ROWS = st.fixed_dictionaries(
    {"summary": TEXT, "references": REFERENCES, "source": TEXT, "query": TEXT, "persona": PERSONAS}
)
FRAMES = st.lists(ROWS, min_size=1, max_size=12)
SCHEMA = {"references": pl.List(pl.String())} | dict.fromkeys(["summary", "source", "query", "persona"], pl.String())
LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
examples = settings(max_examples=60, deadline=None)


def fields(frame: pl.DataFrame, metric: Metric, **options: int) -> pl.DataFrame:
    """The metric's columns alone."""
    return gm.score(frame.select(metric.inputs), [metric], **options).select(list(metric.columns))


def rows_of(rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def some_rows() -> pl.DataFrame:
    """Real and hostile texts in many combinations."""
    count = len(REAL)
    return rows_of(
        [
            {
                "summary": REAL[(row * 3) % count],
                "references": [REAL[(row * 7 + 1) % count], None, REAL[row % count]][: row % 4],
                "source": REAL[(row // count) % count],
                "query": REAL[0],
                "persona": PERSONA,
            }
            for row in range(count * count)
        ]
    )


@every_metric
@given(rows=FRAMES)
@examples
def test_fields_have_their_declared_types_and_ranges(metric: Metric, rows: list[dict[str, object]]) -> None:
    scored = fields(rows_of(rows), metric)
    assert scored.height == len(rows)
    for name, spec in metric.columns.items():
        values = scored[name]
        assert values.dtype == field_dtype(spec)
        if spec.dtype in ("float64", "int64"):
            present = values.drop_nulls().cast(pl.Float64)
            assert present.is_finite().all()
            assert spec.low is None or (present >= spec.low).all(), name
            assert spec.high is None or (present <= spec.high).all(), name


@pytest.mark.parametrize(
    ("metric", "missing"),
    [param(metric, role) for metric in gm.catalogue().values() for role in metric.required],
)
def test_a_null_text_gives_nulls(metric: Metric, missing: str) -> None:
    nothing = {"references": [None, [], [None]]}.get(missing, [None])
    frame = rows_of(
        [
            dict.fromkeys(SCHEMA, "a b c") | {"persona": PERSONA, "references": ["a b d"], missing: null}
            for null in nothing
        ]
    )
    scored = fields(frame, metric)
    for name, spec in metric.columns.items():
        if spec.dtype != "enum":
            assert scored[name].null_count() == frame.height, name


@pytest.mark.parametrize("metric", params(only=lambda metric: metric.row_local))
@given(rows=FRAMES, data=st.data())
@examples
def test_a_row_does_not_depend_on_its_batch(metric: Metric, rows: list[dict[str, object]], data: st.DataObject) -> None:
    frame = rows_of(rows)
    whole = fields(frame, metric)
    alone = pl.concat([fields(row, metric) for row in frame.iter_slices(1)])
    assert_frame_equal(alone, whole, check_exact=True)
    order = data.draw(st.permutations(range(len(rows))))
    assert_frame_equal(fields(frame[order], metric), whole[order], check_exact=True)
    start = data.draw(st.integers(0, len(rows) - 1))
    assert_frame_equal(fields(frame[start:], metric), whole[start:], check_exact=True)


@every_metric
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_chunks_change_nothing(metric: Metric, threads: int) -> None:
    frame = some_rows()
    whole = fields(frame, metric)
    assert_frame_equal(fields(frame, metric, threads=threads), whole, check_exact=True)
    chunks = pl.concat([frame[start : start + 7] for start in range(0, frame.height, 7)], rechunk=False)
    assert chunks["summary"].n_chunks() > 1
    assert_frame_equal(fields(chunks, metric, threads=threads), whole, check_exact=True)


@every_metric
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_equals_eager(metric: Metric, engine: str) -> None:
    frame = some_rows().select(metric.inputs)
    scored = gm.score(frame.lazy(), [metric]).collect(engine=engine)  # type: ignore[call-overload]
    assert_frame_equal(scored, gm.score(frame, [metric]), check_exact=True)


@every_metric
@pytest.mark.parametrize("text", LAYOUTS, ids=str)
def test_any_arrow_layout_gives_the_same_scores(metric: Metric, text: pa.DataType) -> None:
    frame = some_rows().select(metric.inputs)
    types = {"references": pa.large_list(text)}
    columns = frame.to_dict(as_series=False)
    table = pa.table({name: pa.array(values, types.get(name, text)) for name, values in columns.items()})
    expected = fields(frame, metric)[5:65]
    scored = pl.DataFrame(pl.from_arrow(gm.score(table.slice(5, 60), [metric])))
    assert_frame_equal(scored.select(expected.columns).cast(dict(expected.schema)), expected, check_exact=True)


@every_metric
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_text_that_is_not_utf8_is_named(metric: Metric, kind: pa.DataType) -> None:
    """Whether a metric reads tokens or raw strings, and the latter in lists too."""
    texts = pa.array(
        [b"a cat", PERSONA.encode(), None, b"a \xff"], pa.binary() if kind == pa.string() else pa.large_binary()
    )
    invalid = pa.Array.from_buffers(kind, 4, texts.buffers())
    good = pa.array([PERSONA] * 4)
    for role in metric.inputs:
        columns = dict.fromkeys(metric.inputs, good) | {role: invalid}
        with pytest.raises(
            gm.InputError, match=f"metric '{metric.name}', column '{role}', row 3: the text is not UTF-8"
        ):
            gm.score_batch(pa.record_batch(columns), [metric])
        if role == "references":
            lists = pa.ListArray.from_arrays(
                pa.array([0, 2, 2, 3, 4], pa.int32()), invalid.cast(pa.string(), safe=False)
            )
            with pytest.raises(gm.InputError, match=f"metric '{metric.name}', column '{role}', row 3: the text is not"):
                gm.score_batch(pa.record_batch(columns | {role: lists}), [metric])


@pytest.mark.parametrize("options", [{"normalized": True}, {"no_punct": True}])
def test_regular_expressions_meet_no_invalid_text(options: dict[str, bool]) -> None:
    invalid = pa.StringArray.from_buffers(1, *pa.array([b"a \xff"], pa.binary()).buffers()[1:])
    with pytest.raises(gm.InputError, match="metric 'ter', column 'summary', row 0: the text is not UTF-8"):
        gm.score_batch(pa.record_batch({"summary": invalid, "references": ["a"]}), [gm.metrics.ter(**options)])
