"""The SciTLDR study: rouge_score on the whole sample, what its rules say, its page, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from rouge_score.rouge_scorer import RougeScorer

from gistmark.studies.markdown import table as markdown
from gistmark.studies.nuggets import NUGGETS
from gistmark.studies.scitldr import scitldr
from gistmark.studies.scitldr_script import one_sentence_a_line
from gistmark_datasets import scitldr_sample
from gistmark_engine.errors import InputError, OptionError

RULES = ("scitldr", "author", "mean", "script")
PAGE = (Path(__file__).parents[1] / "docs" / "scitldr.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pairs():
    return pl.read_parquet(scitldr_sample())


@pytest.fixture(scope="module")
def study(pairs):
    return scitldr(pairs)


def lines(text):
    """The released script's way to sentences, in plain Python."""
    return " .\n".join(text.replace("\n", " ").split(" ."))


def by_rules(summary, references):
    """(ROUGE-1, -2, -L) in percent by each rule, from rouge_score."""
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    each = [[100 * f.fmeasure for f in scorer.score(one, summary).values()] for one in references]
    summaries = RougeScorer(["rouge1", "rouge2", "rougeLsum"])
    split = [[round(f.fmeasure, 5) for f in summaries.score(lines(one), lines(summary)).values()] for one in references]
    return {
        "scitldr": [max(column) for column in zip(*each, strict=True)],
        "author": each[0],
        "mean": [sum(column) / len(column) for column in zip(*each, strict=True)],
        "script": [100 * f for f in max(split, key=lambda scores: scores[0])],
    }


def test_every_pair_is_rouge_scores(study):
    """Scores as they stand in the table's mean: maxima and the script's exactly, the mean of percents to rounding."""
    for row in study.scores.iter_rows(named=True):
        for rule, expected in by_rules(row["summary"], row["references"]).items():
            kinds = ("1", "2", "Lsum" if rule == "script" else "L")
            found = [row[f"{rule}_rouge{kind}_f1"] for kind in kinds]
            assert found == (pytest.approx(expected, rel=1e-14) if rule == "mean" else expected)


def test_the_table_is_the_mean_by_system(study):
    for row in study.table.iter_rows(named=True):
        scores = study.scores.filter(system=row["system"])
        assert (row["setting"], row["n"], row["n_null"], row["author_n_null"]) == ("abstract", 618, 0, 0)
        for rule in RULES:
            for kind in "12L":
                values = scores[f"{rule}_rouge{'Lsum' if rule + kind == 'scriptL' else kind}_f1"].to_list()
                assert row[f"{rule}_rouge{kind}"] == pytest.approx(sum(values) / 618, rel=1e-13)


def test_what_sets_the_rules_apart(study):
    """The script keeps ROUGE-1's reference, so its ROUGE-1 is the card's and its ROUGE-2 never higher, sometimes lower."""
    scores = study.scores
    printed = pl.col("scitldr_rouge1_f1", "scitldr_rouge2_f1").round(3)
    card = scores.select(printed).get_columns()
    script = scores.select(pl.col("script_rouge1_f1", "script_rouge2_f1").round(3)).get_columns()
    assert card[0].to_list() == pytest.approx(script[0].to_list(), abs=1.001e-3)
    assert (script[1] <= card[1] + 1.001e-3).all()
    assert (script[1] < card[1] - 1).any()


def test_equal_rouge_1_is_a_tie_though_its_last_bit_differs():
    """Three of five tokens or two of two give 2/3, in float64 the second a little more; the script sees 0.66667 twice."""
    scorer = RougeScorer(["rouge1"])
    first, second = (scorer.score(text, "a b c d")["rouge1"].fmeasure for text in ("c b a x y", "a b"))
    assert first < second == pytest.approx(first)
    row = scitldr(pl.DataFrame({"summary": ["a b c d"], "references": [["c b a x y", "a b"]]})).table
    assert row["script_rouge2"].item() == 0.0
    assert row["scitldr_rouge2"].item() == 50.0


def test_a_worked_example_of_the_rules():
    """Two references of which ROUGE-1 prefers the first and ROUGE-2 the second."""
    frame = pl.DataFrame({"summary": ["a b c d"], "references": [["d c b a", "a b x y"]]})
    row = scitldr(frame).table.row(0, named=True)
    assert [row[f"scitldr_rouge{kind}"] for kind in "12L"] == [100.0, pytest.approx(100 / 3), 50.0]
    assert [row[f"script_rouge{kind}"] for kind in "12L"] == [100.0, 0.0, 25.0]
    assert [row[f"author_rouge{kind}"] for kind in "12L"] == [100.0, 0.0, 25.0]
    assert [row[f"mean_rouge{kind}"] for kind in "12L"] == [75.0, pytest.approx(100 / 6), 37.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b . c d .", "a b .\n c d .\n"),
        ("a b. c d.", "a b. c d."),
        ("x\ny . .5", "x y .\n .\n5"),
        ("", ""),
        (".", "."),
    ],
)
def test_the_scripts_sentences(text, expected):
    assert pl.DataFrame({"text": text}).select(one_sentence_a_line("text")).item() == expected == lines(text)


def test_the_page_is_the_samples_table(study):
    for row in study.table.iter_rows(named=True):
        for rule, label in zip(RULES, ("card", "author only", "mean over TLDRs", "released script"), strict=True):
            cells = [f"{row[f'{rule}_rouge{kind}']:.2f}" for kind in "12L"]
            assert f"| {' | '.join([row['system'], label, *cells])} |" in PAGE.splitlines()


