"""Every Arrow layout of the same texts gives the same bytes."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from engine import arrow, same_bytes, scores

from gistmark_engine import ranges
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError
from gistmark_engine.inputs import read_inputs
from gistmark_engine.layouts import read_pieces
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.plan import score_batch

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
TEXTS = [
    "short", "a text longer than twelve bytes, a text", None, "", "größer, größer", "twelve bytes", None, "日本語 text",
    "line one\nline two", "x", "a text longer than twelve bytes again", "…",
]  # fmt: skip
OTHERS = [*TEXTS[3:], *TEXTS[:3]]
LISTS = [[text, other] for text, other in zip(TEXTS, OTHERS, strict=True)]
LISTS[2:5] = [None, [], [None, None]]
PAIRS = [[text, other] for text, other in zip(TEXTS, OTHERS, strict=True)]
METRICS: list[Metric] = [rouge(("1", "2", "L", "Lsum")), datastats()]
STRINGS = [
    pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()), pa.dictionary(pa.int64(), pa.string_view()),
]  # fmt: skip
every_string = pytest.mark.parametrize("kind", STRINGS, ids=str)
WRAPS = {
    "list": pa.list_,
    "large_list": pa.large_list,
    "list_view": pa.list_view,
    "large_list_view": pa.large_list_view,
}


def score(summary: pa.Array, references: pa.Array, source: pa.Array) -> pa.RecordBatch:
    return arrow(METRICS, summary=summary, references=references, source=source)


PLAIN = pa.array(TEXTS), pa.array(LISTS, pa.list_(pa.string())), pa.array(OTHERS)


@pytest.fixture(scope="module")
def expected() -> pa.RecordBatch:
    return score(*PLAIN)


def cast(values: list[object], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode().cast(kind)
    return pa.array(values, kind)


def flat_of(lists: list[list[str | None] | None]) -> tuple[list[str | None], list[int], list[bool]]:
    flat = [text for some in lists for text in some or []]
    offsets = [sum(len(some or []) for some in lists[:k]) for k in range(len(lists) + 1)]
    return flat, offsets, [some is None for some in lists]


def wrapped(wrap: str, lists: list[list[str | None] | None], kind: pa.DataType) -> pa.Array:
    """Lists of any layout around texts of any layout, built from its parts."""
    flat, offsets, null = flat_of(lists)
    values, width = cast(flat, kind), pa.int64() if wrap.startswith("large") else pa.int32()
    mask = pa.array(null)
    if wrap.endswith("view"):
        kinds = {"list_view": pa.ListViewArray, "large_list_view": pa.LargeListViewArray}
        sizes = [b - a for a, b in itertools.pairwise(offsets)]
        return kinds[wrap].from_arrays(pa.array(offsets[:-1], width), pa.array(sizes, width), values, mask=mask)
    kinds = {"list": pa.ListArray, "large_list": pa.LargeListArray}
    return kinds[wrap].from_arrays(pa.array(offsets, width), values, mask=mask)


@every_string
def test_texts_of_any_type(kind: pa.DataType, expected: pa.RecordBatch) -> None:
    assert same_bytes(score(cast(TEXTS, kind), PLAIN[1], cast(OTHERS, kind)), expected)
    single = arrow(METRICS, summary=PLAIN[0], references=PLAIN[2], source=PLAIN[2])
    assert same_bytes(arrow(METRICS, summary=PLAIN[0], references=cast(OTHERS, kind), source=PLAIN[2]), single)


@every_string
@pytest.mark.parametrize("wrap", WRAPS)
def test_references_in_any_list_of_any_type(wrap: str, kind: pa.DataType, expected: pa.RecordBatch) -> None:
    references = wrapped(wrap, LISTS, kind)
    assert references.to_pylist() == LISTS
    assert same_bytes(score(PLAIN[0], references, PLAIN[2]), expected)
    assert same_bytes(score(PLAIN[0][3:9], references[3:9], PLAIN[2][3:9]), score(*(c[3:9] for c in PLAIN)))


@every_string
def test_fixed_size_lists(kind: pa.DataType) -> None:
    values = cast([text for pair in PAIRS for text in pair], kind)
    fixed = pa.FixedSizeListArray.from_arrays(values, 2, mask=pa.array([k == 1 for k in range(len(PAIRS))]))
    pairs = [None if k == 1 else pair for k, pair in enumerate(PAIRS)]
    plain = pa.array(pairs, pa.list_(pa.string()))
    assert same_bytes(score(PLAIN[0], fixed, PLAIN[2]), score(PLAIN[0], plain, PLAIN[2]))
    part = score(PLAIN[0][5:], fixed[5:], PLAIN[2][5:])
    assert same_bytes(part, score(PLAIN[0][5:], plain[5:], PLAIN[2][5:]))


@every_string
@pytest.mark.parametrize("bounds", [(0, 0), (0, 1), (1, 4), (5, 11), (8, 12), (11, 12)])
def test_slices_are_read_from_their_offset(kind: pa.DataType, bounds: tuple[int, int]) -> None:
    """A01: offset and length apply to offsets, views, indices and bitmaps alike."""
    part = slice(*bounds)
    copies = (
        pa.array(TEXTS[part], pa.string()),
        pa.array(LISTS[part], PLAIN[1].type),
        pa.array(OTHERS[part], pa.string()),
    )
    sliced = score(cast(TEXTS, kind)[part], wrapped("list", LISTS, kind)[part], cast(OTHERS, kind)[part])
    assert same_bytes(sliced, score(*copies))
    twice = score(cast(TEXTS, kind)[: bounds[1]][bounds[0] :], PLAIN[1][part], PLAIN[2][part])
    assert same_bytes(twice, score(*copies))


@every_string
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("threads", [1, 2])
def test_ranges_of_any_layout(
    wrap: str, kind: pa.DataType, threads: int, expected: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each range of rows reads its own part of a column, of lists and dictionaries too: here some rows or one alone."""
    columns = {"summary": cast(TEXTS, kind), "references": wrapped(wrap, LISTS, kind), "source": cast(OTHERS, kind)}
    for few, size in (0, 900), (0, 1), (5, 1):
        monkeypatch.setattr(ranges, "FEW", few)
        monkeypatch.setattr(ranges, "SMALLEST", size)
        monkeypatch.setattr(ranges, "LARGEST", size)
        assert same_bytes(arrow(METRICS, threads=threads, **columns), expected)


