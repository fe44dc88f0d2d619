"""The Polars expressions: the same numbers wherever a query may put them."""

from __future__ import annotations

import pickle
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from rouge_score.rouge_scorer import RougeScorer

import gistmark as gm
from gistmark_engine.metric import Batch, Citation, Field, Metric

PAIRS = pl.DataFrame(
    {
        "summary": ["the cat sat on the mat", "a dog", "nothing alike here", None, "", "the same", "Größe zählt"],
        "references": [
            ["the cat is on the mat", "a cat sat"],
            ["a dog barks"],
            ["totally different words"],
            ["x"],
            ["y"],
            None,
            ["größe zählt nicht", None],
        ],
        "source": ["a cat sat on a mat", "dogs bark", "words", "z", "w", "the same", "Die Größe zählt nicht."],
        "system": ["b", "a", "b", "a", "c", "c", "b"],
    }
)


def oracle(summary: str, reference: str) -> dict[str, float]:
    """rouge_score's precision, recall and F1 under our names."""
    types = {"rouge1": "rouge1", "rouge2": "rouge2", "rougeL": "rougeL"}
    scores = RougeScorer(list(types)).score(reference, summary)
    return {
        f"{name}_{part}": getattr(scores[name], field)
        for name in types
        for part, field in (("p", "precision"), ("r", "recall"), ("f1", "fmeasure"))
    }


def flat(frame: pl.DataFrame | pl.LazyFrame, **kwargs: str) -> pl.DataFrame:
    scored = frame.lazy().with_columns(gm.rouge("summary", "references")).unnest("rouge")
    return scored.collect(engine=kwargs.get("engine", "in-memory"))  # type: ignore[call-overload, no-any-return]


def test_equals_the_reference_implementation_on_real_pairs(shared: Path) -> None:
    pairs = pl.scan_parquet(shared / "data/scitldr_a_test.parquet").head(150).collect()
    pairs = pairs.select(summary="candidate", references=pl.col("references").list.first())
    expected = pl.DataFrame([oracle(*row) for row in pairs.iter_rows()])
    assert_frame_equal(flat(pairs).select(expected.columns), expected, check_exact=True)


def test_schema_is_known_before_anything_runs() -> None:
    lazy = PAIRS.lazy().with_columns(gm.rouge("summary", "references"), gm.abstraction("summary", None, "source"))
    promised = lazy.collect_schema()
    assert promised == lazy.collect().schema
    fields = dict(promised["rouge"])  # type: ignore[call-overload]
    assert fields["rouge1_f1"] == pl.Float64
    assert isinstance(fields["rouge_status"], pl.Enum)


def test_streaming_lazy_and_eager_give_the_same_bytes() -> None:
    many = pl.concat([PAIRS] * 50)
    eager = many.with_columns(gm.rouge("summary", "references")).unnest("rouge")
    for engine in ("in-memory", "streaming"):
        assert_frame_equal(flat(many, engine=engine), eager, check_exact=True)


def test_streams_from_and_to_files(tmp_path: Path) -> None:
    PAIRS.write_parquet(tmp_path / "pairs.parquet", row_group_size=2)
    pl.scan_parquet(tmp_path / "pairs.parquet").with_columns(
        gm.rouge("summary", "references"), gm.datastats("summary", "source")
    ).unnest("rouge", "datastats").sink_parquet(tmp_path / "scored.parquet")
    expected = PAIRS.with_columns(gm.rouge("summary", "references"), gm.datastats("summary", "source"))
    assert_frame_equal(pl.read_parquet(tmp_path / "scored.parquet"), expected.unnest("rouge", "datastats"))


def test_inside_groups_and_windows() -> None:
    f1 = gm.rouge("summary", "references").struct.field("rouge1_f1")
    rows = flat(PAIRS)
    means = rows.group_by("system", maintain_order=True).agg(pl.col("rouge1_f1").mean())
    assert_frame_equal(PAIRS.group_by("system", maintain_order=True).agg(f1.mean()), means)
    lists = rows.group_by("system", maintain_order=True).agg("rouge1_f1")
    assert_frame_equal(PAIRS.group_by("system", maintain_order=True).agg(f1), lists)
    window = rows.select(pl.col("rouge1_f1").mean().over("system"))
    assert_frame_equal(PAIRS.select(f1.mean().over("system")), window)