def test_null_and_empty():
    frame = pl.DataFrame(
        {
            "summary": ["a", None, "", "a", "a", "a"],
            "references": [["a"], ["a"], ["a"], [None, "a"], ["", "a"], None],
        }
    )
    study = scitldr(frame)
    assert study.scores["scitldr_rouge1_f1"].to_list() == [100.0, None, 0.0, 100.0, 100.0, None]
    assert study.scores["author_rouge1_f1"].to_list() == [100.0, None, 0.0, None, None, None]
    row = study.table.row(0, named=True)
    assert (row["system"], row["n"], row["n_null"], row["author_n_null"]) == ("all", 6, 2, 4)
    assert row["scitldr_rouge1"] == 75.0
    assert row["author_rouge1"] == 50.0


def annotations(**flags):
    frame = pl.DataFrame({"doc_id": ["1", "1"], "system": ["lead1", "author"], "summary": ["a b", "a"]})
    return frame.with_columns(*(pl.lit(1).alias(name) for name in NUGGETS), **flags)


def test_annotations_stand_beside_rouge(pairs):
    judged = annotations(correctness=pl.Series([1, 3]))
    table = scitldr(pairs, annotations=judged).table
    assert table["system"].to_list() == ["lead1", "oracle", "title", "author"]
    assert table["mrr"].to_list() == [0.5, None, None, 1.0]
    assert table["mrr_papers"].to_list() == [1, None, None, 1]
    assert table["correctness_mean"].to_list() == [1.0, None, None, 3.0]
    assert table["n"].to_list() == [618, 618, 618, None]
    assert "correctness_mean" not in scitldr(pairs, annotations=annotations()).table.columns
    only = scitldr(pairs, annotations=judged.select("system", "correctness")).table
    assert "mrr" not in only.columns
    with pytest.raises(InputError, match="neither a column 'correctness' nor nuggets"):
        scitldr(pairs, annotations=judged.select("system"))
    with pytest.raises(InputError, match="column 'system'"):
        scitldr(pairs, annotations=judged.drop("system"))


def test_empty_summaries_are_last_but_among_zeros_and_are_counted(pairs):
    judged = annotations(summary=pl.Series(["", "a"]))
    table = scitldr(pairs, annotations=judged).table.drop_nulls("mrr")
    assert table.select("system", "mrr", "mrr_empty").rows() == [("lead1", 0.5, 1), ("author", 1.0, 0)]
    zeros = judged.with_columns(pl.lit(0).alias(name) for name in NUGGETS)
    table = scitldr(pairs, annotations=zeros).table.drop_nulls("mrr")
    assert table.select("mrr", "mrr_empty").rows() == [(1.0, 1), (1.0, 0)]


def test_nothing_to_study_is_refused(pairs):
    with pytest.raises(InputError, match="no row to read"):
        scitldr(pairs.clear())
    with pytest.raises(InputError, match="the annotations have no row"):
        scitldr(pairs, annotations=annotations().clear())


def test_settings_make_the_source():
    frame = pl.DataFrame(
        {
            "summary": ["a"],
            "references": [["a"]],
            "abstract": [["One.", "Two."]],
            "introduction": ["Three."],
            "conclusion": [None],
        },
        schema_overrides={"conclusion": pl.String},
    )
    assert scitldr(frame).scores["source"].to_list() == ["One. Two."]
    assert scitldr(frame, setting="aic").scores["source"].to_list() == ["One. Two. Three."]
    kept = frame.with_columns(source=pl.lit("All."))
    assert scitldr(kept, setting="full", force=True).scores["source"].to_list() == ["All."]
    with pytest.raises(OptionError, match="'full' is a mistake by the data card"):
        scitldr(kept, setting="full")
    with pytest.raises(OptionError, match="abstract, aic, full, not 'title'"):
        scitldr(frame, setting="title")
    with pytest.raises(InputError, match="column 'introduction': setting 'aic' reads it beside 'abstract'"):
        scitldr(frame.drop("introduction"), setting="aic")
    with pytest.raises(InputError, match="'references': the SciTLDR study reads it"):
        scitldr(frame.drop("references"))
    with pytest.raises(InputError, match="a text or a list of sentences, not Int32"):
        scitldr(frame.with_columns(abstract=pl.lit(1)))


def test_the_command_line(cli, tmp_path, pairs):
    pairs.head(30).write_parquet(tmp_path / "pairs.parquet")
    annotations(correctness=pl.Series([1, 3])).write_csv(tmp_path / "judged.csv")
    command = ["study", "scitldr", tmp_path / "pairs.parquet", "--output", tmp_path / "study", "--setting", "aic"]
    command += ["--annotations", tmp_path / "judged.csv", "--variants", "lead1, author", "--length-unit", "chars"]
    code, out, _ = cli(*command)
    assert code == 0
    stored = pl.read_parquet(tmp_path / "study" / "table.parquet")
    assert markdown(stored) in out == (tmp_path / "study" / "table.md").read_text()
    assert "script_rouge: `script_rouge|multi:argmax_rouge1" in out
    assert stored["setting"].unique().to_list() == ["aic"]
    assert json.loads((tmp_path / "study" / "study.json").read_text())["nuggets"]["length_unit"] == "chars"
    assert cli(*command)[:2] == (0, out)
    code, _, problem = cli(*command, "--tie", "dense")
    assert (code, "holds another study (nuggets differ)" in problem) == (2, True)
    code, _, problem = cli(*command[:4], tmp_path / "full", "--setting", "full")
    assert (code, "or --force" in problem) == (2, True)
    assert not (tmp_path / "full").exists()