def test_a_range_reads_no_more_than_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the lists of other rows, and however many words a dictionary has that these rows do not name."""
    read: list[int] = []

    def counting(array: pa.Array, address: np.ndarray, length: np.ndarray) -> None:
        read.append(len(length))
        read_pieces(array, address, length)

    words: list[str | None] = [f"word {k}" for k in range(1000)]
    pooled = pa.DictionaryArray.from_arrays(pa.array([7, 8, 9] * 100, pa.int32()), pa.array(words))
    lists: list[list[str | None] | None] = [["one", "two"]] * 299 + [words]
    monkeypatch.setattr("gistmark_engine.arrow.read_pieces", counting)
    for wrap in WRAPS:
        read.clear()
        references = Column(wrapped(wrap, lists, pa.string()), "references")
        columns = {"summary": Column(pooled, "summary"), "references": references}
        inputs = read_inputs(columns, 10, 5)
        assert read == [5, 10]
        assert [int(size) for size in inputs.texts.length] == [6] * 5 + [3] * 10


@pytest.mark.parametrize("kind", [pa.ListViewArray, pa.LargeListViewArray])
def test_list_views_in_any_order_that_share_items(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Views overlap, go backwards, leave gaps and lie under nulls; a range of rows reads their items once."""
    items, first, sizes = TEXTS * 2, [20, 3, 3, 0, 11, 5, 8, 2, 7, 1, 0, 3], [4, 2, 5, 3, 0, 9, 1, 2, 0, 1, 12, 3]
    mask, width = [k in (4, 6) for k in range(12)], pa.int32() if kind is pa.ListViewArray else pa.int64()
    views = kind.from_arrays(pa.array(first, width), pa.array(sizes, width), pa.array(items), mask=pa.array(mask))
    plain = pa.array(views.to_pylist(), pa.list_(pa.string()))
    for size in (1, 40, 1 << 20):
        monkeypatch.setattr(ranges, "LARGEST", size)
        for part in slice(None), slice(3, 11):
            columns = PLAIN[0][part], views[part], PLAIN[2][part]
            assert same_bytes(score(*columns), score(columns[0], plain[part], columns[2]))
    shared = kind.from_arrays(pa.array([0] * 12, width), pa.array([24] * 12, width), pa.array(items))
    inputs = read_inputs({"references": Column(shared, "references")}, 0, 12)
    assert len(inputs.texts.length) == 24


@every_string
def test_chunks_of_different_lengths_are_aligned_by_row(kind: pa.DataType, expected: pa.RecordBatch) -> None:
    """A03; one chunk is empty, and each chunk of a dictionary column has a dictionary of its own."""

    def chunks(values: list[object], sizes: list[int], make: object) -> pa.ChunkedArray:
        bounds = np.cumsum([0, *sizes]).tolist()
        parts = [make(values[a:b]) for a, b in itertools.pairwise(bounds)]  # type: ignore[operator]
        return pa.chunked_array(parts)

    summary = chunks(TEXTS, [2, 0, 3, 7], lambda v: cast(v, kind) if v else cast(TEXTS, kind)[:0])
    references = chunks(LISTS, [4, 1, 7], lambda v: wrapped("list", v, kind))
    assert same_bytes(score(summary, references, pa.chunked_array([PLAIN[2][:5], PLAIN[2][5:]])), expected)


def test_a_bitmap_without_nulls_or_none_at_all() -> None:
    full = pa.array(["a b", "größe b"])
    marked = pa.array([None, "a b", "größe b"])[1:]
    assert marked.buffers()[0] is not None
    assert full.buffers()[0] is None
    assert same_bytes(score(marked, full, marked), score(full, full, full))


