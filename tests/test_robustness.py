"""The robustness study against hand-counted chains, scipy on real documents, and its promises on disk."""

from __future__ import annotations

import itertools
import json

import numpy as np
import polars as pl
import pytest
import scipy.stats
from judging import shown

from gistmark import judges
from gistmark.studies import robustness as module
from gistmark.studies.responses import by_corpus, by_document, long_scores
from gistmark.studies.rewriting import Rewriter
from gistmark.studies.robustness import Settings, robustness
from gistmark.studies.verdicts import GRID, REQUIRED, Cuts, overall, sensitivity, verdict
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Citation, Field, Metric

FAKE = Metric(
    name="fake",
    inputs=("summary",),
    fields={
        "good": Field(better="higher"),
        "bad": Field(better="lower"),
        "size": Field("int64"),
        "hidden": Field(summary=()),
        "kind": Field("enum", summary=("counts",), levels=("a",)),
    },
    run=lambda batch: {},
    cite=Citation("none"),
)


def chain_scores(series, perturbation="incremental", corpora=None):
    """One document a series, as `long_scores` gives them."""
    rows = [
        (corpora[k] if corpora else "c", "", str(k), perturbation, "rule", level, "m", "f", "as_is", score)
        for k, scores in enumerate(series)
        for level, score in enumerate(scores)
    ]
    names = ["corpus", "system", "doc_id", "perturbation", "generator", "level", "metric", "field", "polarity", "score"]
    return pl.DataFrame(rows, names, orient="row", strict=False).with_columns(pl.col("score").cast(pl.Float64))


# scores, perturbation, monotonicity, Spearman (counted by hand)
HAND_COUNTED = [
    ([5, 4, 4, 3, 2], "distractor", 0.75, -0.9746794344808964),
    ([3, 3, 3, 4, 4], "incremental", 0.25, 0.8660254037844386),
    ([100.0, 104.0, 100.0, 94.0, 90.0], "lengthen", 0.75, -0.8207826816681233),
    ([100.0, 104.0, 108.0, 112.0, 116.0], "shorten", 1.0, 1.0),
    ([100.0, 105.0], "lengthen", 0.0, 1.0),
    ([0.0, 0.0, 0.1], "lengthen", 0.5, 0.8660254037844387),
    ([2.0, 2.0, 2.0], "incremental", 0.0, None),
    ([None, 1.0, 2.0, 3.0], "incremental", 1.0, 1.0),
    ([None, None, 2.0], "incremental", None, None),
]


@pytest.mark.parametrize(("scores", "perturbation", "share", "rho"), HAND_COUNTED)
def test_responses_of_a_document(scores, perturbation, share, rho):
    row = by_document(chain_scores([scores], perturbation).reverse()).row(0, named=True)
    assert row["monotonicity"] == share
    assert row["spearman"] == (None if rho is None else pytest.approx(rho, rel=1e-12))


def test_cumulative_mode_sees_a_slow_drift():
    scores = chain_scores([[100.0, 104.0, 108.0, 112.0, 116.0]], "lengthen")
    assert by_document(scores, "cumulative")["monotonicity"].to_list() == [0.25]
    increase = chain_scores([[1.0, 2.0, 1.5]], "incremental")
    assert by_document(increase, "cumulative").equals(by_document(increase))


def test_means_over_documents():
    responses = by_document(chain_scores([[1, 2, 3], [3, 2, 1], [2, 2, 2]]))
    row = by_corpus(responses, Bootstrap(200)).row(0, named=True)
    assert (row["spearman"], row["n_defined"], row["documents"]) == (0.0, 2, 3)
    assert row["undefined_fraction"] == pytest.approx(1 / 3)
    assert row["monotonicity"] == pytest.approx(1 / 3)
    assert row["tie_fraction"] == pytest.approx(1 / 3)
    assert -1 <= row["spearman_low"] < 0 < row["spearman_high"] <= 1
    strict = by_corpus(responses, Bootstrap(200), "propagate").row(0, named=True)
    assert (strict["spearman"], strict["spearman_low"]) == (None, None)
    assert strict["monotonicity"] == pytest.approx(1 / 3)


def test_corpora_are_pooled_by_document():
    responses = by_document(chain_scores([[1, 2], [1, 2], [2, 1]], corpora=["a", "a", "b"]))
    table = by_corpus(responses, Bootstrap(10)).select("scope", "corpus", "spearman", "documents")
    assert table.rows() == [
        ("corpus", "a", 1.0, 2),
        ("corpus", "b", -1.0, 1),
        ("pooled", "all", pytest.approx(1 / 3), 3),
    ]


