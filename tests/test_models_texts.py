"""The columns of a batch as neural metrics read them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from gistmark.models.texts import read
from gistmark_engine.errors import InputError
from gistmark_engine.metric import Batch

NESTED = [["a", None], None, [], ["b", "c"], [None], ["", "a"]]


LAYOUTS = [kind(text) for kind in (pa.list_, pa.large_list, pa.list_view) for text in (pa.string(), pa.string_view())]


@pytest.mark.parametrize("kind", [*LAYOUTS, pa.list_(pa.dictionary(pa.int32(), pa.string()))], ids=str)
def test_texts_are_read_from_any_layout(kind: pa.DataType) -> None:
    for start, stop in ((0, 6), (1, 4)):
        column = pa.array(NESTED, kind).slice(start, stop - start)
        texts = read(Batch(len(column), {"references": column}), "references")
        found = [texts.values[a:b].to_pylist() for a, b in zip(texts.bounds, texts.bounds[1:], strict=False)]
        expected = [[text for text in row or () if text is not None] for row in NESTED[start:stop]]
        assert found == expected
        assert texts.null.tolist() == [not row for row in expected]
        assert texts.take(np.array([2, 1])).values.to_pylist() == [
            text for row in (expected[2], expected[1]) for text in row
        ]


def test_texts_that_are_none_are_refused() -> None:
    plain = read(Batch(4, {"summary": pa.array(["x", None, "x", "é"])}), "summary")
    assert plain.null.tolist() == [False, True, False, False]
    assert plain.sizes.tolist() == [1, 0, 1, 2]
    words, places = plain.distinct()
    assert [words[at] for at in places] == ["x", "", "x", "é"]
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(b"a\xff\xfe")]
    )
    with pytest.raises(InputError, match="column 'summary', row 1: text is not valid UTF-8"):
        read(Batch(2, {"summary": broken}), "summary").distinct()
    with pytest.raises(InputError, match="reads text, and this column is int64"):
        read(Batch(1, {"summary": pa.array([1])}), "summary")