def test_bytes_under_a_null_are_ignored() -> None:
    """A14: a null slot with text, or with bytes that are no text, beneath it."""
    clean = pa.array([None, "world"])
    for beneath in (b"abc", b"\xff\xfe\xfd"):
        dirty = pa.StringArray.from_buffers(
            2, pa.py_buffer(np.array([0, 3, 8], np.int32)), pa.py_buffer(beneath + b"world"), pa.py_buffer(b"\x02")
        )
        assert dirty.to_pylist() == [None, "world"]
        for role in range(3):
            columns = [pa.array(["a", "world"])] * 3
            ours = score(*(dirty if k == role else column for k, column in enumerate(columns)))
            assert same_bytes(ours, score(*(clean if k == role else column for k, column in enumerate(columns))))
    lists = pa.ListArray.from_arrays(
        pa.array([0, 1, 2], pa.int32()), pa.array(["x", "world"]), mask=pa.array([True, False])
    )
    plain = pa.array([None, ["world"]], pa.list_(pa.string()))
    assert same_bytes(score(clean, lists, clean), score(clean, plain, clean))


def test_views_over_several_buffers() -> None:
    parts = [
        pa.array([f"{word} longer than twelve bytes" for word in words], pa.string_view()) for words in ("ab", "cd")
    ]
    joined = pa.concat_arrays(parts)
    assert len(joined.buffers()) > 3
    plain = pa.array(joined.to_pylist())
    assert same_bytes(score(joined, plain, joined), score(plain, plain, plain))
    assert same_bytes(score(joined[1:3], plain[1:3], joined[1:3]), score(plain[1:3], plain[1:3], plain[1:3]))


def test_the_value_case_of_a_sliced_column_with_nulls() -> None:
    column = pa.array(["dropped", None, "the lake froze", None, "ice melts", "tail"]).slice(1, 4)
    scored = scores(rouge(("1",)), summary=column, references=["any", "the lake froze over", "any", "ice melts"])
    assert scored["rouge1_f1"] == [None, pytest.approx(0.8571428571428571, abs=1e-12), None, 1.0]


NOTHING = [pa.nulls(3), pa.nulls(3, pa.string()), pa.nulls(3, pa.string_view()), pa.nulls(3, STRINGS[3])]


@pytest.mark.parametrize("nothing", NOTHING, ids=lambda array: str(array.type))
@pytest.mark.parametrize("role", ["summary", "references", "source"])
def test_columns_of_nothing_but_nulls(role: str, nothing: pa.Array) -> None:
    roles = dict.fromkeys(("summary", "references", "source"), pa.array(["a", "b", ""])) | {role: nothing}
    scored = arrow(METRICS, **roles)
    lost = [name for name in scored.schema.names if name.startswith("rouge") == (role != "source") or role == "summary"]
    assert all(scored.column(name).null_count == 3 for name in lost)


def test_lists_of_nulls_are_null() -> None:
    for lists in (pa.array([[None], [None, None], None]), pa.nulls(3, pa.list_(pa.null())), pa.nulls(3)):
        assert scores(rouge(("1",)), summary=["a"] * 3, references=lists)["rouge1_f1"] == [None] * 3


@every_string
def test_no_rows(kind: pa.DataType) -> None:
    empty = (
        pa.array([], pa.string()).dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else pa.array([], kind)
    )
    for column in (empty, pa.chunked_array([], kind)):
        scored = arrow(METRICS, summary=column, references=column, source=column)
        assert scored.num_rows == 0
        assert scored.schema == arrow(METRICS, summary=["a"], references=["a"], source=["a"]).schema


def test_batches_and_tables_are_scored_alike() -> None:
    table = pa.table({"summary": TEXTS, "references": PLAIN[1], "source": OTHERS})
    batch = table.to_batches()[0]
    assert same_bytes(score_batch(table, METRICS), score_batch(batch, METRICS))
    assert same_bytes(score_batch(batch.slice(3, 5), METRICS), score_batch(table.slice(3, 5), METRICS))


@pytest.mark.parametrize(
    "wrong", [pa.array([1, 2]), pa.array([b"a", b"b"]), pa.array([["a"], ["b"]]), pa.array([{"a": 1}] * 2)]
)
def test_a_column_that_holds_no_text_is_refused_by_name_and_type(wrong: pa.Array) -> None:
    with pytest.raises(InputError, match="column 'summary': a column of text is needed here") as caught:
        scores(rouge(), summary=wrong, references=["a", "b"])
    assert caught.value.value == str(wrong.type)
    if not pa.types.is_list(wrong.type):
        with pytest.raises(InputError, match="'references'"):
            scores(rouge(), summary=["a", "b"], references=wrong)
    deep = pa.array([[["a"]], [["b"]]])
    with pytest.raises(InputError, match="'references'"):
        scores(rouge(), summary=["a", "b"], references=deep)