def test_lower_is_better_is_negated_and_labels_are_left_out():
    scored = pl.DataFrame(
        {"corpus": "c", "system": "", "doc_id": "d", "perturbation": "distractor", "generator": "rule", "level": [0, 1]}
        | {"good": [1.0, 2.0], "bad": [1.0, 2.0], "size": [1, 2], "hidden": [0.0, 0.0], "kind": ["a", "a"]}
    )
    rows = long_scores(scored, [FAKE]).filter(level=1).select("metric", "field", "polarity", "score").rows()
    assert rows == [
        ("fake", "good", "as_is", 2.0),
        ("fake", "bad", "negated", -2.0),
        ("fake", "size", "no_polarity", 2.0),
    ]


# expected, mean rho, mean M, undefined fraction, verdict
VERDICTS = [
    ("increase", 0.5, 0.5, 0.0, "pass"),
    ("increase", 0.49, 0.9, 0.0, "weak"),
    ("increase", 0.9, 0.13, 0.0, "weak"),
    ("increase", -0.1, 0.9, 0.0, "wrong_direction"),
    ("increase", -0.09, 0.9, 0.0, "weak"),
    ("increase", None, 0.0, 1.0, "undefined"),
    ("increase", 0.3, 0.1, 0.51, "undefined"),
    ("increase", None, None, 1.0, "undefined"),
    ("decrease", -0.5, 0.5, 0.0, "pass"),
    ("decrease", 0.1, 0.5, 0.0, "wrong_direction"),
    ("decrease", -0.5, 0.49, 0.5, "weak"),
    ("stable", 0.49, 0.5, 0.0, "pass"),
    ("stable", None, 1.0, 1.0, "pass"),
    ("stable", 1.0, 1.0, 0.6, "pass"),
    ("stable", 0.5, 1.0, 0.0, "drift_up"),
    ("stable", -0.5, 0.0, 0.0, "drift_down"),
    ("stable", 0.4, 0.49, 0.0, "unstable"),
    ("stable", None, 0.1, 1.0, "unstable"),
    ("stable", None, None, 1.0, "unstable"),
]


@pytest.mark.parametrize(("expected", "rho", "share", "undefined", "outcome"), VERDICTS)
def test_verdicts(expected, rho, share, undefined, outcome):
    row = {"expected": expected, "spearman": rho, "monotonicity": share, "undefined_fraction": undefined}
    schema = {name: pl.String if name == "expected" else pl.Float64 for name in row}
    assert pl.DataFrame([row], schema).select(verdict(Cuts()))["verdict"].to_list() == [outcome]


def test_sensitivity_has_every_pair_of_cut_offs():
    table = by_corpus(by_document(chain_scores([[1, 2, 2, 3, 2]])), Bootstrap())
    grid = sensitivity(table, Cuts())
    assert set(grid.select("rho_cut", "monotonicity_cut").rows()) == set(GRID)
    passed = grid.filter(verdict="pass").select("rho_cut", "monotonicity_cut").rows()
    assert passed == [(rho, share) for rho, share in GRID if rho <= 0.5 and share <= 0.5]
    assert 0.5 < scipy.stats.spearmanr(range(5), [1, 2, 2, 3, 2]).statistic < 0.7


def test_overall_wants_all_five():
    def table(verdicts):
        rows = [("corpus", "c", "m", "f", name, one) for name, one in verdicts.items()]
        return pl.DataFrame(rows, ["scope", "corpus", "metric", "field", "perturbation", "verdict"], orient="row")

    passed = dict.fromkeys(REQUIRED, "pass")
    assert overall(table(passed))["overall"].to_list() == ["pass"]
    assert overall(table(passed | {"audience": "weak"}))["overall"].to_list() == ["fail"]
    del passed["audience"]
    assert overall(table(passed | {"persona_swap": "pass"}))["overall"].to_list() == ["incomplete"]


@pytest.mark.parametrize("bad", [{"rho": 1.5}, {"monotonicity": -0.1}, {"wrong": float("nan")}])
def test_cut_offs_are_shares(bad):
    with pytest.raises(OptionError, match="between 0 and 1"):
        Cuts(**bad)


@pytest.fixture
def pairs():
    """Eight documents of two to five sentences, each seen twice (two systems)."""
    words = np.random.default_rng(0).choice(["model", "data", "task", "very", "can't", "graph", "(deep)"], (8, 5, 6))
    texts = ["\n".join(" ".join(line) + "." for line in doc[: 2 + k % 4]) for k, doc in enumerate(words)]
    frame = pl.DataFrame(
        {"doc_id": range(8), "references": [[text] for text in texts], "source": [text + " and more" for text in texts]}
    )
    systems = [frame.with_columns(system=pl.lit(name), summary=pl.lit("a model")) for name in ("a", "b")]
    return pl.concat(systems)


SMALL = Settings(levels=3, bootstrap=Bootstrap(20))