def test_one_value_a_group_is_repeated_within_it() -> None:
    first = pl.col("summary").first()
    f1 = gm.rouge("summary", first).struct.field("rouge1_f1")
    grouped = PAIRS.group_by("system", maintain_order=True).agg(f1).explode("rouge1_f1")
    joined = PAIRS.with_columns(references=first.over("system")).sort(
        pl.col("system").rank("dense"), maintain_order=True
    )
    order = PAIRS["system"].unique(maintain_order=True)
    expected = pl.concat([flat(joined.filter(pl.col("system") == system)) for system in order])
    assert grouped["rouge1_f1"].to_list() == expected["rouge1_f1"].to_list()
    scalars = PAIRS.group_by("system", maintain_order=True).agg(gm.rouge(first, pl.col("source").first()))
    assert isinstance(scalars.schema["rouge"], pl.Struct)


def test_over_other_expressions() -> None:
    upper = PAIRS.with_columns(gm.rouge(pl.col("summary").str.to_uppercase(), pl.col("references").list.first()))
    plain = PAIRS.with_columns(gm.rouge("summary", pl.col("references").list.first()))
    assert_frame_equal(upper.head(6), plain.head(6))  # the seventh row has letters that upper-casing changes


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_literals_stand_beside_every_row(engine: str) -> None:
    repeated = flat(PAIRS.with_columns(references=pl.lit("the cat sat"))).select("rouge1_f1")
    for literal in (pl.lit("the cat sat"), pl.lit(["the cat sat"])):
        expr = gm.rouge("summary", literal).struct.field("rouge1_f1")
        assert_frame_equal(PAIRS.lazy().select(expr).collect(engine=engine), repeated)  # type: ignore[call-overload]


def test_literals_alone_and_beside_nothing() -> None:
    alone = pl.select(gm.rouge(pl.lit("a b"), pl.lit("a c")).struct.field("rouge1_f1"))
    assert alone.item() == oracle("a b", "a c")["rouge1_f1"]
    empty = PAIRS.clear().with_columns(gm.rouge("summary", pl.lit("a c")))
    assert empty.shape == (0, 5)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(gm.InputError, match="different lengths"):
        PAIRS.select(gm.rouge(pl.col("summary").head(2), pl.col("references").head(3)))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_under_when_then(engine: str) -> None:
    wanted = pl.col("system") == "b"
    picked = PAIRS.lazy().select(pl.when(wanted).then(gm.rouge("summary", "references")), "system")
    result = picked.collect(engine=engine).unnest("rouge")  # type: ignore[call-overload]
    expected = flat(PAIRS).with_columns(pl.when(wanted).then(pl.col("rouge1_f1")))
    assert result["rouge1_f1"].to_list() == expected["rouge1_f1"].to_list()


@pytest.mark.parametrize("dtype", [pl.Categorical(), pl.Enum(["the same", "a dog", "b"])])
def test_categories_are_texts(dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"summary": ["a dog", "the same", None], "references": ["a dog", "b", "b"]})
    for roles in (["summary"], ["references"], ["summary", "references"]):
        assert_frame_equal(flat(frame.cast(dict.fromkeys(roles, dtype))).drop(roles), flat(frame).drop(roles))


def test_any_list_of_references_will_do() -> None:
    frame = PAIRS.head(3).with_columns(references=pl.col("references").list.head(1))
    expected = flat(frame).drop("references")
    for dtype in (pl.List(pl.Categorical()), pl.Array(pl.String(), 1)):
        assert_frame_equal(flat(frame.cast({"references": dtype})).drop("references"), expected)
    strings = frame.with_columns(references=pl.col("references").list.first())
    assert_frame_equal(flat(strings).drop("references"), expected)


@pytest.mark.parametrize("dtype", [pl.Null(), pl.String(), pl.List(pl.Null()), pl.List(pl.String())])
def test_a_column_of_nulls_gives_nulls(dtype: pl.DataType) -> None:
    frame = PAIRS.with_columns(references=pl.lit(None, dtype))
    assert flat(frame).select("rouge1_p", "rouge2_r", "rougeL_f1").null_count().sum_horizontal().item() == 3 * 7
    if not dtype.is_nested():
        frame = PAIRS.with_columns(summary=pl.lit(None, dtype))
        assert flat(frame)["rouge1_f1"].null_count() == 7


