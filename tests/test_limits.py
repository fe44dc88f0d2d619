"""A text that is longer than a limit is refused, or cut and said so; others are not touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from engine import scores
from hypothesis import given, settings
from hypothesis import strategies as st

import gistmark as gm
from gistmark import files

Run = Callable[..., tuple[int, str, str]]

TEXT = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ROWS = st.lists(st.tuples(TEXT, st.none() | st.lists(TEXT, max_size=3), TEXT), min_size=1, max_size=8)
ROLES = ("summary", "references", "source")
TYPES = {"references": pl.List(pl.String), "summary": pl.String, "source": pl.String}
METRICS = [gm.metrics.rouge(tokenizer="word_lower"), gm.metrics.datastats(), gm.metrics.abstraction()]
STATUSES = {"rouge_status": ("summary", "references"), "datastats_status": ("summary", "source")}
LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]


def limited(length: int, long: Any = "truncate") -> list[Any]:
    return [metric.limited(length, long) for metric in METRICS]


def cut(value: Any, length: int) -> Any:
    """A text or list of texts by Python's own slices."""
    return [cut(item, length) for item in value] if isinstance(value, list) else value and value[:length]


@settings(max_examples=100, deadline=None)
@given(ROWS, st.integers(1, 12), st.sampled_from(LAYOUTS))
@pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
def test_cut_texts_score_as_their_beginnings(rows: list[tuple[Any, ...]], length: int, layout: pa.DataType) -> None:
    columns = {role: [row[place] for row in rows] for place, role in enumerate(ROLES)}
    kinds = {"references": pa.list_(layout)}
    table = pa.table({role: pa.array(values, kinds.get(role, layout)) for role, values in columns.items()})
    found = pl.DataFrame(gm.score(pa.concat_tables([table, table.slice(1)]), limited(length))[: len(rows)])
    short = pl.DataFrame({role: cut(values, length) for role, values in columns.items()}, schema_overrides=TYPES)
    wanted = gm.score(short, METRICS)
    statuses = [name for name in wanted.columns if name.endswith("_status")]
    fields = [name for name in wanted.columns if name not in (*ROLES, *statuses)]
    assert found.select(fields).to_dicts() == wanted.select(fields).to_dicts()
    for name, roles in STATUSES.items():
        for row, (is_now, was) in enumerate(
            zip(found[name].cast(pl.String), wanted[name].cast(pl.String), strict=True)
        ):
            longer = any(columns[role][row] != short[role].to_list()[row] for role in roles)
            assert is_now == ("truncated" if longer and was == "ok" else was)


@pytest.mark.parametrize("long", ["refuse", "truncate"])
def test_a_long_text_that_is_not_utf8_is_named_with_its_row(long: Any) -> None:
    raw = pa.array([b"a cat", b"a b", b"a long \xff text"], pa.binary())
    invalid, good = pa.StringArray.from_buffers(3, *raw.buffers()[1:]), pa.array(["a"] * 3)
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), invalid)
    for role, values in (
        ("summary", invalid),
        ("references", lists),
        ("source", pa.chunked_array([invalid[:1], invalid[1:]])),
    ):
        table = pa.table(dict.fromkeys(ROLES, good) | {role: values})
        with pytest.raises(gm.InputError, match=f"column '{role}', row 2: the text is not UTF-8"):
            gm.score_batch(table, limited(10, long))


def test_layouts_that_pyarrow_cannot_cast_are_cut_too() -> None:
    pooled = pa.DictionaryArray.from_arrays(
        pa.array([1, 0, None], pa.int8()), pa.array(["cats and", "a"], pa.string_view())
    )
    views = pa.ListViewArray.from_arrays(
        pa.array([1, 0, 1], pa.int32()), pa.array([1, 2, 0], pa.int32()), pa.array(["cats sat", "a cat"])
    )
    metric = gm.metrics.rouge(("1",)).limited(4, "truncate")
    plain = {"summary": pooled.to_pylist(), "references": views.to_pylist()}
    assert scores(metric, summary=pooled, references=views) == scores(metric, **plain)


def test_long_texts_are_refused_by_column_and_row() -> None:
    frame = pl.DataFrame({"summary": ["ab", "é" * 5], "references": [["a", None, "b" * 6], ["a"]], "source": ["c"] * 2})
    assert gm.score(frame, limited(6, "refuse")).equals(gm.score(frame, METRICS))
    with pytest.raises(
        gm.InputError, match=r"column 'references', row 0: a text of 6 characters, where 5 are the most"
    ):
        gm.score(frame, limited(5, "refuse"))
    with pytest.raises(gm.InputError, match=r"column 'summary', row 1: a text of 5 characters"):
        gm.score(frame, [METRICS[1].limited(4)])
    with pytest.raises(gm.InputError, match="a text of 6 characters"):
        frame.lazy().select(gm.scores(limited(5, "refuse"), **{role: role for role in ROLES})).collect()


def test_a_limit_is_in_the_signature_where_it_changes_numbers() -> None:
    rouge = gm.metrics.rouge()
    assert rouge.limited(9).signature == rouge.signature
    assert rouge.limited(9, "truncate").signature == rouge.signature.replace("|multi", "|max_length:9|multi")


def test_metrics_of_one_job_may_have_limits_of_their_own() -> None:
    frame = pl.DataFrame({"summary": ["a b c"], "references": ["a b d"]})
    metrics = [gm.metrics.rouge(), gm.metrics.rouge(prefix="short_").limited(3, "truncate")]
    scored = gm.score(frame, metrics)
    assert scored.columns == [*frame.columns, *metrics[0].columns, *metrics[1].columns]
    assert (scored["rouge1_f1"][0], scored["short_rouge1_f1"][0]) == (2 / 3, 1.0)
    assert (scored["rouge_status"][0], scored["short_rouge_status"][0]) == ("ok", "truncated")


def test_limits_that_make_no_sense_are_refused() -> None:
    for length in (0, -1, 2.0, True, "9"):
        with pytest.raises(gm.OptionError, match="positive whole number"):
            METRICS[0].limited(length)  # type: ignore[arg-type]
    with pytest.raises(gm.OptionError, match="'refuse' or 'truncate', not 'cut'"):
        METRICS[0].limited(5, "cut")  # type: ignore[arg-type]
    with pytest.raises(gm.InputError, match="needs plain text, not tokens"):
        gm.score(
            {"summary": [["a"]], "references": [["b"]]}, [METRICS[0].limited(5)], {r: gm.tokens(r) for r in ROLES[:2]}
        )


def test_the_command_line_limits(cli: Run, tmp_path: Path) -> None:
    files.write(pl.DataFrame({"summary": ["a b", "a b c"], "references": ["a b"] * 2}), tmp_path / "in.parquet")
    command = ("score", tmp_path / "in.parquet", "--metrics", "rouge", "--max-length", 3)
    code, _, err = cli(*command)
    assert (code, "column 'summary', row 1: a text of 5 characters" in err) == (2, True)
    assert "give that too" in cli(*command[:4], "--long", "truncate")[2]
    assert cli(*command, "--long", "truncate", "--output", tmp_path / "out.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "out.parquet")["rouge_status"].to_list() == ["ok", "truncated"]
    assert "|max_length:3|" in files.signatures(tmp_path / "out.parquet")[0]