def test_rouge_recall_against_the_base_follows_the_sentences(pairs):
    """Adding a reference's own sentences never lowers recall: the level axis is what the table says it is."""
    study = robustness(pairs, ["rouge"], ["incremental", "distractor"], settings=SMALL)
    for (_, name), rows in study.scores.group_by("doc_id", "perturbation"):
        recall = rows.sort("level")["rouge1_r"].to_list()
        assert recall[0] == (0.0 if name == "incremental" else 1.0)
        assert recall[-1] == 1.0
        assert all(a <= b for a, b in itertools.pairwise(recall))
    table = study.statistics.filter(field="rouge1_r", perturbation="incremental").row(0, named=True)
    assert (table["spearman"], table["monotonicity"], table["verdict"]) == (1.0, 1.0, "pass")
    assert study.scores.height == study.chains.height
    assert study.chains["doc_id"].n_unique() == 8


def test_statistics_are_scipys_on_real_documents(shared):
    data = pl.read_parquet(shared / "data" / "scitldr_a_test.parquet")
    study = robustness(
        data.rename({"candidate": "summary"}), ["rouge"], ["distractor", "lengthen"], settings=Settings(sample=12)
    )
    rows = study.scores.sort("level").group_by("doc_id", "perturbation", maintain_order=True).agg("level", "rouge1_f1")
    for doc_id, name, levels, scores in rows.rows():
        expected = scipy.stats.spearmanr(levels, scores).statistic
        found = study.responses.filter(doc_id=doc_id, perturbation=name, field="rouge1_f1")
        assert found["spearman"].item() == pytest.approx(expected, rel=1e-12)
    means = study.responses.filter(field="rouge1_f1", perturbation="distractor")["spearman"].mean()
    assert study.statistics.filter(field="rouge1_f1", perturbation="distractor")["spearman"].item() == pytest.approx(
        means
    )


def tables(study):
    names = ("chains", "dropped", "scores", "responses", "statistics", "sensitivity", "overall", "curves")
    return {name: getattr(study, name) for name in names}


def same(one, two):
    return all(table.equals(tables(two)[name]) for name, table in tables(one).items())


def test_a_study_on_disk_is_the_study_in_memory(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 3)
    here = robustness(pairs, ["rouge"], settings=SMALL, output=tmp_path / "study")
    assert same(here, robustness(pairs, ["rouge"], settings=SMALL))
    files = {path.name for path in (tmp_path / "study").iterdir()}
    assert files == {"study.json", *(f"{name}.parquet" for name in tables(here))}
    for name, table in tables(here).items():
        assert pl.read_parquet(tmp_path / "study" / f"{name}.parquet").equals(table)
    record = json.loads((tmp_path / "study" / "study.json").read_text())
    assert record["settings"]["cuts"]["rho"] == 0.5
    assert "level k" in record["level_definition"]