def test_marked_tokens_are_compared_as_they_are() -> None:
    words = PAIRS.head(3).select(
        summary=pl.col("summary").str.split(" "), references=pl.col("references").list.eval(pl.element().str.split(" "))
    )
    numbers = pl.DataFrame({"summary": [[7, 8, 9]], "references": [[[7, 8], [1]]]})
    cut = words.select(gm.rouge(gm.tokens("summary"), gm.tokens(pl.col("references")))).unnest("rouge")
    assert_frame_equal(cut, flat(PAIRS.head(3)).select(cut.columns))
    ids = numbers.select(gm.rouge(gm.tokens("summary"), gm.tokens("references"))).unnest("rouge")
    assert ids.row(0, named=True)["rouge1_f1"] == oracle("g h i", "g h")["rouge1_f1"]
    single = words.head(2).with_columns(references=pl.col("references").list.first())
    one = single.select(gm.rouge(gm.tokens("summary"), gm.tokens("references"))).unnest("rouge")
    assert one["rouge1_r"][1] == oracle("a dog", "a dog barks")["rouge1_r"]


def test_marked_sentences_equal_lines() -> None:
    frame = pl.DataFrame({"summary": ["the cat sat\na dog ran"], "references": ["a dog sat\nthe cat ran"]})
    split = frame.select(pl.all().str.split("\n"))
    options = {"types": ("1", "Lsum")}
    lines = frame.select(gm.rouge("summary", "references", **options))
    sentences = split.select(gm.rouge(gm.sentences("summary"), gm.sentences("references"), **options))
    assert_frame_equal(sentences, lines)


def test_several_metrics_share_one_struct() -> None:
    chosen = [gm.metrics.rouge(stem=True, prefix="stem_"), "datastats", gm.metrics.abstraction()]
    given = {"summary": "summary", "references": "references", "source": "source"}
    struct = PAIRS.select(gm.scores(chosen, **given, threads=1)).unnest("scores")
    alone = PAIRS.select(
        gm.rouge("summary", "references", stem=True, prefix="stem_"),
        gm.datastats("summary", "source"),
        gm.abstraction("summary", "references", "source"),
    ).unnest("stem_rouge", "datastats", "abstraction")
    assert_frame_equal(struct, alone)


def test_a_metric_over_all_rows_sees_all_rows() -> None:
    metric = Metric("rows", ("summary",), {"rows": Field("float64")}, _count_rows, Citation("none"), row_local=False)
    rows = pl.concat([PAIRS] * 20).lazy().select(gm.scores([metric], summary="summary")).unnest("rows")
    assert rows.collect(engine="streaming")["rows"].unique().to_list() == [140.0]


def _count_rows(batch: Batch) -> dict[str, object]:
    import numpy as np

    return {"rows": np.full(batch.rows, float(batch.rows))}


def test_expressions_can_be_sent_elsewhere() -> None:
    expr = pickle.loads(pickle.dumps(gm.rouge("summary", "references")))
    assert_frame_equal(PAIRS.select(expr), PAIRS.select(gm.rouge("summary", "references")))


def test_refused_before_anything_runs() -> None:
    with pytest.raises(gm.InputError, match="no references given"):
        gm.scores(["rouge"], summary="summary")
    with pytest.raises(gm.OptionError, match=r"stem:no.*stem:yes.*both write the column 'rouge1_p'.*prefix="):
        gm.scores([gm.metrics.rouge(), gm.metrics.rouge(stem=True)], summary="s", references="r")
    with pytest.raises(gm.OptionError, match=r"unknown metric 'roug' \(did you mean 'rouge'\?\)"):
        gm.scores(["roug"], summary="s")
    with pytest.raises(gm.OptionError, match="a list"):
        gm.scores("rouge", summary="s", references="r")
    with pytest.raises(gm.OptionError, match="no metric given"):
        gm.scores([], summary="s")


@pytest.mark.parametrize(
    ("summary", "references", "message"),
    [
        (pl.lit(3), "references", "takes strings, not int32"),
        (pl.col("references"), "references", r"column 'references'.*not list of string.*gm\.tokens\('references'\)"),
        ("summary", pl.lit(3), "takes strings .*not int32"),
        (gm.tokens("summary"), "references", "takes lists of strings or integers, not string"),
        ("summary", gm.sentences("source"), "takes lists of strings .*not string"),
        (pl.struct("summary").alias("both"), "references", "column 'both'.*not struct"),
    ],
)
def test_a_wrong_type_is_named(summary: object, references: object, message: str) -> None:
    with pytest.raises(gm.InputError, match=message):
        PAIRS.select(gm.rouge(summary, references))  # type: ignore[arg-type]
