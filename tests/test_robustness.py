"""The robustness study against scipy on real documents, and its promises on disk."""

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
from gistmark.studies.rewriting import Rewriter
from gistmark.studies.robustness import Settings, robustness
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError


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