def test_a_study_goes_on_where_it_stopped(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 2)
    calls, real = [], module.score

    def breaking(frame, metrics, *, threads):
        calls.append(frame.height)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(frame, metrics, threads=threads)

    monkeypatch.setattr(module, "score", breaking)
    with pytest.raises(KeyboardInterrupt):
        robustness(pairs, ["rouge"], settings=SMALL, output=tmp_path)
    assert not (tmp_path / "scores.parquet").exists()
    resumed = robustness(pairs, ["rouge"], settings=SMALL, output=tmp_path)
    assert len(calls) == 5
    assert same(resumed, robustness(pairs, ["rouge"], settings=SMALL, output=tmp_path))
    assert len(calls) == 5
    with pytest.raises(OptionError, match=r"another study \(chains_sha256, settings differ\)"):
        robustness(pairs, ["rouge"], settings=Settings(levels=2, bootstrap=Bootstrap(20)), output=tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(OptionError, match="holds no study"):
        robustness(pairs, ["rouge"], settings=SMALL, output=tmp_path / "other")


def rewritten(path, generators=("llama",)):
    chains = itertools.product(range(8), (1, 2))
    lines = [
        {"doc_id": k, "perturbation": "lengthen", "level": level, "text": f"text {level}", "generator": name}
        for k, level in chains
        for name in [generators[k % len(generators)]]
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_rewrites_take_the_place_of_proxies_and_never_mix(pairs, tmp_path):
    file = rewritten(tmp_path / "r.jsonl")
    study = robustness(pairs, ["rouge"], ["distractor", "lengthen"], settings=SMALL, rewrites=file)
    kinds = study.chains.group_by("perturbation").agg(pl.col("generator").unique()).sort("perturbation")
    assert kinds.rows() == [("distractor", ["rule"]), ("lengthen", ["llama"])]
    with pytest.raises(OptionError, match=r"proxies \(shorten\) and model rewrites"):
        robustness(pairs, ["rouge"], ["lengthen", "shorten"], settings=SMALL, rewrites=file)
    two = rewritten(tmp_path / "two.jsonl", ("llama", "qwen"))
    with pytest.raises(OptionError, match="lengthen has several generators"):
        robustness(pairs, ["rouge"], ["lengthen"], settings=SMALL, rewrites=two)


def counting(calls, broken=()):
    """A model that adds a word, and says nothing of use about texts with a word of `broken`."""

    def rule(conversation):
        calls.append(1)
        text = shown(conversation, "text")
        return "no" if any(word in text for word in broken) else json.dumps({"text": text + " more"})

    return judges.Fake(rule, "llama")


def test_a_model_rewrites_once_and_its_texts_are_kept(pairs, tmp_path):
    calls = []
    rewriter = Rewriter(counting(calls), cache=tmp_path / "replies.sqlite")
    study = robustness(pairs, ["rouge"], settings=SMALL, rewrites=rewriter, output=tmp_path / "one")
    kinds = study.chains.group_by("perturbation", maintain_order=True).agg(pl.col("generator").unique()).rows()
    model = [(name, ["llama"]) for name in ("audience", "lengthen", "shorten")]
    assert sorted(kinds) == sorted([("distractor", ["rule"]), ("incremental", ["rule"]), *model])
    lengthened = study.chains.filter(perturbation="lengthen", doc_id="3", level=3)["summary"].item()
    assert lengthened == pairs["references"][3][0] + " more" * 3
    made = len(calls)
    assert made >= 8 * 3 * 3
    again = robustness(pairs, ["rouge"], settings=SMALL, rewrites=rewriter, output=tmp_path / "one")
    from_file = robustness(pairs, ["rouge"], settings=SMALL, rewrites=tmp_path / "one" / "rewrites.jsonl")
    elsewhere = robustness(pairs, ["rouge"], settings=SMALL, rewrites=rewriter, output=tmp_path / "two")
    forgetful = Rewriter(counting(calls), cache=False)
    assert same(study, robustness(pairs, ["rouge"], settings=SMALL, rewrites=forgetful, output=tmp_path / "one"))
    assert len(calls) == made
    assert same(study, again)
    assert same(study, from_file)
    assert same(study, elsewhere)


def test_a_rewrite_that_was_not_had_drops_its_document(pairs, tmp_path):
    word = pairs["references"][2][0].split()[0]
    pairs = pairs.with_columns(references=pl.col("references").list.eval(pl.element().str.replace(word, "poison", n=1)))
    touched = pairs.filter(pl.col("references").list.first().str.contains("poison"))["doc_id"].unique().cast(pl.String)
    rewriter = Rewriter(counting([], ["poison"]), cache=False)
    study = robustness(pairs, ["rouge"], ["shorten"], settings=SMALL, rewrites=rewriter)
    assert set(study.dropped["doc_id"]) == set(touched)
    assert set(study.dropped["reason"]) == {"failed_rewrite"}
    assert not set(study.chains["doc_id"]) & set(touched)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"metrics": ["datastats"]}, "source"),
        ({"metrics": ["ruge"]}, "ruge"),
        ({"perturbations": ["shuffle", "lengthen"]}, "unknown perturbation"),
        ({"settings": Settings(levels=0)}, "levels"),
        ({"output": __file__}, "is a file"),
    ],
)
def test_a_model_is_asked_last_of_all(pairs, tmp_path, changed, message):
    calls = []
    arguments = {"metrics": ["rouge"], "settings": SMALL, "rewrites": Rewriter(counting(calls), cache=False)} | changed
    with pytest.raises((InputError, OptionError), match=message):
        robustness(pairs.drop("source"), **arguments)
    assert calls == []


def test_system_summaries_can_be_the_base(pairs):
    frame = pairs.with_columns(summary=pl.col("references").list.first() + "\none more line.")
    study = robustness(frame, ["rouge"], ["incremental"], settings=Settings(base="system", bootstrap=Bootstrap(20)))
    assert study.responses.filter(field="rouge1_f1").height == 16
    assert study.responses["system"].unique().sort().to_list() == ["a", "b"]


def test_metrics_follow_the_columns_and_nothing_to_score_is_an_error(pairs):
    study = robustness(pairs.drop("source"), settings=SMALL, perturbations=["distractor"])
    assert list(study.signatures) == ["rouge"]
    with pytest.raises(InputError, match="source"):
        robustness(pairs.drop("source"), ["datastats"], ["distractor"], settings=SMALL)
    with pytest.raises(OptionError, match="unknown perturbation 'shuffle'"):
        robustness(pairs, ["rouge"], ["shuffle"], settings=SMALL)
    none = robustness(pairs.head(1), ["rouge"], ["distractor"], settings=SMALL)
    assert (none.scores.height, none.statistics.height) == (0, 0)
    assert none.dropped["reason"].to_list() == ["no_other_document"]
