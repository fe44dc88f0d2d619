"""The report: what its parts compute, against plain references, and that no text of a user's can break out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats
from elements import Elements

import gistmark as gm
from gistmark.report import page
from gistmark.report.citations import KEYS, bibtex
from gistmark.report.columns import OTHER, recognised
from gistmark.report.correlation import correlations
from gistmark.report.faults import faults
from gistmark.report.overview import overview
from gistmark.report.rows import browsable
from gistmark.report.studies import section
from gistmark.studies.robustness import Settings, robustness
from gistmark_datasets import scitldr_sample
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\u202e evil \u2028 {{ 7 * 7 }} & \x00'
METRICS = ["rouge", "datastats", "abstraction"]
SIGNED = list(gm.signature(METRICS).values())


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    return gm.score(pl.read_parquet(scitldr_sample()).head(300), METRICS)


def test_the_overview_is_the_end_table(scored: pl.DataFrame) -> None:
    table = {t.metric: t for t in overview(scored, recognised(scored), "system", "doc_id")}
    end = gm.summarise(scored, METRICS, by="system")
    for metric, of_metric in table.items():
        for system, cells in of_metric.lines.items():
            for column, cell in zip(of_metric.columns, cells, strict=True):
                row = end.filter(metric=metric, system=system, field=column.name, statistic=column.statistic)
                assert cell.value == pytest.approx(row["value"].item(), rel=1e-12)


def test_what_is_worse_is_what_a_paired_bootstrap_says(scored: pl.DataFrame) -> None:
    [table] = overview(scored, recognised(scored)[:9], "system", "doc_id")
    wide = scored.pivot("system", index="doc_id", values="rouge1_f1").drop_nulls()
    cells = {system: line[2] for system, line in table.lines.items()}
    assert [system for system, cell in cells.items() if cell.is_best] == ["oracle"]
    for system in ("lead1", "title"):
        gaps = (wide[system] - wide["oracle"]).to_numpy()
        high = scipy.stats.bootstrap((gaps,), np.mean, method="percentile", rng=1).confidence_interval.high
        assert cells[system].is_worse
        assert high < 0
    same = scored.with_columns(rouge1_f1=pl.lit(0.5))
    [table] = overview(same, recognised(same)[:9], "system", "doc_id")
    assert not any(line[2].is_worse for line in table.lines.values())
    assert all(line[2].is_best for line in table.lines.values())


def test_marks_of_many_groups_are_in_reach_of_few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gistmark.report.overview.DRAWS", 1)
    draw = np.random.default_rng(2)
    rows = [(f"s{at}", f"t{text}", at + draw.normal(0, 0.1)) for at in range(16) for text in range(20)]
    frame = pl.DataFrame(rows, schema=["system", "id", "rouge1_f1"], orient="row")
    [table] = overview(frame, recognised(frame), "system", "id")
    assert [line[0].is_worse for line in table.lines.values()] == [True] * 15 + [False]


def test_a_corpus_score_is_the_corpus_score() -> None:
    pairs = pl.read_parquet(scitldr_sample()).head(60)
    frame = gm.score(pairs, ["bleu"])
    signed = [*gm.signature(["bleu"]).values()]
    [table] = overview(frame, recognised(frame, signed), "system", "doc_id")
    end = gm.summarise(frame, ["bleu"], by="system").filter(statistic="corpus")
    assert [line[0].value for line in table.lines.values()] == end["value"].to_list()
    assert [column.statistic for column in recognised(frame) if column.name == "bleu"] == ["mean"]


def test_correlations_are_scipys(scored: pl.DataFrame) -> None:
    found = correlations(scored, recognised(scored))
    assert found is not None
    assert "rouge1_p" not in found.names
    i, j = found.names.index("rouge1_f1"), found.names.index("density")
    expected = scipy.stats.spearmanr(scored["rouge1_f1"], scored["density"]).statistic
    assert found.matrix[i][j] == found.matrix[j][i] == pytest.approx(expected, rel=1e-12)


def test_prefixes_are_known_from_signatures() -> None:
    variant = gm.metrics.rouge(types=("3",), stem=True, prefix="stem_")
    frame = gm.score({"summary": ["a b c"], "references": ["a b c d"]}, [variant])
    columns = recognised(pl.DataFrame(frame), [variant.signature])
    assert {column.owner for column in columns} == {"stem_rouge"}
    assert {column.owner for column in recognised(pl.DataFrame(frame))} == {OTHER}


def test_gaps_have_their_reasons() -> None:
    pairs = {"summary": ["a cat", None, ""], "source": ["a cat sat", "b", "c"], "system": ["x", "x", "y"]}
    frame = pl.DataFrame(gm.score(pairs, ["datastats"]))
    found = faults(frame, recognised(frame), "system")
    assert {one.reason: one.groups for one in found} == {
        "null text": {"x": 1},
        "too_short": {"x": 1},
        "empty_summary": {"y": 1},
    }
    assert {(one.metric, one.field, one.rows, one.of) for one in found} == {("datastats", "", 1, 3)}


def test_samples_keep_documents_whole(scored: pl.DataFrame) -> None:
    part = browsable(scored, 100, "doc_id")
    assert 90 <= part.height <= 100
    assert set(part.group_by("doc_id").len()["len"]) == {3}
    assert browsable(scored, 300, "doc_id").height == 300
    assert browsable(scored, 50, None).height == 50


def test_no_text_breaks_out() -> None:
    pairs = pl.DataFrame(
        {
            "summary": [HOSTILE, "b"],
            "source": [HOSTILE, None],
            "references": [[HOSTILE], ["x"]],
            "system": [HOSTILE, None],
        }
    )
    frame = gm.score(pairs, METRICS).with_columns(doc_id=pl.Series([HOSTILE, HOSTILE]))
    plain = gm.score(pairs.with_columns(pl.lit("t").alias("summary")), METRICS).with_columns(
        system=pl.Series(["a", "b"])
    )
    text = page(frame, title=HOSTILE, signatures=[*SIGNED, HOSTILE])
    found, expected = Elements(text), Elements(page(plain, signatures=SIGNED))
    for tag in ("script", "img", "dialog", "section", "style", "pre"):
        assert found.count.get(tag) == expected.count.get(tag)
    assert HOSTILE in json.loads(found.data)["texts"]
    assert "49" not in re.findall(r"<title>(.*?)</title>", text)[0]


def test_the_page_loads_nothing_and_repeats(scored: pl.DataFrame) -> None:
    text = page(scored, signatures=SIGNED)
    assert not re.search(r"""(?:src|href)=["']?[^"'#]""", text)
    assert "url(" not in text
    assert "@import" not in text
    assert text == page(scored, signatures=SIGNED)
    assert len(text) < 2_000_000


def test_it_says_how_many_rows_it_shows(scored: pl.DataFrame) -> None:
    assert "All 300 rows." in page(scored)
    assert "99 of 300 rows" in page(scored, rows=100)
    assert "0 of 300 rows" in page(scored, rows=0)


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_short_tables_make_a_page(scored: pl.DataFrame, keep: int) -> None:
    assert f"All {keep} rows." in page(scored.head(keep), signatures=SIGNED)


def test_odd_columns_make_a_page(scored: pl.DataFrame) -> None:
    odd = scored.head(6).with_columns(
        human=pl.Series([1.0, float("nan"), float("inf"), None, 2.0, 3.0]),
        row=pl.lit("mine"),
        rouge1_f1=pl.lit(None, pl.Float64),
        summary=pl.col("summary").str.split(" "),
        system=pl.Series([None, "null", "(null)", "1", "1", "1"]),
    )
    data = json.loads(Elements(page(odd)).data)
    assert data["row"] == list(range(6))
    assert data["scores"]["human"] == [1.0, None, None, None, 2.0, 3.0]
    assert " " in data["texts"][data["summary"][0]]


def test_facts_and_their_verdicts_are_in_the_rows() -> None:
    judge = gm.metrics.factscore(gm.judges.Fake(), cache=False)
    frame = gm.score(pl.DataFrame({"summary": ["A cat sat. It slept."], "source": ["A cat sat."]}), [judge])
    data = json.loads(Elements(page(frame)).data)
    assert set(data["lists"]) == {"factscore_facts", "factscore_decisions"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.select("summary", "source"), "holds no scores"),
        (lambda frame: frame.with_columns(system=pl.concat_list("summary", "source")), "cannot tell systems apart"),
        (lambda frame: frame.with_columns(system=pl.int_range(pl.len())), "has 300 values; a report shows at most 100"),
        (lambda frame: frame.with_columns(rouge1_f1=pl.lit("high")), "column 'rouge1_f1'"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    scored: pl.DataFrame, change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        page(change(scored))


def test_a_robustness_study_is_a_map(tmp_path: Path) -> None:
    pairs = pl.read_parquet(scitldr_sample()).head(30).with_columns(summary="source")
    options = Settings(base="system", split="newline", bootstrap=Bootstrap(20))
    study = robustness(pairs, ["rouge"], ["distractor"], settings=options, output=tmp_path / "study")
    found = section(tmp_path / "study")
    [(names, lines)] = found.heat.values()
    assert names == ["distractor (decrease)"]
    [row] = study.statistics.filter(field="rouge1_f1").rows(named=True)
    [tile] = lines["rouge1_f1"]
    assert tile is not None
    assert (tile.value, tile.verdict) == (row["spearman"], row["verdict"].replace("_", " "))
    text = page(None, [tmp_path / "study"])
    assert f"[{row['spearman_low']:.2f}, {row['spearman_high']:.2f}]" in text


def test_agreement_with_readers_has_its_intervals(tmp_path: Path) -> None:
    alpha = {
        "metric": "<b>rouge</b>",
        "reading": "merged",
        "threshold": "default",
        "alpha": 0.25,
        "low": 0.1,
        "high": 0.4,
    }
    rate = {"dimension": "model", "slot": "all", "round": "all", "level": "a", "rate": 0.5, "low": 0.4, "high": 0.6}
    pl.DataFrame([alpha, alpha | {"alpha": None}, alpha | {"threshold": "zero"}]).write_parquet(
        tmp_path / "alphas.parquet"
    )
    pl.DataFrame([rate, rate | {"dimension": "side"}]).write_parquet(tmp_path / "win_rates.parquet")
    pictures = section(tmp_path).pictures
    assert [picture.count("<circle") for picture in pictures.values()] == [1, 1]
    assert "&lt;b&gt;rouge" in page(None, [tmp_path])


def test_every_metric_can_be_cited() -> None:
    for name, metric in gm.catalogue().items():
        text = bibtex([f"my_{name}"])
        assert re.match(r"@\w+\{[\w-]+,\n", text)
        assert name in KEYS or metric.cite.paper in text
    assert bibtex(["rouge", "stem_rouge"]).count("@") == 1
    assert KEYS.keys() <= gm.catalogue().keys()


def test_entries_are_whole_and_used() -> None:
    text = bibtex(KEYS)
    entries = re.findall(r"@(\w+)\{([\w-]+),(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert {key for _, key, _ in entries} == {key for keys in KEYS.values() for key in keys}
    assert len(entries) == (files("gistmark.report") / "citations.bib").read_text().count("\n@") + 1
    for kind, key, body in entries:
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
        where = {"article": "journal", "inproceedings": "booktitle", "techreport": "institution", "book": "publisher"}
        assert {"title", "author", "year", where.get(kind, "eprint")} <= fields.keys(), key
        assert fields["year"] in key
        assert all(value.count("{") == value.count("}") for value in fields.values())
